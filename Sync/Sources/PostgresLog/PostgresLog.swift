@_spi(Hub) public import AshlarSync
public import Foundation
import Synchronization

/// A log that PostgreSQL keeps.
///
///     let database = PostgresDatabase("postgresql://hub@db/ashlar")
///     try await database.migrate()
///     let log = try await PostgresLog("feed", in: database)
///
/// For servers that share a network with the database; all other programs use a hub. An appended entry is as safe as
/// PostgreSQL's commit.
public final class PostgresLog: SyncLog {
    private let database: PostgresDatabase
    private let number: Int64
    /// The holder whose sites it may use; empty for programs that use the database itself.
    private let holder: String
    private static let partSize = 1 << 20

    /// Opens the log of a name, and creates it if it does not exist.
    ///
    /// - Throws: ``SyncLogError``, also if ``PostgresDatabase/migrate()`` was never called.
    public init(_ name: String, in database: PostgresDatabase) async throws {
        self.database = database
        number = try await database.number(ofLog: name)
        holder = ""
    }

    private init(_ log: PostgresLog, holder: String) {
        (database, number, self.holder) = (log.database, log.number, holder)
    }

    /// Returns the log for the holder of a token, which may append only as a new site or one of its own.
    public func forHolder(_ holder: String) -> PostgresLog { PostgresLog(self, holder: holder) }

    /// Refuses a site that belongs to another holder.
    private func requireOwnSite(_ site: UUID) async throws {
        let use = PostgresSiteUse(log: number, site: site, holder: holder)
        if database.knows(use) { return }
        let values: [PostgresValue] = [.integer(number), .text(site.uuidString), .text(holder)]
        let rows = try await database.use { try $0.run("SELECT ashlar_bind($1, $2, $3)", values) }
        guard rows.first?.first == holder else {
            throw SyncLogError.forbidden(
                reason:
                    "the site \(site) belongs to another token. Renew that one, or have the hub's administrator release the site"
            )
        }
        database.note(use)
    }

    /// Refuses an entry that lists a large value which the log does not have. Values that it has are not removed.
    private func requireLargeValues(_ entry: SyncEntry) async throws {
        guard let hashes = entry.largeValues, !hashes.isEmpty else { return }
        let values: [PostgresValue] = [.texts(hashes), .integer(number)]
        let rows = try await database.use {
            try $0.run(
                """
                SELECT h.hash FROM unnest($1::text[]) AS h(hash)
                WHERE NOT EXISTS (SELECT 1 FROM ashlar_value v WHERE v.log = $2 AND v.hash = h.hash) LIMIT 1
                """, values)
        }
        if let hash = rows.first?.first ?? nil { throw SyncLogError.missing("the value \(hash)") }
    }

    // MARK: Entries

    public func head() async throws -> Int64 {
        let number = number
        let rows = try await database.use {
            try $0.run("SELECT head FROM ashlar_log WHERE id = $1", [.integer(number)])
        }
        return try Self.integer(rows.first?.first)
    }

    static func integer(_ text: String??) throws -> Int64 {
        guard let text = text ?? nil, let number = Int64(text) else {
            throw SyncLogError.malformed(reason: "the database has no number where one should be")
        }
        return number
    }

    public func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
        try await requireOwnSite(entry.site)
        try await requireLargeValues(entry)
        let content = try JSONEncoder().encode(entry)
        let wanted = PostgresAppend(
            log: number, head: head, site: entry.site, count: entry.count, content: content, snapshot: entry.snapshot,
            id: entry.id, previous: entry.previous)
        let answer = try await database.append(wanted)
        switch answer.refusal {
        case "count": throw SyncLogError.countTaken(entry.count)
        case "previous": throw SyncLogError.otherEntry(position: head)
        default: break
        }
        if let position = answer.position { return .appended(position: position) }
        guard let newest = answer.head else {
            throw SyncLogError.malformed(reason: "an append gave neither a position nor a head")
        }
        return try await .outdated(after: head, head: newest, in: self)
    }

    public func standing(of site: UUID, at position: Int64) async throws -> SyncStanding {
        let number = number
        let rows = try await database.use {
            try $0.run(
                """
                SELECT head, (SELECT id FROM ashlar_entry WHERE log = $1 AND position = $2),
                    coalesce((SELECT max(count) FROM ashlar_entry WHERE log = $1 AND site = $3), 0)
                FROM ashlar_log WHERE id = $1
                """, [.integer(number), .integer(position), .text(site.uuidString)])
        }
        guard let row = rows.first, row.count == 3 else {
            throw SyncLogError.malformed(reason: "the database has no such log any more")
        }
        return SyncStanding(
            head: try Self.integer(row[0]), entry: row[1].flatMap { UUID(uuidString: $0) },
            count: try Self.integer(row[2]))
    }

    public func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        let number = number
        return try await database.use { try Self.entries(after: position, limit: limit, ofLog: number, $0) }
    }

    static func entries(
        after position: Int64, limit: Int, ofLog number: Int64, _ connection: PostgresConnection
    ) throws -> [LoggedSyncEntry] {
        let compacted = try connection.run("SELECT compacted FROM ashlar_log WHERE id = $1", [.integer(number)])
        // The limit keeps one call from returning more than fits into memory.
        let rows = try connection.run(
            """
            SELECT position, content FROM (
                SELECT position, content, sum(length(content)) OVER (ORDER BY position) - length(content) AS before
                FROM (
                    SELECT position, content FROM ashlar_entry WHERE log = $1 AND position > $2
                    ORDER BY position LIMIT $3) AS e) AS s
            WHERE coalesce(before, 0) < \(SyncAppendResult.entryBytes) ORDER BY position
            """, [.integer(number), .integer(position), .integer(Int64(max(1, limit)))])
        let first = try integer(compacted.first?.first)
        if position < first { throw SyncLogError.compacted(oldest: first + 1) }
        return try rows.map { row in
            guard let bytes = row[1]?.postgresBytes,
                let entry = try? JSONDecoder().decode(SyncEntry.self, from: bytes)
            else { throw SyncLogError.compacted(oldest: first + 1) }
            return LoggedSyncEntry(position: try integer(row[0]), entry: entry)
        }
    }

    public func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
        let end = ContinuousClock.now + duration
        while true {
            let head = try await head()
            let left = end - ContinuousClock.now
            if head > position || left <= .zero { return head }
            // A notification between the request and the wait is noticed after a second at the latest.
            let told = await database.waitForNews(ofLog: number, atMost: min(left, .seconds(1)))
            try Task.checkCancellation()
            if let told, told > position { return told }
        }
    }

    // MARK: Numbers

    public func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
        guard (1...SyncIdentifiers.greatestLeaseCount).contains(count) else {
            throw SyncLogError.refused(reason: "\(count) numbers cannot be leased at once")
        }
        let values: [PostgresValue] = [.integer(number), .integer(count), .text(holder)]
        let rows = try await database.use {
            try $0.run("SELECT first_number, refusal FROM ashlar_lease($1, $2, $3)", values)
        }
        if let refusal = rows.first?.last ?? nil { throw SyncLogError.refused(reason: refusal) }
        let first = try Self.integer(rows.first?.first)
        return first...(first + count - 1)
    }

    // MARK: Snapshots

    public func snapshots() async throws -> [SyncSnapshot] {
        let number = number
        return try await database.use { try Self.snapshots($0, number) }
    }

    static func snapshots(_ connection: PostgresConnection, _ number: Int64) throws -> [SyncSnapshot] {
        let rows = try connection.run(
            """
            SELECT description FROM ashlar_snapshot WHERE log = $1 AND NOT is_proposed AND is_whole
            ORDER BY position, id
            """, [.integer(number)])
        return try rows.map { row in
            guard let bytes = row[0]?.postgresBytes,
                var found = try? JSONDecoder().decode(SyncSnapshot.self, from: bytes)
            else { throw SyncLogError.refused(reason: "the description of a snapshot is damaged") }
            found.isProposed = false
            return found
        }
    }

    public func add(_ snapshot: SyncSnapshot, from file: URL) async throws {
        guard try snapshot.hasBytes(of: file) else {
            throw SyncLogError.refused(reason: "the snapshot has other bytes than its description says")
        }
        let description = try JSONEncoder().encode(snapshot)
        let (number, id) = (number, snapshot.id.uuidString)
        let isNew = try await database.use { connection in
            let known = try connection.run(
                "SELECT is_whole FROM ashlar_snapshot WHERE log = $1 AND id = $2", [.integer(number), .text(id)])
            if known.first?.first == "t" { return false }
            if snapshot.position == 0 { try Self.requireNotBegun(connection, number) }
            try snapshot.requireAgreement(with: Self.snapshots(connection, number))
            try snapshot.requirePosition(
                head: Self.integer(
                    connection.run("SELECT head FROM ashlar_log WHERE id = $1", [.integer(number)]).first?.first))
            // The rest of an upload that did not finish.
            try connection.run(
                "DELETE FROM ashlar_snapshot WHERE log = $1 AND id = $2", [.integer(number), .text(id)])
            try connection.run(
                """
                INSERT INTO ashlar_snapshot (log, id, position, is_proposed, description) VALUES ($1, $2, $3, $4, $5)
                """,
                [
                    .integer(number), .text(id), .integer(snapshot.position), .text(snapshot.isProposed ? "t" : "f"),
                    .bytes(description),
                ])
            return true
        }
        if !isNew { return }
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var part: Int64 = 0
        while let bytes = try handle.read(upToCount: Self.partSize), !bytes.isEmpty {
            let place = part
            _ = try await database.use {
                try $0.run(
                    """
                    INSERT INTO ashlar_part (log, snapshot, number, bytes) VALUES ($1, $2, $3, $4)
                    ON CONFLICT (log, snapshot, number) DO NOTHING
                    """, [.integer(number), .text(id), .integer(place), .bytes(bytes)])
            }
            part += 1
        }
        try await database.use { connection in
            // The row of the log is the lock under which only one store begins it.
            try connection.run("BEGIN")
            do {
                try connection.run("SELECT id FROM ashlar_log WHERE id = $1 FOR UPDATE", [.integer(number)])
                if snapshot.position == 0 { try Self.requireNotBegun(connection, number) }
                try connection.run(
                    "UPDATE ashlar_snapshot SET is_whole = true WHERE log = $1 AND id = $2",
                    [.integer(number), .text(id)])
                try connection.run("COMMIT")
            } catch {
                _ = try? connection.run("ROLLBACK")
                throw error
            }
        }
        if snapshot.position == 0 { try await database.updateTables(ofLog: number) }
    }

    private static func requireNotBegun(_ connection: PostgresConnection, _ number: Int64) throws {
        let rows = try connection.run(
            """
            SELECT 1 FROM ashlar_log WHERE id = $1 AND (head > 0 OR EXISTS (
                SELECT 1 FROM ashlar_snapshot WHERE log = $1 AND is_whole AND NOT is_proposed))
            """, [.integer(number)])
        if !rows.isEmpty { throw SyncLogError.alreadyBegun }
    }

    public func read(_ snapshot: SyncSnapshot, to file: URL) async throws {
        let (number, id) = (number, snapshot.id.uuidString)
        let count = try await database.use { try Self.partCount(ofSnapshot: id, ofLog: number, $0) }
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        for part in 0..<count {
            try handle.write(
                contentsOf: await database.use { try Self.part(part, ofSnapshot: id, ofLog: number, $0) })
        }
    }

    static func partCount(ofSnapshot id: String, ofLog number: Int64, _ connection: PostgresConnection) throws -> Int64
    {
        let rows = try connection.run(
            """
            SELECT count(p.number) FROM ashlar_snapshot s LEFT JOIN ashlar_part p ON p.log = s.log AND p.snapshot = s.id
            WHERE s.log = $1 AND s.id = $2 AND s.is_whole GROUP BY s.id
            """, [.integer(number), .text(id)])
        guard let row = rows.first else { throw SyncLogError.missing("the snapshot \(id)") }
        return try integer(row.first)
    }

    static func part(
        _ part: Int64, ofSnapshot id: String, ofLog number: Int64, _ connection: PostgresConnection
    ) throws -> Data {
        let rows = try connection.run(
            "SELECT bytes FROM ashlar_part WHERE log = $1 AND snapshot = $2 AND number = $3",
            [.integer(number), .text(id), .integer(part)])
        guard let bytes = rows.first?.first??.postgresBytes else { throw SyncLogError.missing("the snapshot \(id)") }
        return bytes
    }

    public func compact(through position: Int64) async throws {
        let number = number
        try await database.use { connection in
            try connection.patiently {
                let rows = try connection.run(
                    """
                    SELECT max(position) FROM ashlar_snapshot
                    WHERE log = $1 AND position <= $2 AND is_whole AND NOT is_proposed
                    """, [.integer(number), .integer(position)])
                guard let newest = rows.first?.first?.flatMap({ Int64($0) }) else { return }
                let values: [PostgresValue] = [.integer(number), .integer(newest)]
                try connection.run("DELETE FROM ashlar_snapshot WHERE log = $1 AND position < $2", values)
                try connection.run(
                    "UPDATE ashlar_log SET compacted = greatest(compacted, $2) WHERE id = $1", values)
                // The rows of the entries stay, so that a sender whose answer was lost learns that its entry arrived.
                try connection.run(
                    "UPDATE ashlar_entry SET content = NULL WHERE log = $1 AND position <= $2 AND content IS NOT NULL",
                    values)
            }
        }
    }

    // MARK: Large values

    public func add(_ value: Data, hash: String) async throws {
        guard ContentHash.hexadecimal(of: value) == hash else {
            throw SyncLogError.refused(reason: "the value's bytes do not have the hash \(hash)")
        }
        let number = number
        _ = try await database.use {
            try $0.run(
                "INSERT INTO ashlar_value (log, hash, bytes) VALUES ($1, $2, $3) ON CONFLICT (log, hash) DO NOTHING",
                [.integer(number), .text(hash), .bytes(value)])
        }
    }

    public func value(hash: String) async throws -> Data {
        let number = number
        return try await database.use { try Self.value(hash: hash, ofLog: number, $0) }
    }

    static func value(hash: String, ofLog number: Int64, _ connection: PostgresConnection) throws -> Data {
        let rows = try connection.run(
            "SELECT bytes FROM ashlar_value WHERE log = $1 AND hash = $2", [.integer(number), .text(hash)])
        guard let bytes = rows.first?.first??.postgresBytes else { throw SyncLogError.missing("the value \(hash)") }
        return bytes
    }
}
