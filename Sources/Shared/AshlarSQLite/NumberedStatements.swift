/// The prepared statements of texts that have numbers, by number.
///
/// Each number has one place in a list, so finding a statement takes two loads and a comparison, and no hash. Numbers
/// are consecutive, so the statements of a program seldom share a place. If two do, the list grows, up to
/// ``greatestCount`` places. From then on one replaces the other, which is found by its text the next time.
struct NumberedStatements {
    /// The most places, a power of two.
    static let greatestCount = 1024

    private typealias Place = (number: Int, statement: Statement?)

    /// A power of two, or none.
    private var places: ContiguousArray<Place> = []

    /// The statement of a number; nil if it is unknown.
    subscript(number: Int) -> Statement? {
        if places.isEmpty { return nil }
        let place = number & (places.count &- 1)
        return places[place].number == number ? places[place].statement : nil
    }

    /// Stores the statement of a number.
    mutating func note(_ statement: Statement, _ number: Int) {
        var count = max(16, places.count)
        if places.isEmpty { places = ContiguousArray(repeating: (0, nil), count: count) }
        while places[number & (count - 1)].statement != nil, places[number & (count - 1)].number != number,
            count < Self.greatestCount
        {
            count *= 2
            let known = places
            places = ContiguousArray(repeating: (0, nil), count: count)
            // Statements with places of their own keep them.
            for place in known where place.statement != nil { places[place.number & (count - 1)] = place }
        }
        places[number & (count - 1)] = (number, statement)
    }

    mutating func removeAll() { places = [] }
}
