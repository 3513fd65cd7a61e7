import AshlarSQLite

extension SyncCompositeConflict {
    /// The elements that columns have, except those of missing composites.
    ///
    /// - Parameters:
    ///   - elements: The names that lead to the element of a column, by the columns' positions.
    ///   - presence: The names that lead to the composite that a column says is there, likewise.
    static func elements(
        _ elements: [Int: [String]], _ presence: [Int: [String]], _ value: (Int) -> SQLiteValue
    ) -> Elements {
        let absent = presence.filter { value($0.key).isNull }.map(\.value)
        var found: Elements = [:]
        for (column, names) in elements where !absent.contains(where: { names.starts(with: $0) }) {
            found[names.joined(separator: ".")] = value(column)
        }
        return found
    }

    /// Returns the values of columns for a composite with these parts; empty if the parts are unknown and an existing
    /// composite stays.
    static func columns(
        _ elements: [Int: [String]], _ presence: [Int: [String]], of told: Elements
    ) -> [Int: SQLiteValue] {
        var values = elements.mapValues { told[$0.joined(separator: ".")] ?? .null }
        let there = told.keys.map { $0.split(separator: ".").map(String.init) }
        for (column, names) in presence {
            values[column] = there.contains { $0.starts(with: names) } ? .integer(1) : .null
        }
        return values
    }
}
