/// Values by the numbers of an object's relationships. Of the few that there are, a list takes less time and memory than
/// a dictionary.
struct RelationshipTable<Value> {
    private struct Entry {
        var number: Int
        var value: Value
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The numbers that have a value, in no order.
    var keys: [Int] { entries.map(\.number) }

    private func position(of number: Int) -> Int? {
        var position = 0
        while position < entries.count {
            if entries[position].number == number { return position }
            position += 1
        }
        return nil
    }

    /// The value of a relationship; nil for none.
    subscript(number: Int) -> Value? {
        get {
            if let position = position(of: number) { return entries[position].value }
            return nil
        }
        _modify {
            // Taken out of the list, so that an array is changed in its place.
            var value: Value?
            if let position = position(of: number) {
                entries.swapAt(position, entries.count - 1)
                value = entries.removeLast().value
            }
            defer { if let value { entries.append(Entry(number: number, value: value)) } }
            yield &value
        }
    }

    subscript(number: Int, default value: @autoclosure () -> Value) -> Value {
        get { self[number] ?? value() }
        _modify {
            var current = self[number] ?? value()
            self[number] = nil
            defer { self[number] = current }
            yield &current
        }
    }
}
