public import AshlarSync
import Foundation
public import PostgresLog
import Synchronization

/// Logs and tokens in PostgreSQL.
public final class PostgresBackend: HubBackend {
    private let database: PostgresDatabase
    private let logs = Mutex<[String: PostgresLog]>([:])
    /// The time at which each reader's position was last stored.
    private let notes = Mutex<[Reader: ContinuousClock.Instant]>([:])

    private struct Reader: Hashable {
        var log: String
        var holder: String
    }

    public init(_ database: PostgresDatabase) { self.database = database }

    public func log(named name: String, for holder: String) async throws -> any SyncLog {
        if let known = logs.withLock({ $0[name] }) { return known.forHolder(holder) }
        let log = try await PostgresLog(name, in: database)
        logs.withLock { $0[name] = log }
        return log.forHolder(holder)
    }

    public func permission(of token: String, toLog name: String) async throws -> HubPermission? {
        try await database.access(ofToken: token, toLog: name).flatMap { found in
            HubAccess(rawValue: found.access).map { HubPermission(access: $0, holder: found.holder) }
        }
    }

    public func noteReading(of name: String, by holder: String, through position: Int64) async {
        let (reader, now) = (Reader(log: name, holder: holder), ContinuousClock.now)
        let isDue = notes.withLock { notes in
            if let last = notes[reader], now - last < .seconds(60) { return false }
            if notes.count >= 100_000 { notes.removeAll() }
            notes[reader] = now
            return true
        }
        // A lost note is stored again within a minute.
        if isDue { try? await database.noteReading(ofLog: name, by: holder, through: position) }
    }

    public func metrics() async throws -> String {
        var lines: [String] = []
        for log in try await database.logs() {
            let name = "log=\"\(Self.escaped(log.name))\""
            lines.append("ashlar_hub_log_head{\(name)} \(log.head)")
            lines.append("ashlar_hub_log_entries{\(name)} \(log.entryCount)")
            for (kind, bytes) in [
                ("entries", log.entryBytes), ("snapshots", log.snapshotBytes), ("values", log.valueBytes),
            ] { lines.append("ashlar_hub_log_bytes{\(name),kind=\"\(kind)\"} \(bytes)") }
            lines.append("ashlar_hub_log_numbers_left{\(name)} \(log.numbersLeft)")
            if let lag = log.tablesLag { lines.append("ashlar_hub_log_tables_lag{\(name)} \(lag)") }
            for site in try await database.sites(ofLog: log.name) {
                let labels = "\(name),site=\"\(site.site)\",label=\"\(Self.escaped(site.label ?? ""))\""
                lines.append("ashlar_hub_site_entries{\(labels)} \(site.entryCount)")
                lines.append("ashlar_hub_site_bytes{\(labels)} \(site.entryBytes)")
                if let position = site.position {
                    lines.append("ashlar_hub_site_lag{\(labels)} \(max(0, log.head - position))")
                }
                if let seen = site.seen {
                    lines.append("ashlar_hub_site_last_seen_timestamp_seconds{\(labels)} \(seen)")
                }
            }
        }
        return lines.map { "\($0)\n" }.joined()
    }

    /// A text within the quotation marks of a label.
    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            .replacingOccurrences(of: "\n", with: "\\n")
    }

    public func isReachable() async -> Bool { await database.isReachable() }
}
