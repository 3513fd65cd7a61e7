import AshlarSync
public import Foundation

/// The contents and sizes of a log, for its operator.
public struct PostgresLogSummary: Sendable, Hashable {
    /// The name of the log.
    public var name: String
    /// The position of the newest entry.
    public var head: Int64
    /// The position of the last entry that was removed because a snapshot has it.
    public var compacted: Int64
    /// The number of kept entries, and their bytes.
    public var entryCount: Int64
    public var entryBytes: Int64
    /// The number of snapshots that new stores can begin with, and the bytes of all.
    public var snapshotCount: Int64
    public var snapshotBytes: Int64
    /// The number of large values, and their bytes.
    public var valueCount: Int64
    public var valueBytes: Int64
    /// The number of numbers for new objects that were never given.
    public var numbersLeft: Int64
    /// The number of entries that the log's tables do not have; nil if the log has no tables.
    public var tablesLag: Int64?
}

/// A site of a log, for its operator.
public struct PostgresSiteSummary: Sendable, Hashable {
    /// The site.
    public var site: UUID
    /// The first digits of the hash of the token that used it first; empty for a program that uses the database itself.
    public var holder: String
    /// The label of the holder's newest token; nil if all are revoked.
    public var label: String?
    /// The number of its kept entries, and their bytes.
    public var entryCount: Int64
    public var entryBytes: Int64
    /// The position up to which its holder has read; nil if no hub noted it.
    public var position: Int64?
    /// When its holder was last seen, in seconds since 1970.
    public var seen: Double?
}

extension PostgresDatabase {
    /// Returns all logs, by name. It reads the sizes of all entries.
    ///
    /// - Throws: ``SyncLogError/unreachable(reason:)`` if the database does not answer.
    public func logs() async throws -> [PostgresLogSummary] {
        let rows = try await use { connection in
            try connection.patiently {
                try connection.run(
                    """
                    SELECT name, head, compacted,
                        (SELECT count(content) FROM ashlar_entry e WHERE e.log = l.id),
                        (SELECT coalesce(sum(octet_length(content)), 0) FROM ashlar_entry e WHERE e.log = l.id),
                        (SELECT count(*) FROM ashlar_snapshot s WHERE s.log = l.id AND is_whole AND NOT is_proposed),
                        (SELECT coalesce(sum(octet_length(bytes)), 0) FROM ashlar_part p WHERE p.log = l.id),
                        (SELECT count(*) FROM ashlar_value v WHERE v.log = l.id),
                        (SELECT coalesce(sum(octet_length(bytes)), 0) FROM ashlar_value v WHERE v.log = l.id),
                        \(SyncIdentifiers.firstProvisional) - next_identifier,
                        (SELECT head - coalesce(position, 0) FROM ashlar_model m WHERE m.log = l.id)
                    FROM ashlar_log l ORDER BY name
                    """)
            }
        }
        return rows.map { row in
            func number(_ column: Int) -> Int64 { row[column].flatMap { Int64($0) } ?? 0 }
            return PostgresLogSummary(
                name: row[0] ?? "", head: number(1), compacted: number(2), entryCount: number(3),
                entryBytes: number(4), snapshotCount: number(5), snapshotBytes: number(6), valueCount: number(7),
                valueBytes: number(8), numbersLeft: number(9), tablesLag: row[10].flatMap { Int64($0) })
        }
    }

    /// Returns the sites of a log, those last seen first. It reads the sizes of all its entries.
    ///
    /// - Throws: ``SyncLogError/unreachable(reason:)`` if the database does not answer.
    public func sites(ofLog name: String) async throws -> [PostgresSiteSummary] {
        let rows = try await use { connection in
            try connection.patiently {
                try connection.run(
                    """
                    SELECT s.site, left(s.holder, 12), (
                            SELECT t.label FROM ashlar_token t
                            WHERE coalesce(t.holder, t.hash) = s.holder AND t.log = l.name
                            ORDER BY t.expires DESC NULLS FIRST LIMIT 1),
                        count(e.content), coalesce(sum(octet_length(e.content)), 0), r.position,
                        extract(epoch FROM r.seen)
                    FROM ashlar_log l JOIN ashlar_site s ON s.log = l.id
                    LEFT JOIN ashlar_entry e ON e.log = l.id AND e.site = s.site
                    LEFT JOIN ashlar_seen r ON r.log = l.id AND r.holder = s.holder
                    WHERE l.name = $1 GROUP BY l.name, s.site, s.holder, r.position, r.seen
                    ORDER BY r.seen DESC NULLS LAST, s.site
                    """, [.text(name)])
            }
        }
        return rows.compactMap { row in
            guard let site = row[0].flatMap({ UUID(uuidString: $0) }) else { return nil }
            return PostgresSiteSummary(
                site: site, holder: row[1] ?? "", label: row[2], entryCount: row[3].flatMap { Int64($0) } ?? 0,
                entryBytes: row[4].flatMap { Int64($0) } ?? 0, position: row[5].flatMap { Int64($0) },
                seen: row[6].flatMap { Double($0) })
        }
    }

    /// Stores how far a holder has read a log.
    ///
    /// - Throws: ``SyncLogError/unreachable(reason:)`` if the database does not answer.
    public func noteReading(ofLog name: String, by holder: String, through position: Int64) async throws {
        let values: [PostgresValue] = [.text(name), .text(holder), .integer(position)]
        _ = try await use {
            try $0.run(
                """
                INSERT INTO ashlar_seen (log, holder, position, seen)
                SELECT id, $2, least($3::bigint, head), now() FROM ashlar_log WHERE name = $1
                ON CONFLICT (log, holder) DO UPDATE SET position = excluded.position, seen = excluded.seen
                """, values)
        }
    }
}
