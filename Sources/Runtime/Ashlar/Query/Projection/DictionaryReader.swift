import AshlarSQLite

/// Creates a dictionary for each row, with the same keys for all.
///
/// Each dictionary is a copy of one that already has the keys, and the values are stored at their positions. So no key
/// is hashed for a row, and no storage grows.
struct DictionaryReader: Sendable {
    private let values: [DictionaryValue]
    private let names: [String]
    /// A dictionary with all names.
    // Unsafe because `Any` may be of any type. The values are numbers, and the dictionary never changes, so several
    // threads may read it.
    nonisolated(unsafe) private let keys: [String: Any]
    /// The positions of the values in a copy of it.
    // Unsafe because the type mentions `Any`. A position is two numbers.
    nonisolated(unsafe) private let places: [Dictionary<String, Any>.Index]

    /// - Parameter names: The keys of the values, in their order, without duplicates.
    init(_ names: [String], _ values: [DictionaryValue]) {
        let keys = [String: Any](uniqueKeysWithValues: names.map { ($0, 0) })
        self.names = names
        self.values = values
        self.keys = keys
        places = names.compactMap { keys.index(forKey: $0) }
    }

    /// Returns the values of a row by their names, without those that are nil.
    func dictionary(_ row: Row) throws(RowError) -> [String: Any] {
        var result = keys
        let hasAbsent = try read(row, into: &result.values)
        // Removed last, because removing changes the positions.
        if hasAbsent {
            for position in values.indices where row.isNull(Int32(position)) { result[names[position]] = nil }
        }
        return result
    }

    /// Returns whether values are nil. Their positions then keep the numbers of the template.
    private func read(_ row: Row, into result: inout Dictionary<String, Any>.Values) throws(RowError) -> Bool {
        var hasAbsent = false
        var position = 0
        while position < places.count {
            if let value = try values[position].read(row, Int32(truncatingIfNeeded: position)) {
                result[places[position]] = value
            } else {
                hasAbsent = true
            }
            position &+= 1
        }
        return hasAbsent
    }
}
