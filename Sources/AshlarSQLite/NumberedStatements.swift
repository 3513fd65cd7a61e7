/// The prepared statements of texts that have numbers, by these.
///
/// Each number has one place in a list, so that finding a statement takes two loads and a comparison, and no hash. Numbers are given one
/// after another, and those of a program's statements seldom have the same place. Where two have, the list grows, up to
/// ``greatestCount`` places; from then on one takes the other's place, and whose place is taken is found by its text the next time.
struct NumberedStatements {
    /// The most places, a power of two.
    static let greatestCount = 1024

    private typealias Place = (number: Int, statement: Statement?)

    /// As many as a power of two, or none.
    private var places: ContiguousArray<Place> = []

    /// The statement of a number; nil where it is not known.
    subscript(number: Int) -> Statement? {
        if places.isEmpty { return nil }
        let place = number & (places.count &- 1)
        return places[place].number == number ? places[place].statement : nil
    }

    /// Notes the statement of a number.
    mutating func note(_ statement: Statement, _ number: Int) {
        var count = max(16, places.count)
        if places.isEmpty { places = ContiguousArray(repeating: (0, nil), count: count) }
        while places[number & (count - 1)].statement != nil, places[number & (count - 1)].number != number,
            count < Self.greatestCount
        {
            count *= 2
            let known = places
            places = ContiguousArray(repeating: (0, nil), count: count)
            // What had places of their own still have.
            for place in known where place.statement != nil { places[place.number & (count - 1)] = place }
        }
        places[number & (count - 1)] = (number, statement)
    }

    mutating func removeAll() { places = [] }
}
