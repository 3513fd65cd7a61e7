import AshlarSQLite
import SystemFoundation

/// Reads and writes a store for a stage, a few hundred rows at a time.
final class StageStore {
    /// The number of rows that are in memory at a time.
    private static let chunkSize = 256

    private let url: URL
    private let connection: Connection
    private let monitor: MigrationMonitor
    private let from: String
    private let to: String
    /// Whether the closure that received the store is still running.
    private var isOpen = true

    init(_ url: URL, _ connection: Connection, _ monitor: MigrationMonitor, from: String, to: String) {
        self.url = url
        self.connection = connection
        self.monitor = monitor
        self.from = from
        self.to = to
    }

    /// Ends the use of the store.
    func close() { isOpen = false }

    // MARK: Rows

    func forEach<Values: VersionedValues>(_ type: Values.Type, _ body: (Values) throws -> Void) throws {
        try forEachChunk(type) { try $0.forEach(body) }
    }

    func update<Values: VersionedValues>(_ type: Values.Type, _ body: (inout Values) throws -> Void) throws -> Int {
        var count = 0
        try forEachChunk(type) { chunk in
            for old in chunk {
                var new = old
                try body(&new)
                count += try write(new, over: old) ? 1 : 0
            }
        }
        return count
    }

    func delete<Values: VersionedValues>(_ type: Values.Type, where isDeleted: (Values) throws -> Bool) throws -> Int {
        var count = 0
        let table = type._ashlarTable
        try forEachChunk(type) { chunk in
            for values in chunk where try isDeleted(values) {
                let sql = "DELETE FROM \(table.name.quotedIdentifier) WHERE \"id$\" = ?1"
                try statement(sql, table) { $0.bind(values.rowID, 1) }
                count += 1
            }
        }
        return count
    }

    func insert<Values: VersionedValues>(_ values: Values) throws -> Int64 {
        let table = Values._ashlarTable
        if table.isAbstract {
            throw StoreError.invalidMigrationStage(
                from: from, to: to, reason: "it inserts an object of the abstract entity \(table.entity)")
        }
        let count = table.columns.count
        let own = table.discriminators.map { _ in ", \"entity$\"" } ?? ""
        let discriminator = table.discriminators.map { _ in ", ?\(count + 2)" } ?? ""
        let parameters = (0..<count).map { ", ?\($0 + 1)" }.joined()
        let sql = """
            INSERT INTO \(table.name.quotedIdentifier) ("id$"\(table.columnList)\(own))
            VALUES (?\(count + 1)\(parameters)\(discriminator))
            """
        try statement(sql, table) { statement in
            values._ashlarBind(to: statement)
            statement.bind(values.rowID == 0 ? nil : values.rowID, Int32(count + 1))
            if let discriminators = table.discriminators {
                statement.bind(discriminators.first ?? nil, Int32(count + 2))
            }
        }
        return connection.lastInsertedRowID
    }

    /// Sets rows of a newer version to the values that a closure computes from the older rows in a table.
    func transform<Old: VersionedValues, New: VersionedValues>(
        _ copy: String, _ old: Old.Type, _ new: New.Type, _ body: (Old, inout New) throws -> Void
    ) throws {
        try forEachChunk(new) { chunk in
            guard let first = chunk.first, let last = chunk.last else { return }
            let columns = old._ashlarTable.columns.indices.map { ", \"c\($0)\"" }.joined()
            let sql = "SELECT \"id$\"\(columns) FROM \(copy) WHERE \"id$\" BETWEEN ?1 AND ?2 ORDER BY \"id$\""
            var older = try self.values(old, sql) { statement in
                statement.bind(first.rowID, 1)
                statement.bind(last.rowID, 2)
            }[...]
            for before in chunk {
                while let next = older.first, next.rowID < before.rowID { older.removeFirst() }
                guard let match = older.first, match.rowID == before.rowID else { continue }
                var after = before
                try body(match, &after)
                _ = try write(after, over: before)
            }
        }
    }

    /// Writes a row if it changed.
    private func write<Values: VersionedValues>(_ new: Values, over old: Values) throws -> Bool {
        if new == old { return false }
        let table = Values._ashlarTable
        if new.rowID != old.rowID {
            throw StoreError.invalidMigrationStage(
                from: from, to: to, reason: "it gives row \(old.rowID) of \(table.entity) another number")
        }
        let assignments = table.columns.enumerated().map { "\($1.quotedIdentifier) = ?\($0 + 1)" }
        let number = table.columns.count + 1
        let sql = """
            UPDATE \(table.name.quotedIdentifier) SET \(assignments.joined(separator: ", "))
            WHERE "id$" = ?\(number)
            """
        try statement(sql, table) { statement in
            new._ashlarBind(to: statement)
            statement.bind(new.rowID, Int32(number))
        }
        return true
    }

    // MARK: SQL

    func execute(_ sql: String, _ values: [SQLiteValue]) throws -> Int {
        let before = connection.totalChanges
        _ = try rows(sql, values)
        return connection.totalChanges - before
    }

    func rows(_ sql: String, _ values: [SQLiteValue]) throws -> [[SQLiteValue]] {
        let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.uppercased()
        if ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"].contains(word) {
            throw StoreError.invalidMigrationStage(
                from: from, to: to, reason: "it runs \(word), and the transaction is the whole migration's")
        }
        return try doing { try monitor.watching(connection) { try connection.rows(sql, values) } }
    }

    private func statement(_ sql: String, _ table: VersionedTable, _ bind: (Statement) -> Void) throws {
        try doing {
            let statement = try connection.statement(sql)
            bind(statement)
            try statement.run()
        }
    }

    // MARK: Chunks

    /// Reads all rows of an entity in the order of their numbers, in chunks. The closure may write them.
    private func forEachChunk<Values: VersionedValues>(_ type: Values.Type, _ body: ([Values]) throws -> Void) throws {
        let table = type._ashlarTable
        let sql = """
            SELECT "id$"\(table.columnList) FROM \(table.name.quotedIdentifier)
            WHERE "id$" > ?1 AND \(table.condition) ORDER BY "id$" LIMIT \(Self.chunkSize)
            """
        var last = Int64.min
        while true {
            try monitor.checkCancellation()
            let chunk = try values(type, sql) { $0.bind(last, 1) }
            try body(chunk)
            monitor.update { $0.completedRows += chunk.count }
            guard chunk.count == Self.chunkSize, let end = chunk.last else { return }
            last = end.rowID
        }
    }

    private func values<Values: VersionedValues>(
        _ type: Values.Type, _ sql: String, _ bind: (Statement) -> Void
    ) throws -> [Values] {
        try doing {
            let statement = try connection.statement(sql)
            bind(statement)
            defer { statement.reset() }
            var result: [Values] = []
            while try statement.step() {
                let row = Row(statement: statement.handle, store: 0)
                do {
                    result.append(try Values._ashlarDecode(row))
                } catch let error as RowError {
                    let table = type._ashlarTable
                    let column = Int(error.column) - 1
                    throw StoreError.invalidValue(
                        entity: table.entity,
                        property: table.columns.indices.contains(column) ? table.columns[column] : "rowID",
                        rowID: row.optionalInt64(0) ?? 0, expected: error.expected)
                }
            }
            return result
        }
    }

    /// Adds the versions of the migration to an error of SQLite.
    private func doing<Result>(_ body: () throws -> Result) throws -> Result {
        guard isOpen else {
            throw StoreError.invalidMigrationStage(
                from: from, to: to, reason: "its store is used after the closure that was given it")
        }
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreError.migrationFailed(url, from: from, to: to, error: error)
        }
    }
}
