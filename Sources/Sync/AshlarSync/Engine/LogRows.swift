import Ashlar
import AshlarSQLite
public import Foundation

/// The rows of a log in a store of their own. Every site that has read the same entries and saved nothing has the same
/// rows.
///
/// A hub has one for each log with a model. It follows entries and snapshots with the code of sites, so that hubs and
/// sites leave out the same ones. ``commit()`` keeps the changes. The store is a file that SQLite deletes when it is
/// closed: the log has the same data.
@_spi(Hub) public final class LogRows {
    /// The hash of the rows' version of the model.
    public let modelHash: String
    private let connection: Connection
    private let tables: SyncedTables
    private let shadow: ShadowTables
    private let rowCheck: RowCheck
    private let logged: LoggedColumns

    /// Makes a store without rows.
    ///
    /// - Parameters:
    ///   - model: The model. The rows have its current version.
    ///   - narrowColumns: The columns that take fewer values than SQLite lets them have, by tables and names.
    package init(_ model: ModelDescription, narrowColumns: [String: [String: NarrowColumn]]) throws {
        modelHash = model.versions.last?.versionHash ?? ""
        connection = try model.temporaryStore()
        let changed = ChangedTables(model, connection)
        tables = try SyncedTables(changed)
        shadow = ShadowTables(tables: tables, connection: connection)
        rowCheck = RowCheck(changed, narrowColumns)
        logged = LoggedColumns(model)
        for statement in SyncState.definitions { try connection.execute(statement) }
        try SyncState(site: UUID(), modelHash: modelHash, file: "").write(connection)
        try shadow.prepare()
        schema = tables.all.map { table in
            let keys = table.stored.keyNames
            let others = table.stored.columns.filter { table.stored.isWritable($0) }
            return Table(name: table.name, columns: keys + others, keyCount: keys.count)
        }
    }

    // MARK: Following

    /// Begins a transaction.
    public func begin() throws { try connection.execute("BEGIN IMMEDIATE") }

    /// Keeps the changes since ``begin()``.
    public func commit() throws { try connection.execute("COMMIT") }

    /// Undoes the changes since ``begin()``, if there is such a transaction.
    public func rollBack() { try? connection.execute("ROLLBACK") }

    /// Reads the rows of a snapshot into an empty store.
    ///
    /// - Throws: ``SyncError/badSnapshot(_:reason:)`` if the file is not a sound store of the rows that its description
    ///   says.
    public func read(_ snapshot: SyncSnapshot, from file: URL) throws {
        do {
            try SnapshotFile.check(file, of: snapshot)
            let rows = try SnapshotRows(file)
            try SyncState.setRecording(false, connection)
            var folder = RowFolder(connection)
            for table in tables.all {
                var (next, size): ([RowChange], Int) = ([], 0)
                try rows.forEach(of: table, rowCheck) { change in
                    next.append(change)
                    size += change.byteCount
                    guard next.count == table.rowsPerInsertion || size >= 1 << 20 else { return }
                    try folder.write(next[...])
                    (next, size) = ([], 0)
                }
                try folder.write(next[...])
            }
            try folder.finish()
            try SyncState.setRecording(true, connection)
            if let expected = snapshot.rows, try rowsHash() != expected {
                throw SyncError.badSnapshot(snapshot.id, reason: "its rows are others than its description says")
            }
        } catch {
            throw SnapshotFile.error(error, of: snapshot)
        }
    }

    /// Applies an entry to the rows.
    ///
    /// - Parameter value: Reads a large value of the log by its hash.
    /// - Returns: The reason for which all sites leave the entry out; nil if they follow it.
    public func follow(_ logged: LoggedSyncEntry, value: (String) throws -> Data) throws -> String? {
        let entry = logged.entry
        if let reason = entry.reasonToLeaveOut(fromRowsOf: modelHash) { return reason }
        do {
            var values: [String: Data] = [:]
            for hash in try EntryBody.largeValues(of: entry, tables, exceptOf: self.logged) {
                values[hash] = try value(hash)
            }
            let changes = try EntryBody.changes(
                in: entry.body, tables, largeValues: values, check: rowCheck.check)
            try connection.execute("SAVEPOINT \"ashlar$entry\"")
            do {
                var folder = RowFolder(connection)
                try folder.fold(changes)
            } catch {
                try connection.execute("ROLLBACK TO \"ashlar$entry\"")
                try connection.execute("RELEASE \"ashlar$entry\"")
                throw error
            }
            try connection.execute("RELEASE \"ashlar$entry\"")
            return nil
        } catch let error as EntryBody.Malformed {
            return error.reason
        } catch let error as RowFolder.Mismatch {
            return error.reason
        }
    }

    // MARK: Reading

    /// A table of the rows.
    public struct Table: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// The columns, the key's first, without those whose values each store counts or derives by itself.
        public var columns: [String]
        /// The number of columns that are the key.
        public var keyCount: Int
    }

    /// A row that changed.
    public struct Change: Sendable, Hashable {
        /// The name of its table.
        public var table: String
        /// The values of the key.
        public var key: [Int64]
        /// The values in the order of the table's columns; nil if the row is gone.
        public var values: [Value]?
    }

    /// A value as it is stored.
    public enum Value: Sendable, Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case bytes(Data)
        /// A large value that stores read from the log on demand.
        case largeValue(hash: String)
    }

    /// All tables, by name.
    public let schema: [Table]

    /// The hash of the rows, which is the same at all stores.
    public func rowsHash() throws -> String { try RowsHash.of(tables, connection) }

    /// Calls a closure with the values of each row of a table, in the order of its columns.
    public func forEach(of table: Table, _ body: ([Value]) throws -> Void) throws {
        let list = table.columns.map(\.quotedIdentifier).joined(separator: ", ")
        let statement = try connection.statement("SELECT \(list) FROM \(table.name.quotedIdentifier)")
        defer { statement.reset() }
        while try statement.step() { try body(statement.values.map(Value.init)) }
    }

    /// Returns the rows that changed since the function was last called, as they are now.
    public func takeChanges() throws -> [Change] {
        var changes: [Change] = []
        for table in schema {
            let changed = try shadow.changedKeys(of: table.name)
            if changed.isEmpty { continue }
            let list = table.columns.map(\.quotedIdentifier).joined(separator: ", ")
            let condition = table.columns.prefix(table.keyCount).enumerated()
                .map { "\($1.quotedIdentifier) = ?\($0 + 1)" }.joined(separator: " AND ")
            let query = "SELECT \(list) FROM \(table.name.quotedIdentifier) WHERE \(condition)"
            for key in changed {
                let row = try connection.rows(query, key.values).first
                changes.append(
                    Change(
                        table: table.name, key: [key.first] + (key.second.map { [$0] } ?? []),
                        values: row.map { $0.map(Value.init) }))
            }
        }
        if !changes.isEmpty { try shadow.clear() }
        return changes
    }
}

extension LogRows.Value {
    fileprivate init(_ value: SQLiteValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .text(let text): self = .text(text)
        case .blob(let bytes):
            if let hash = TaggedBlob.loggedHash(bytes) {
                self = .largeValue(hash: hash)
            } else {
                let isTagged = TaggedBlob.isTagged(bytes) && bytes.starts(with: TaggedBlob.inlineTag)
                self = .bytes(isTagged ? bytes.dropFirst(TaggedBlob.inlineTag.count) : bytes)
            }
        }
    }
}

extension ModelDescription {
    /// A store of the current version without objects, in a file that SQLite deletes when the connection closes.
    fileprivate func temporaryStore() throws(SQLiteError) -> Connection {
        let connection = try Connection(path: "", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        for statement in schema { try connection.execute(statement) }
        try connection.execute("PRAGMA foreign_keys = ON")
        return connection
    }
}
