import Ashlar
import AshlarSQLite

/// The columns that take fewer values than SQLite lets them have, at their places in the rows of each table.
struct NarrowColumns {
    private let columns: [String: [String: NarrowColumn]]
    private var places: [String: [(position: Int, column: NarrowColumn)]] = [:]

    init(_ columns: [String: [String: NarrowColumn]]) { self.columns = columns }

    /// The first value of a change that no object could read, with a description of the values that it should have.
    mutating func unreadable(_ change: RowChange) -> (column: ColumnDescription, expected: String)? {
        if change.operation == .delete { return nil }
        let table = change.table
        if places[table.name] == nil {
            places[table.name] = table.stored.columns.enumerated().compactMap { position, name in
                columns[table.name]?[name].map { (position, $0) }
            }
        }
        for (position, column) in places[table.name] ?? [] {
            if let value = change.values[position], let expected = column.expectation(unmetBy: value) {
                return (column.column, expected)
            }
        }
        return nil
    }

    /// - Throws: ``EntryBody/Malformed`` if no object could read a value of the change.
    mutating func requireReadable(_ change: RowChange) throws {
        if let (column, expected) = unreadable(change) {
            throw EntryBody.Malformed(
                reason: "\(column.property) of a row of \(change.table.name) does not hold \(expected)")
        }
    }
}
