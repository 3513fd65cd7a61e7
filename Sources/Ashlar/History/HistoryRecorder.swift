import Foundation
import Synchronization

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// Who makes the changes of a transaction.
struct HistoryOrigin {
    var author: String?
    var contextName: String?
}

/// Gives the changes that triggers record in a transaction their entry among the transactions.
///
/// Triggers know nothing of transactions: a transaction begins by noting the number of the newest change, and ends by
/// claiming those that came since. Changes that nobody claimed are those of programs that know nothing of Ashlar. The
/// next transaction claims them on their behalf, without an author and with the time at which it found them.
final class HistoryRecorder: Sendable {
    private let bundle: String?
    private let process: String
    private let listeners = Mutex<[UUID: @Sendable () -> Void]>([:])

    init() {
        bundle = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        process = "\(ProcessInfo.processInfo.processIdentifier)"
    }

    /// The first number that changes of this transaction get. The transaction has begun.
    fileprivate func begin(_ connection: Connection) throws(SQLiteError) -> Int64 {
        let statement = try connection.statement(
            """
            SELECT (SELECT max("number") FROM "ashlar$change"), (SELECT max("last") FROM "ashlar$transaction")
            """)
        defer { statement.reset() }
        guard try statement.step() else { return 1 }
        let row = Row(statement: statement.handle, store: 0)
        let (newest, claimed) = (row.optionalInt64(0) ?? 0, row.optionalInt64(1) ?? 0)
        statement.reset()
        if newest > claimed { try claim(claimed + 1, newest, nil, connection) }
        return newest + 1
    }

    fileprivate func end(_ first: Int64, _ origin: HistoryOrigin, _ connection: Connection) throws(SQLiteError) {
        let newest = try connection.integer("SELECT max(\"number\") FROM \"ashlar$change\"") ?? 0
        if newest >= first { try claim(first, newest, origin, connection) }
    }

    private func claim(
        _ first: Int64, _ last: Int64, _ origin: HistoryOrigin?, _ connection: Connection
    ) throws(SQLiteError) {
        let statement = try connection.statement(
            """
            INSERT INTO "ashlar$transaction" ("last", "first", "timestamp", "author", "context", "bundle", "process")
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

    // MARK: Listeners

    /// Has a closure called after each commit, on the task that committed, until it is removed.
    func addListener(_ number: UUID, _ listener: @escaping @Sendable () -> Void) {
        listeners.withLock { $0[number] = listener }
    }

    func removeListener(_ number: UUID) { _ = listeners.withLock { $0.removeValue(forKey: number) } }

    /// Tells that a transaction was committed. The caller need not hold the connection any more.
    fileprivate func didCommit() {
        for listener in listeners.withLock({ Array($0.values) }) { listener() }
    }
}

extension Connection {
    /// Runs what a transaction changes, between its beginning and its commit, and has the history know whose it is.
    ///
    /// Where the store has no history, this is the closure and nothing else.
    func recordingHistory<Result>(
        of origin: @autoclosure () -> HistoryOrigin, _ body: () throws -> Result
    ) throws -> Result {
        guard let history else { return try body() }
        let first = try history.begin(self)
        let result = try body()
        try history.end(first, origin(), self)
        return result
    }

    /// Tells those who follow the history that a transaction was committed.
    func historyDidCommit() { history?.didCommit() }

    /// Runs a closure that inserts new objects of one entity, with identifiers that no row ever had and that follow one
    /// another, and records them as one change rather than one by one. The closure gives how many they were.
    ///
    /// Where identifiers were left out between them, or a trigger of somebody's inserted others, all that are new are
    /// recorded one by one. Insertions into other tables are recorded as ever. The store's history may be off. There is
    /// a transaction, which is rolled back after an error.
    func recordingInsertions(of entity: EntityDescription, _ body: () throws -> Int) throws {
        guard history != nil else {
            _ = try body()
            return
        }
        let before = try usedIdentifier(of: entity)
        let pause = try statement(
            """
            UPDATE "ashlar$historyState" SET "pausedEntity" =
                (SELECT min("number") FROM "ashlar$historyEntity" WHERE "table" = ?1)
            """)
        pause.bind(entity.tableName, 1)
        try pause.run()
        let count = try body()
        try execute("UPDATE \"ashlar$historyState\" SET \"pausedEntity\" = 0")
        let last = try usedIdentifier(of: entity)
        guard last > before,
            let number = try integer(
                """
                SELECT "number" FROM "ashlar$historyEntity" WHERE "table" = ?1 AND "entity" IS ?2 AND "group" = 0
                """, [.text(entity.tableName), SQLiteValue(entity.discriminator)])
        else { return }
        let isDense = last - before == Int64(count)
        let statement = try statement(
            isDense
                ? """
                INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail") VALUES (?1, ?2 + 1, 0, ?3)
                """
                : """
                INSERT INTO "ashlar$change" ("entity", "row", "kind")
                SELECT \(entity.hasDiscriminator ? Self.numberOfRow(entity) : "?1"), "id$", 0
                FROM \(entity.tableName.quotedIdentifier) WHERE "id$" > ?2 AND "id$" <= ?3 ORDER BY "id$"
                """)
        statement.bind(number, 1)
        statement.bind(before, 2)
        statement.bind(last, 3)
        try statement.run()
    }

    /// The number of the entity of a row, of which there are several in the table.
    private static func numberOfRow(_ entity: EntityDescription) -> String {
        """
        coalesce((SELECT e."number" FROM "ashlar$historyEntity" AS e
            WHERE e."table" = \(entity.tableName.quotedLiteral) AND e."group" = 0
            AND e."entity" IS \(entity.tableName.quotedIdentifier)."entity$"), ?1)
        """
    }

    private func usedIdentifier(of entity: EntityDescription) throws(SQLiteError) -> Int64 {
        try integer("SELECT \"seq\" FROM \"sqlite_sequence\" WHERE \"name\" = ?1", [.text(entity.tableName)]) ?? 0
    }
}
