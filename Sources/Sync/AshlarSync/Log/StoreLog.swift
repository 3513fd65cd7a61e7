import AshlarSQLite
public import Foundation
import Synchronization

/// A log in an SQLite file, for the programs of one machine.
///
///     let log = try StoreLog(at: directory.appendingPathComponent("feed.log"))
///
/// Any number of programs may open the file at once. It also contains snapshots and large values. Waiting for entries
/// checks the file every ten milliseconds.
public final class StoreLog: SyncLog {
    private let connection: Mutex<Connection>
    private let url: URL

    /// Opens the log in a file, which is created if it does not exist.
    ///
    ///     let log = try StoreLog(at: url)
    ///
    /// - Parameter url: The file.
    /// - Throws: ``SyncLogError/refused(reason:)`` if the file is not a log or has a newer format, or
    ///   ``SyncLogError/unreachable(reason:)`` if it cannot be opened now.
    public init(at url: URL) throws {
        self.url = url
        do {
            let connection = try Connection(
                opening: url.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, busyTimeout: 10_000)
            try StoreLogFile.prepare(connection, url.path)
            self.connection = Mutex(connection)
        } catch let error as SQLiteError {
            throw Self.error(error, url)
        }
    }

    /// The greatest number of bytes of an entry or a value.
    private static let longest: Int64 = 1 << 28
    /// The greatest position of an entry. A greater number in a file that is not trusted is an error.
    private static let lastPosition: Int64 = 1 << 62

    private static func error(_ error: SQLiteError, _ url: URL) -> SyncLogError {
        let isFinal = error.code == SQLITE_NOTADB || error.code == SQLITE_CORRUPT
        let reason = "\(url.path): \(error)"
        return isFinal ? .refused(reason: reason) : .unreachable(reason: reason)
    }

    private func read<Result>(_ body: (Connection) throws -> sending Result) throws -> sending Result {
        try connection.withLock { connection in
            do {
                try connection.execute("PRAGMA foreign_keys = ON")
                return try body(connection)
            } catch let error as SQLiteError {
                throw Self.error(error, url)
            }
        }
    }

    private func write<Result>(_ body: (Connection) throws -> sending Result) throws -> sending Result {
        try read { connection in
            try connection.execute("BEGIN IMMEDIATE")
            do {
                let result = try body(connection)
                try connection.execute("COMMIT")
                return result
            } catch {
                try? connection.rollBack()
                throw error
            }
        }
    }

    private static func head(_ connection: Connection) throws -> Int64 {
        // Positions of compacted entries are not given again.
        let head = try connection.integer("SELECT \"seq\" FROM \"sqlite_sequence\" WHERE \"name\" = 'entry'") ?? 0
        return try checked(head)
    }

    private static func checked(_ position: Int64) throws -> Int64 {
        guard (0...lastPosition).contains(position) else {
            throw SyncLogError.refused(reason: "the log is damaged: it has the position \(position)")
        }
        return position
    }

    /// Returns a value of the table with one row.
    private static func state(_ column: String, _ connection: Connection) throws -> Int64 {
        let rows = try connection.rows("SELECT \(column.quotedIdentifier) FROM \"state\"")
        guard rows.count == 1, case .integer(let number) = rows[0][0] else {
            throw SyncLogError.refused(reason: "the log is damaged: it does not say its \(column)")
        }
        return number
    }

    // MARK: Entries

    public func head() async throws -> Int64 { try read { try Self.head($0) } }

    public func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
        let content = try JSONEncoder().encode(entry)
        guard content.count <= Self.longest else { throw SyncLogError.tooLarge(limit: Self.longest) }
        let site = SQLiteValue.blob(entry.site.bytes)
        let result: SyncAppendResult = try write { connection in
            let known = try connection.integer(
                "SELECT \"position\" FROM \"entry\" WHERE \"site\" = ?1 AND \"count\" = ?2",
                [site, .integer(entry.count)])
            if let known {
                guard Self.isSame(entry.id, try Self.identity(known, connection)) else {
                    throw SyncLogError.countTaken(entry.count)
                }
                return .appended(position: known)
            }
            let current = try Self.head(connection)
            if current != head { return .moved(head: current) }
            guard Self.isSame(entry.previous, try Self.identity(head, connection)) else {
                throw SyncLogError.otherEntry(position: head)
            }
            for hash in entry.largeValues ?? [] {
                let known = try connection.integer("SELECT 1 FROM \"value\" WHERE \"hash\" = ?1", [.text(hash)])
                if known == nil { throw SyncLogError.missing("the value \(hash)") }
            }
            if let snapshot = entry.snapshot {
                let id = SQLiteValue.blob(snapshot.bytes)
                let proposed = try connection.integer(
                    "SELECT \"position\" FROM \"snapshot\" WHERE \"id\" = ?1 AND \"isProposed\" = 1", [id])
                guard proposed == head + 1 else { throw SyncLogError.missing("the snapshot \(snapshot)") }
                try connection.run("UPDATE \"snapshot\" SET \"isProposed\" = 0 WHERE \"id\" = ?1", [id])
            }
            try connection.run(
                "INSERT INTO \"entry\" (\"site\", \"count\", \"content\") VALUES (?1, ?2, ?3)",
                [site, .integer(entry.count), .blob(content)])
            guard connection.lastInsertedRowID == head + 1 else {
                throw SyncLogError.refused(reason: "the log is damaged: it has entries after its last one")
            }
            if let id = entry.id {
                try connection.run(
                    "INSERT INTO \"identity\" (\"position\", \"id\") VALUES (?1, ?2)",
                    [.integer(head + 1), .blob(id.bytes)])
            }
            return .appended(position: head + 1)
        }
        guard case .moved(let newest, _) = result else { return result }
        return try await .outdated(after: head, head: newest, in: self)
    }

    private static func identity(_ position: Int64, _ connection: Connection) throws -> UUID? {
        let rows = try connection.rows(
            "SELECT \"id\" FROM \"identity\" WHERE \"position\" = ?1", [.integer(position)])
        guard case .blob(let bytes)? = rows.first?.first else { return nil }
        return UUID(bytes: bytes)
    }

    /// Whether two identities are the same. Entries of earlier versions have none.
    private static func isSame(_ left: UUID?, _ right: UUID?) -> Bool { left == nil || right == nil || left == right }

    public func standing(of site: UUID, at position: Int64) async throws -> SyncStanding {
        try read { connection in
            let count = try connection.integer(
                "SELECT max(\"count\") FROM \"entry\" WHERE \"site\" = ?1", [.blob(site.bytes)])
            return SyncStanding(
                head: try Self.head(connection), entry: try Self.identity(position, connection), count: count ?? 0)
        }
    }

    public func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        let rows = try read { connection in
            let compacted = try Self.checked(Self.state("compacted", connection))
            if position < compacted { throw SyncLogError.compacted(oldest: compacted + 1) }
            let statement = try connection.statement(
                """
                SELECT "position", CASE WHEN length("content") <= ?3 THEN "content" END FROM "entry"
                WHERE "position" > ?1 ORDER BY "position" LIMIT ?2
                """)
            defer { statement.reset() }
            statement.bind([.integer(position), .integer(Int64(max(1, limit))), .integer(Self.longest)])
            var rows: [[SQLiteValue]] = []
            // The limit keeps one call from returning more than fits into memory.
            var count = 0
            while count < SyncAppendResult.entryBytes, try statement.step() {
                count += statement.bytes(1).count
                rows.append(statement.values)
            }
            return rows
        }
        return try rows.map { row in
            guard case .integer(let position) = row[0], case .blob(let content) = row[1],
                let entry = try? JSONDecoder().decode(SyncEntry.self, from: content)
            else { throw SyncLogError.refused(reason: "an entry in \(url.path) is damaged") }
            return LoggedSyncEntry(position: position, entry: entry)
        }
    }

    public func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
        let end = ContinuousClock.now + duration
        while true {
            let head = try await head()
            if head > position || ContinuousClock.now >= end { return head }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    // MARK: Numbers

    public func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
        guard (1...SyncIdentifiers.greatestLeaseCount).contains(count) else {
            throw SyncLogError.refused(reason: "\(count) numbers cannot be leased at once")
        }
        return try write { connection in
            let first = try Self.state("nextIdentifier", connection)
            guard first >= SyncIdentifiers.firstLeased else {
                throw SyncLogError.refused(reason: "the log is damaged: its next number is \(first)")
            }
            let (next, isTooMany) = first.addingReportingOverflow(count)
            guard !isTooMany, next <= SyncIdentifiers.firstProvisional else {
                throw SyncLogError.refused(reason: "the log has no more numbers")
            }
            try connection.run("UPDATE \"state\" SET \"nextIdentifier\" = ?1", [.integer(next)])
            return first...(next - 1)
        }
    }

    // MARK: Snapshots

    private static let partSize = 1 << 20

    public func snapshots() async throws -> [SyncSnapshot] { try read { try Self.snapshots($0) } }

    private static func snapshots(_ connection: Connection) throws -> [SyncSnapshot] {
        let rows = try connection.rows(
            "SELECT \"description\" FROM \"snapshot\" WHERE \"isProposed\" = 0 ORDER BY \"position\", \"id\"")
        return try rows.map { row in
            guard case .blob(let text) = row[0],
                var found = try? JSONDecoder().decode(SyncSnapshot.self, from: text),
                (0...lastPosition).contains(found.position), found.byteCount >= 0
            else { throw SyncLogError.refused(reason: "a snapshot in the log is damaged") }
            found.isProposed = false
            return found
        }
    }

    public func add(_ snapshot: SyncSnapshot, from file: URL) async throws {
        guard try snapshot.hasBytes(of: file) else {
            throw SyncLogError.refused(reason: "the snapshot has other bytes than its description says")
        }
        let description = try JSONEncoder().encode(snapshot)
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        try write { connection in
            let id = SQLiteValue.blob(snapshot.id.bytes)
            if try connection.integer("SELECT 1 FROM \"snapshot\" WHERE \"id\" = ?1", [id]) != nil { return }
            if snapshot.position == 0 {
                let isBegun = try connection.integer(
                    "SELECT EXISTS (SELECT 1 FROM \"snapshot\" WHERE \"isProposed\" = 0)")
                if try isBegun == 1 || Self.head(connection) > 0 { throw SyncLogError.alreadyBegun }
            }
            try snapshot.requirePosition(head: Self.head(connection))
            try snapshot.requireAgreement(with: Self.snapshots(connection))
            try connection.run(
                "INSERT INTO \"snapshot\" (\"id\", \"position\", \"isProposed\", \"description\") VALUES (?1, ?2, ?3, ?4)",
                [id, .integer(snapshot.position), .integer(snapshot.isProposed ? 1 : 0), .blob(description)])
            var number: Int64 = 0
            while let bytes = try handle.read(upToCount: Self.partSize), !bytes.isEmpty {
                try connection.run(
                    "INSERT INTO \"part\" (\"snapshot\", \"number\", \"bytes\") VALUES (?1, ?2, ?3)",
                    [id, .integer(number), .blob(bytes)])
                number += 1
            }
        }
    }

    public func read(_ snapshot: SyncSnapshot, to file: URL) async throws {
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try read { connection in
            let id = SQLiteValue.blob(snapshot.id.bytes)
            guard try connection.integer("SELECT 1 FROM \"snapshot\" WHERE \"id\" = ?1", [id]) != nil else {
                throw SyncLogError.missing("the snapshot \(snapshot.id)")
            }
            let statement = try connection.statement(
                "SELECT \"bytes\" FROM \"part\" WHERE \"snapshot\" = ?1 ORDER BY \"number\"")
            defer { statement.reset() }
            statement.bind([id])
            while try statement.step() {
                if case .blob(let bytes)? = statement.values.first { try handle.write(contentsOf: bytes) }
            }
        }
    }

    public func compact(through position: Int64) async throws {
        try write { connection in
            let newest = try connection.integer(
                "SELECT max(\"position\") FROM \"snapshot\" WHERE \"isProposed\" = 0 AND \"position\" <= ?1",
                [.integer(position)])
            guard let newest else { return }
            try connection.run("DELETE FROM \"snapshot\" WHERE \"position\" < ?1", [.integer(newest)])
            try connection.run(
                // The rows of the entries stay, so that a sender whose answer was lost learns that its entry arrived.
                "UPDATE \"entry\" SET \"content\" = NULL WHERE \"position\" <= ?1 AND \"content\" IS NOT NULL",
                [.integer(newest)])
            try connection.run("UPDATE \"state\" SET \"compacted\" = max(\"compacted\", ?1)", [.integer(newest)])
        }
    }

    // MARK: Large values

    public func add(_ value: Data, hash: String) async throws {
        guard value.count <= Self.longest else { throw SyncLogError.tooLarge(limit: Self.longest) }
        try write { connection in
            if try connection.integer("SELECT 1 FROM \"value\" WHERE \"hash\" = ?1", [.text(hash)]) != nil { return }
            try connection.run(
                "INSERT INTO \"value\" (\"hash\", \"bytes\") VALUES (?1, ?2)", [.text(hash), .blob(value)])
        }
    }

    public func value(hash: String) async throws -> Data {
        let rows = try read {
            try $0.rows(
                "SELECT CASE WHEN length(\"bytes\") <= ?2 THEN \"bytes\" END FROM \"value\" WHERE \"hash\" = ?1",
                [.text(hash), .integer(Self.longest)])
        }
        guard case .blob(let bytes)? = rows.first?.first else { throw SyncLogError.missing("the value \(hash)") }
        return bytes
    }
}

extension Connection {
    /// Runs a statement that gives no rows.
    func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        let statement = try statement(sql)
        statement.bind(values)
        try statement.run()
    }
}

extension UUID {
    /// The 16 bytes.
    var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}
