import AshlarSQLite
import Synchronization
import SystemFoundation

/// The origin of a transaction's changes.
package struct HistoryOrigin {
    package var author: String?
    package var contextName: String?

    package init(author: String? = nil, contextName: String? = nil) {
        self.author = author
        self.contextName = contextName
    }
}

/// Assigns the changes that triggers record to transactions.
///
/// Triggers have no information about transactions. At its beginning, a transaction notes the number of the newest
/// change; at its end, it claims the later ones. Unclaimed changes come from programs that do not use Ashlar. The next
/// transaction claims them separately, without an author and with the time at which it found them. A transaction that
/// writes several stores is recorded in each of them.
package final class HistoryRecorder: Sendable {
    /// The numbers of a store's changes at the beginning of a transaction.
    fileprivate struct Beginning {
        var newest: Int64
        var claimed: Int64
    }

    /// The stores whose history is on, by their schema names in the connection.
    private let schemaNames: [String]
    private let bundle: String?
    private let process: String
    private let listeners = Mutex<[UUID: @Sendable () -> Void]>([:])

    init(schemaNames: [String] = ["main"]) {
        self.schemaNames = schemaNames
        bundle = Program.bundleIdentifier ?? ProcessInfo.processInfo.processName
        process = "\(ProcessInfo.processInfo.processIdentifier)"
    }

    /// Notes the numbers of the changes. Call it after the beginning of the transaction.
    fileprivate func begin(_ connection: Connection) throws(SQLiteError) -> [Beginning] {
        var beginnings: [Beginning] = []
        for schemaName in schemaNames { beginnings.append(try beginning(connection, schemaName)) }
        return beginnings
    }

    private func beginning(_ connection: Connection, _ schemaName: String) throws(SQLiteError) -> Beginning {
        let statement = try connection.statement(
            """
            SELECT (SELECT max("number") FROM \(schemaName)."ashlar$change"),
                (SELECT max("last") FROM \(schemaName)."ashlar$transaction")
            """)
        defer { statement.reset() }
        guard try statement.step() else { return Beginning(newest: 0, claimed: 0) }
        let row = Row(statement: statement.handle, store: 0)
        return Beginning(newest: row.optionalInt64(0) ?? 0, claimed: row.optionalInt64(1) ?? 0)
    }

    fileprivate func end(
        _ beginnings: [Beginning], _ origin: HistoryOrigin, _ connection: Connection
    ) throws(SQLiteError) {
        for (schemaName, before) in zip(schemaNames, beginnings) {
            let newest =
                try connection.integer("SELECT max(\"number\") FROM \(schemaName).\"ashlar$change\"") ?? 0
            // A store that was only read is not locked for writing.
            if newest <= before.newest { continue }
            if before.newest > before.claimed {
                try claim(before.claimed + 1, before.newest, nil, connection, schemaName)
            }
            try claim(before.newest + 1, newest, origin, connection, schemaName)
        }
    }

    /// Assigns changes of other programs to a transaction. It requires a transaction that may write the store.
    func claimForeignChanges(_ connection: Connection, _ schemaName: String) throws(SQLiteError) {
        let before = try beginning(connection, schemaName)
        if before.newest > before.claimed {
            try claim(before.claimed + 1, before.newest, nil, connection, schemaName)
        }
    }

    private func claim(
        _ first: Int64, _ last: Int64, _ origin: HistoryOrigin?, _ connection: Connection, _ schemaName: String
    ) throws(SQLiteError) {
        let statement = try connection.statement(
            """
            INSERT INTO \(schemaName)."ashlar$transaction"
                ("last", "first", "timestamp", "author", "context", "bundle", "process")
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        statement.bind(last, 1)
        statement.bind(first, 2)
        statement.bind(Date().timeIntervalSinceReferenceDate, 3)
        statement.bind(SQLiteValue(origin?.author), 4)
        statement.bind(SQLiteValue(origin?.contextName), 5)
        statement.bind(SQLiteValue(origin == nil ? nil : bundle), 6)
        statement.bind(SQLiteValue(origin == nil ? nil : process), 7)
        try statement.run()
    }

    /// Returns whether the history of a store is on.
    func records(_ schemaName: String) -> Bool { schemaNames.contains(schemaName) }

    // MARK: Listeners

    /// Adds a closure that is called after each commit, on the task that committed, until it is removed.
    package func addListener(_ number: UUID, _ listener: @escaping @Sendable () -> Void) {
        listeners.withLock { $0[number] = listener }
    }

    package func removeListener(_ number: UUID) { _ = listeners.withLock { $0.removeValue(forKey: number) } }

    /// Notifies the listeners of a commit. The caller need not hold the connection any more.
    fileprivate func didCommit() {
        for listener in listeners.withLock({ Array($0.values) }) { listener() }
    }
}

extension Connection {
    /// Runs the changes of a transaction, between its beginning and its commit, and records their origin in the
    /// history.
    ///
    /// If the store has no history, it only runs the closure.
    package func recordingHistory<Result>(
        of origin: @autoclosure () -> HistoryOrigin, _ body: () throws -> Result
    ) throws -> Result {
        guard let history = state.history else { return try body() }
        let beginnings = try history.begin(self)
        let result = try body()
        try history.end(beginnings, origin(), self)
        return result
    }

    /// Runs a transaction of a program that writes a store's file without a container, and records its author in the
    /// history if the store has one.
    package func write<Result>(byAuthor author: String, _ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        return try finishTransaction {
            state.history = try schema().hasTable("ashlar$transaction") ? HistoryRecorder() : nil
            return try recordingHistory(of: HistoryOrigin(author: author, contextName: nil), body)
        }
    }

    /// Notifies the listeners of the history of a commit.
    func historyDidCommit() { state.history?.didCommit() }

    /// Runs a closure that inserts objects of one entity, with consecutive and previously unused identifiers, and
    /// records them as one change. The closure returns their number.
    ///
    /// If the identifiers have gaps, or a trigger of another program inserted rows, the new rows are recorded one by
    /// one. Insertions into other tables are recorded as usual. The store's history may be off. It requires a
    /// transaction, which is rolled back after an error.
    ///
    /// - Parameter schemaName: The schema name of the entity's store in the connection.
    func recordingInsertions(
        of entity: EntitySchema, in schemaName: String, _ body: () throws -> Int
    ) throws {
        guard state.history?.records(schemaName) == true else {
            _ = try body()
            return
        }
        let before = try usedIdentifier(of: entity, in: schemaName)
        let known = try identifiers(of: entity, in: schemaName, above: before)
        let pause = try statement(
            """
            UPDATE \(schemaName)."ashlar$historyState" SET "pausedEntity" =
                (SELECT min("number") FROM \(schemaName)."ashlar$historyEntity" WHERE "table" = ?1)
            """)
        pause.bind(entity.tableName, 1)
        try pause.run()
        let count = try body()
        try execute("UPDATE \(schemaName).\"ashlar$historyState\" SET \"pausedEntity\" = 0")
        let last = try usedIdentifier(of: entity, in: schemaName)
        guard last > before,
            let number = try integer(
                """
                SELECT "number" FROM \(schemaName)."ashlar$historyEntity"
                WHERE "table" = ?1 AND "entity" IS ?2 AND "group" = 0
                """, [.text(entity.tableName), SQLiteValue(entity.discriminator)])
        else { return }
        let isDense = known == nil && last &- before == Int64(count)
        let statement = try statement(
            isDense
                ? """
                INSERT INTO \(schemaName)."ashlar$change" ("entity", "row", "kind", "detail")
                VALUES (?1, ?2 + 1, 0, ?3)
                """
                : """
                INSERT INTO \(schemaName)."ashlar$change" ("entity", "row", "kind")
                SELECT \(entity.hasDiscriminator ? Self.numberOfRow(entity, schemaName) : "?1"), "id$", 0
                FROM \(entity.tableName.quotedIdentifier) WHERE "id$" > ?2 AND "id$" <= ?3
                AND "id$" NOT IN (SELECT "value" FROM json_each(?4)) ORDER BY "id$"
                """)
        statement.bind(number, 1)
        statement.bind(before, 2)
        statement.bind(last, 3)
        if !isDense { statement.bind(SQLiteValue.text(known ?? "[]"), 4) }
        try statement.run()
    }

    /// Returns the rows with numbers that the store has not assigned yet, as JSON; nil, the usual case, if there are
    /// none. Another program may have renumbered rows.
    private func identifiers(
        of entity: EntitySchema, in schemaName: String, above used: Int64
    ) throws(SQLiteError) -> String? {
        // Rows in the ranges of other stores lie beyond the store's own range.
        let limit = state.identifierRanges[schemaName]?.numbers.upperBound ?? .max
        let table = "\(schemaName).\(entity.tableName.quotedIdentifier)"
        guard
            try integer(
                "SELECT 1 FROM \(table) WHERE \"id$\" > ?1 AND \"id$\" <= ?2 LIMIT 1",
                [.integer(used), .integer(limit)])
                != nil
        else { return nil }
        return try text(
            "SELECT json_group_array(\"id$\") FROM \(table) WHERE \"id$\" > ?1 AND \"id$\" <= ?2",
            [.integer(used), .integer(limit)])
    }

    /// Returns the SQL expression of the entity's number for a row of a table with several entities.
    private static func numberOfRow(_ entity: EntitySchema, _ schemaName: String) -> String {
        """
        coalesce((SELECT e."number" FROM \(schemaName)."ashlar$historyEntity" AS e
            WHERE e."table" = \(entity.tableName.quotedLiteral) AND e."group" = 0
            AND e."entity" IS \(entity.tableName.quotedIdentifier)."entity$"), ?1)
        """
    }

    private func usedIdentifier(
        of entity: EntitySchema, in schemaName: String
    ) throws(SQLiteError) -> Int64 {
        try integer(
            "SELECT \"seq\" FROM \(schemaName).\"sqlite_sequence\" WHERE \"name\" = ?1", [.text(entity.tableName)])
            ?? 0
    }
}
