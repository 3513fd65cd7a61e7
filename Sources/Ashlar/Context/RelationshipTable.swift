/// Values by the numbers of an object's relationships. Of the few that there are, a list takes less time and memory than
/// a dictionary, and of one alone no list at all.
struct RelationshipTable<Value> {
    private struct Entry {
        var number: Int
        var value: Value
    }

    /// There are others only where there is a first.
    private var first: Entry?
    private var others: [Entry] = []

    var isEmpty: Bool { first == nil }

    /// The numbers that have a value, in no order.
    var keys: [Int] { (first.map { [$0.number] } ?? []) + others.map(\.number) }

    private func position(of number: Int) -> Int? {
        var position = 0
        while position < others.count {
            if others[position].number == number { return position }
            position += 1
        }
        return nil
    }

    /// Takes a value out of the table.
    private mutating func take(_ number: Int) -> Value? {
        if let entry = first, entry.number == number {
            first = others.popLast()
            return entry.value
        }
        guard let position = position(of: number) else { return nil }
        others.swapAt(position, others.count - 1)
        return others.removeLast().value
    }

    private mutating func put(_ number: Int, _ value: Value) {
        let entry = Entry(number: number, value: value)
        if first == nil { first = entry } else { others.append(entry) }
    }

    /// The value of a relationship; nil for none.
    subscript(number: Int) -> Value? {
        get {
            guard let first else { return nil }
            if first.number == number { return first.value }
            return position(of: number).map { others[$0].value }
        }
        _modify {
            // Taken out of the table, so that an array is changed in its place.
            var value = take(number)
            defer { if let value { put(number, value) } }
            yield &value
        }
    }

    subscript(number: Int, default value: @autoclosure () -> Value) -> Value {
        get { self[number] ?? value() }
        _modify {
            var current = take(number) ?? value()
            defer { put(number, current) }
            yield &current
        }
    }
}
