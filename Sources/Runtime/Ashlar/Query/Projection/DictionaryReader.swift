import AshlarSQLite

/// Makes a dictionary of each row, with the same keys for all.
///
/// Each is a copy of one that has the keys already, whose values are put where these are: no key is hashed for a row, and
/// nothing grows.
struct DictionaryReader: Sendable {
    private let values: [DictionaryValue]
    private let names: [String]
    /// A dictionary of all names.
    // Unsafe as `Any` may be anything: the values are numbers, and nothing changes the dictionary, so that threads may read it.
    nonisolated(unsafe) private let keys: [String: Any]
    /// Where the values are in a copy of it.
    // Unsafe as the type names `Any`: a place is two numbers.
    nonisolated(unsafe) private let places: [Dictionary<String, Any>.Index]

    /// - Parameter names: The keys, each once, of the values in their order.
    init(_ names: [String], _ values: [DictionaryValue]) {
        let keys = [String: Any](uniqueKeysWithValues: names.map { ($0, 0) })
        self.names = names
        self.values = values
        self.keys = keys
        places = names.compactMap { keys.index(forKey: $0) }
    }

    /// The values of a row by their names, without those that are nil.
    func dictionary(_ row: Row) throws(RowError) -> [String: Any] {
        var result = keys
        let hasAbsent = try read(row, into: &result.values)
        // Last, as it moves the places.
        if hasAbsent {
            for position in values.indices where row.isNull(Int32(position)) { result[names[position]] = nil }
        }
        return result
    }

    /// Returns whether values are absent; these keep the places' numbers.
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
