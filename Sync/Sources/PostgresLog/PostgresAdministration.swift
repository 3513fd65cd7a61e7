import AshlarSync
public import Foundation

/// Maintenance of logs by the operator of a hub. Each call is one transaction, and stores may continue meanwhile.
extension PostgresDatabase {
    /// Removes all entries after a position, and the snapshots that contain them.
    ///
    /// Stores that have read removed entries keep their rows.
    ///
    /// - Throws: ``SyncLogError/missing(_:)`` if there is no such log, or ``SyncLogError/refused(reason:)`` if the
    ///   position is not one of the log's.
    public func cutLog(_ name: String, after position: Int64) async throws {
        try await changeLog(name) { connection, log in
            guard position >= log.compacted, position <= log.head else {
                throw SyncLogError.refused(
                    reason: "the log can be cut after the positions \(log.compacted) to \(log.head)")
            }
            let values: [PostgresValue] = [.integer(log.number), .integer(position)]
            try connection.run("DELETE FROM ashlar_entry WHERE log = $1 AND position > $2", values)
            try connection.run("DELETE FROM ashlar_snapshot WHERE log = $1 AND position > $2", values)
            try connection.run("UPDATE ashlar_log SET head = $2 WHERE id = $1", values)
            try StoredModel.invalidate(ofLog: log.number, connection)
        }
        try await updateTables(ofLog: number(ofLog: name))
    }

    /// Removes the entries and older snapshots that are contained in a snapshot that all recently seen stores have
    /// read.
    ///
    /// A store that was away for longer begins with the snapshot, and keeps its saves.
    ///
    /// - Parameter days: The number of days that a store may be away and still read the entries that it lacks.
    /// - Returns: The position of the last entry that was removed; nil if no snapshot has more.
    /// - Throws: ``SyncLogError/missing(_:)`` if there is no such log.
    public func compactLog(_ name: String, offlineDays days: Int) async throws -> Int64? {
        let (read, before) = try await changeLog(name) { connection, log -> (Int64, Int64) in
            let rows = try connection.run(
                """
                SELECT least($2::bigint, min(position)) FROM ashlar_seen
                WHERE log = $1 AND seen > now() - $3::bigint * interval '1 day'
                """, [.integer(log.number), .integer(log.head), .integer(Int64(days))])
            return (rows.first?.first?.flatMap { Int64($0) } ?? log.head, log.compacted)
        }
        let log = try await PostgresLog(name, in: self)
        try await log.compact(through: read)
        return try await changeLog(name) { $1.compacted > before ? $1.compacted : nil }
    }

    /// Replaces an entry by one that all stores leave out and report.
    ///
    /// Stores that have read the entry keep its rows. So it is for entries that no store can follow.
    ///
    /// - Throws: ``SyncLogError/missing(_:)`` if there is no such log or entry.
    public func removeEntry(at position: Int64, ofLog name: String) async throws {
        try await changeLog(name) { connection, log in
            let place: [PostgresValue] = [.integer(log.number), .integer(position)]
            let rows = try connection.run(
                "SELECT site, count, content FROM ashlar_entry WHERE log = $1 AND position = $2 AND content IS NOT NULL",
                place)
            guard let row = rows.first, let site = row[0].flatMap({ UUID(uuidString: $0) }),
                let count = row[1].flatMap({ Int64($0) })
            else { throw SyncLogError.missing("the entry \(position)") }
            // An entry that can be read keeps its identity.
            let known = row[2]?.postgresBytes.flatMap { try? JSONDecoder().decode(SyncEntry.self, from: $0) }
            var entry =
                known
                ?? SyncEntry(
                    kind: .changes, site: site, count: count, modelHash: "", date: Date(), body: Data(), id: nil)
            (entry.kind, entry.snapshot, entry.body, entry.largeValues) = (.changes, nil, Data(), [])
            entry.modelHash = "removed by an administrator"
            try connection.run(
                "UPDATE ashlar_entry SET content = $3 WHERE log = $1 AND position = $2",
                place + [.bytes(try JSONEncoder().encode(entry))])
            try StoredModel.invalidate(ofLog: log.number, connection)
        }
        try await updateTables(ofLog: number(ofLog: name))
    }

    /// Removes unusable snapshots, and corrects the numbers of a log.
    ///
    /// - Returns: The changes, and the defects that the operator has to correct.
    /// - Throws: ``SyncLogError/missing(_:)`` if there is no such log.
    public func repairLog(_ name: String) async throws -> [String] {
        try await changeLog(name) { connection, log in
            let number: [PostgresValue] = [.integer(log.number)]
            var report: [String] = []
            for row in try connection.run(
                """
                DELETE FROM ashlar_snapshot s WHERE log = $1 AND (position < 0 OR NOT is_whole
                    OR position > (SELECT head FROM ashlar_log WHERE id = $1) + is_proposed::int
                    OR is_proposed AND position <= (SELECT head FROM ashlar_log WHERE id = $1))
                RETURNING id, position
                """, number)
            {
                report.append("removed the unusable snapshot \(row[0] ?? "") at \(row[1] ?? "")")
            }
            let newest = try connection.run(
                """
                UPDATE ashlar_log SET head = greatest(compacted, (SELECT max(position) FROM ashlar_entry WHERE log = $1))
                WHERE id = $1 AND head <> greatest(compacted, (SELECT max(position) FROM ashlar_entry WHERE log = $1))
                RETURNING head
                """, number)
            if let head = newest.first?.first ?? nil {
                report.append("set the newest position to \(head)")
                try StoredModel.invalidate(ofLog: log.number, connection)
            }
            let next = try connection.run(
                """
                UPDATE ashlar_log SET next_identifier = (SELECT max(last) + 1 FROM ashlar_lease WHERE log = $1)
                WHERE id = $1 AND next_identifier <= (SELECT max(last) FROM ashlar_lease WHERE log = $1)
                RETURNING next_identifier
                """, number)
            if let first = next.first?.first ?? nil { report.append("set the next number for objects to \(first)") }
            let gap = try connection.run(
                """
                SELECT min(position) FROM (SELECT position, lead(position) OVER (ORDER BY position) AS next
                    FROM ashlar_entry WHERE log = $1) e
                WHERE next > position + 1 AND next > (SELECT compacted FROM ashlar_log WHERE id = $1) + 1
                """, number)
            if let last = gap.first?.first ?? nil {
                report.append("entries are missing after \(last): cut the log there, or restore a backup")
            }
            for row in try connection.run(
                "SELECT position, content FROM ashlar_entry WHERE log = $1 AND content IS NOT NULL", number)
            {
                let bytes = row[1]?.postgresBytes
                if bytes.flatMap({ try? JSONDecoder().decode(SyncEntry.self, from: $0) }) == nil {
                    report.append("the entry \(row[0] ?? "") cannot be read: remove it")
                }
            }
            return report
        }
    }

    /// Has the next token that uses a site become its holder.
    ///
    /// - Throws: ``SyncLogError/missing(_:)`` if there is no such log or site.
    public func releaseSite(_ site: UUID, ofLog name: String) async throws {
        try await changeLog(name) { connection, log in
            let rows = try connection.run(
                "DELETE FROM ashlar_site WHERE log = $1 AND site = $2 RETURNING site",
                [.integer(log.number), .text(site.uuidString)])
            if rows.isEmpty { throw SyncLogError.missing("the site \(site)") }
        }
    }

    /// Gives back the numbers for objects that a holder never used in an entry, so that the log gives them again.
    ///
    /// - Parameter holder: The first digits of the hash of the holder's first token, at least twelve.
    /// - Returns: The number of numbers.
    /// - Throws: ``SyncLogError/refused(reason:)`` if the holder has a token, or one of its sites has an entry.
    public func returnNumbers(of holder: String, ofLog name: String) async throws -> Int64 {
        guard holder.utf8.count >= 12 else { throw SyncLogError.missing("the holder \(holder)") }
        return try await changeLog(name) { connection, log in
            let used = try connection.run(
                """
                SELECT 1 FROM ashlar_token WHERE log = $3 AND starts_with(coalesce(holder, hash), $2)
                UNION ALL SELECT 1 FROM ashlar_entry e JOIN ashlar_site s ON s.log = e.log AND s.site = e.site
                WHERE e.log = $1 AND starts_with(s.holder, $2) LIMIT 1
                """, [.integer(log.number), .text(holder), .text(name)])
            guard used.isEmpty else {
                throw SyncLogError.refused(
                    reason:
                        "the holder \(holder) has a token or entries. Revoke the token; numbers of entries stay used")
            }
            let rows = try connection.run(
                """
                WITH returned AS (
                    UPDATE ashlar_lease SET holder = NULL WHERE log = $1 AND starts_with(holder, $2)
                    RETURNING last - first + 1 AS count)
                SELECT coalesce(sum(count), 0) FROM returned
                """, [.integer(log.number), .text(holder)])
            return rows.first?.first?.flatMap { Int64($0) } ?? 0
        }
    }

    /// Deletes a log with its content and its tokens.
    ///
    /// - Throws: ``SyncLogError/missing(_:)`` if there is no such log.
    public func deleteLog(_ name: String) async throws {
        try await changeLog(name) { connection, log in
            if let model = try StoredModel(ofLog: log.number, connection) { try model.remove(connection) }
            try connection.run("DELETE FROM ashlar_token WHERE log = $1", [.text(name)])
            try connection.run("DELETE FROM ashlar_log WHERE id = $1", [.integer(log.number)])
        }
    }

    struct LockedLog {
        var number: Int64
        var head: Int64
        var compacted: Int64
    }

    /// Runs a transaction that holds appends to a log.
    func changeLog<Result: Sendable>(
        _ name: String, _ body: @escaping @Sendable (PostgresConnection, LockedLog) throws -> Result
    ) async throws -> Result {
        try await use { connection in
            try connection.patiently {
                try connection.transaction {
                    let rows = try connection.run(
                        "SELECT id, head, compacted FROM ashlar_log WHERE name = $1 FOR UPDATE", [.text(name)])
                    guard let numbers = rows.first?.compactMap({ $0.flatMap { Int64($0) } }), numbers.count == 3 else {
                        throw SyncLogError.missing("the log \(name)")
                    }
                    return try body(
                        connection, LockedLog(number: numbers[0], head: numbers[1], compacted: numbers[2]))
                }
            }
        }
    }
}
