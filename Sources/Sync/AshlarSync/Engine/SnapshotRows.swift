import Ashlar
import AshlarSQLite
import Foundation

/// The rows in the file of a snapshot, which is not trusted.
struct SnapshotRows {
    private let file: Connection
    private let tables: SyncedTables

    /// - Throws: ``RowFolder/Mismatch`` if the file cannot be read.
    init(_ file: Connection) throws {
        self.file = file
        tables = try Self.reading { try SyncedTables(fileOf: file) }
    }

    init(_ url: URL) throws { try self.init(SnapshotFile.open(url)) }

    /// Calls a closure with each row of a table, as one to be inserted, in the order of keys.
    ///
    /// - Throws: ``RowFolder/Mismatch`` if the file has no such table or cannot be read, ``EntryBody/Malformed`` if the
    ///   model does not allow a row, or the closure's error.
    func forEach(of table: SyncedTable, _ check: RowCheck, _ body: (RowChange) throws -> Void) throws {
        guard let source = tables.byName[table.name], Set(source.stored.columns) == Set(table.stored.columns) else {
            throw RowFolder.Mismatch(reason: "it has no table \(table.name), or one with other columns")
        }
        let order = table.stored.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
        let query = "SELECT \(table.columnList()) FROM \(table.name.quotedIdentifier) ORDER BY \(order)"
        let statement = try Self.reading { try file.statement(query) }
        defer { statement.reset() }
        while try Self.reading({ try statement.step() }) {
            let values = statement.values
            guard let key = table.key(of: values), key.isValid else {
                throw RowFolder.Mismatch(reason: "a row of \(table.name) has a key that no row may have")
            }
            let change = RowChange(table: table, operation: .insert, key: key, values: values)
            try check.check(change)
            try body(change)
        }
    }

    /// Converts errors of reading the file, which are not errors of the store.
    private static func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError { throw RowFolder.Mismatch(reason: "\(error)") }
    }
}
