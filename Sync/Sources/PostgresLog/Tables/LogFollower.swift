@_spi(Hub) import AshlarSync
import Foundation
@_spi(Hub) import LogTables

/// Follows a log by the rules of stores, and writes its rows to the tables of a PostgreSQL schema.
///
/// One caller may use it at a time. Its data comes from the log alone, so any number of hubs may have one for the same
/// log.
final class LogFollower: @unchecked Sendable {
    // Unchecked, because its users take turns.

    /// Gives its users turns.
    let turn = AsyncSemaphore(1)
    private let log: Int64
    private var model: (generation: Int64, pushed: PushedModel)?
    private var followed: Followed?
    /// Whether a transaction is open, and the state before it.
    private var isUnderWay = false
    private var before: Followed?
    /// Whether snapshots prove their versions, by their identities and the versions before.
    private var proofs: [String: Bool] = [:]

    private struct Followed {
        var rows: LogRows
        var tables: [LogTable]
        var generation: Int64
        /// The position of the last entry that the rows have, and its identity.
        var position: Int64
        var entry: [String?]
    }

    /// The reason for which the tables do not follow their log. The log continues.
    private struct Stop: Error { var reason: String }

    init(log: Int64) { self.log = log }

    // MARK: Transactions

    /// Keeps the changes of the open transaction.
    func commit() {
        guard isUnderWay else { return }
        do { try followed?.rows.commit() } catch { followed = nil }
        (isUnderWay, before) = (false, nil)
    }

    /// Undoes the changes of the open transaction.
    func rollBack() {
        guard isUnderWay else { return }
        followed?.rows.rollBack()
        before?.rows.rollBack()
        (isUnderWay, followed, before) = (false, before, nil)
    }

    /// Reads the log up to the tables' position, before a transaction holds back other appends.
    func prepare(_ connection: PostgresConnection) {
        guard followed == nil else { return }
        isUnderWay = true
        do {
            guard let stored = try StoredModel(ofLog: log, connection), stored.reason == nil else { return rollBack() }
            try begin(stored, connection)
            try follow(upTo: stored.position ?? stored.head, connection) { _ in }
            commit()
        } catch {
            // The transaction tries this again, and reports the error.
            rollBack()
        }
    }

    // MARK: Following

    /// Brings the tables to the log's newest entry. The transaction blocks all other appends.
    func update(_ connection: PostgresConnection) throws {
        guard let stored = try StoredModel(ofLog: log, connection), stored.reason == nil, stored.position != stored.head
        else { return }
        (isUnderWay, before) = (true, followed)
        if try isOutdated(stored, connection) { (followed, before) = (nil, nil) }
        var isNew = false
        try connection.run("SAVEPOINT ashlar_tables")
        do {
            if followed == nil { try begin(stored, connection) } else { try followed?.rows.begin() }
            guard let begun = followed else { return }
            isNew = stored.position.map { $0 < begun.position } ?? true || stored.version != begun.rows.modelHash
            try follow(upTo: stored.head, connection) { step in
                switch step {
                case .version: isNew = true
                case .entry(let position, let changes):
                    if !isNew, position > stored.position ?? 0 { try write(changes, stored, connection) }
                }
            }
            if isNew { try writeAll(stored, connection) }
            try stored.note(followed?.rows.modelHash, followed?.position, connection)
        } catch  where Self.concernsTables(error) {
            // The tables stay as they were, and the log continues.
            try connection.run("ROLLBACK TO ashlar_tables")
            if !(error is Stop) {
                followed?.rows.rollBack()
                (followed, before) = (nil, nil)
            }
            try stored.stop((error as? Stop)?.reason ?? "\(error)", connection)
        }
    }

    /// Whether an error concerns the tables or the entries, so that another attempt would fail too.
    ///
    /// PostgreSQL's classes are "data exception", "syntax error or access rule violation", "program limit exceeded".
    private static func concernsTables(_ error: any Error) -> Bool {
        if let error = error as? PostgresError { return ["22", "42", "54"].contains(error.state.prefix(2)) }
        return error is Stop || error is SyncError
    }

    /// Whether the log is not the one that was followed.
    private func isOutdated(_ stored: StoredModel, _ connection: PostgresConnection) throws -> Bool {
        guard let followed else { return false }
        return try followed.generation != stored.generation || followed.position > stored.head
            || followed.position < stored.compacted || followed.entry != entry(at: followed.position, connection)
    }

    private func entry(at position: Int64, _ connection: PostgresConnection) throws -> [String?] {
        try connection.run(
            "SELECT site, count, id FROM ashlar_entry WHERE log = $1 AND position = $2",
            [.integer(log), .integer(position)]
        ).first ?? []
    }

    /// Begins with the newest snapshot that the tables need, and its transaction. It does nothing if the log has none.
    private func begin(_ stored: StoredModel, _ connection: PostgresConnection) throws {
        let usable = try usableSnapshots(connection)
        let limit = stored.position ?? stored.head
        let known = usable.all.filter { $0.position >= stored.compacted }
        let wanted = known.filter { $0.position <= limit && (stored.version ?? $0.modelHash) == $0.modelHash }
        var failure: (any Error)?
        for snapshot in (wanted.isEmpty ? known : wanted).reversed() {
            do {
                return try begin(snapshot, stored, connection)
            } catch let error as SyncError {
                failure = failure ?? error
            }
        }
        if let failure { throw Stop(reason: "\(failure)") }
    }

    /// Begins with a snapshot.
    private func begin(_ snapshot: SyncSnapshot, _ stored: StoredModel, _ connection: PostgresConnection) throws {
        if model?.generation != stored.generation {
            do { model = (stored.generation, try PushedModel(stored.model(connection))) } catch let error
                as PushedModel.Invalid
            { throw Stop(reason: "the pushed model cannot be used: \(error)") }
        }
        guard let (rows, tables) = try model?.pushed.rows(ofVersion: snapshot.modelHash) else {
            throw Stop(
                reason:
                    "the log has a version of the model that the pushed model does not have (\(snapshot.modelHash.prefix(100)))"
            )
        }
        try rows.begin()
        try withFile(of: snapshot, connection) { try rows.read(snapshot, from: $0) }
        try rows.commit()
        try rows.begin()
        followed = Followed(
            rows: rows, tables: tables, generation: stored.generation, position: snapshot.position,
            entry: try entry(at: snapshot.position, connection))
    }

    /// A step of following.
    private enum Step {
        /// Another version of the model.
        case version
        /// An entry, with the rows that it changed.
        case entry(position: Int64, [LogRows.Change])
    }

    private func follow(
        upTo head: Int64, _ connection: PostgresConnection, _ body: (Step) throws -> Void
    ) throws {
        while let position = followed?.position, position < head {
            let entries: [LoggedSyncEntry]
            do {
                entries = try PostgresLog.entries(after: position, limit: 100, ofLog: log, connection)
            } catch SyncLogError.compacted {
                throw Stop(reason: "the log does not have the entries after \(position), or they cannot be read")
            }
            guard entries.first?.position == position + 1 else {
                throw Stop(reason: "the log does not have the entries after \(position)")
            }
            for logged in entries where logged.position <= head { try follow(logged, connection, body) }
        }
    }

    private func follow(
        _ logged: LoggedSyncEntry, _ connection: PostgresConnection, _ body: (Step) throws -> Void
    ) throws {
        if logged.entry.snapshot != nil {
            let usable = try usableSnapshots(connection)
            if usable.makesStep(logged), let snapshot = usable.all.first(where: { $0.id == logged.entry.snapshot }),
                let stored = try StoredModel(ofLog: log, connection)
            {
                let old = followed?.rows
                do { try begin(snapshot, stored, connection) } catch let error as SyncError {
                    throw Stop(reason: "\(error)")
                }
                old?.rollBack()
                return try body(.version)
            }
        }
        guard let rows = followed?.rows else { return }
        do {
            _ = try rows.follow(logged) { try largeValue($0, connection) }
        } catch SyncLogError.missing(let what) {
            throw Stop(reason: "the log does not have \(what)")
        }
        try body(.entry(position: logged.position, rows.takeChanges()))
        followed?.position = logged.position
        followed?.entry = [
            logged.entry.site.uuidString.lowercased(), "\(logged.entry.count)",
            logged.entry.id?.uuidString.lowercased(),
        ]
    }

    private func largeValue(_ hash: String, _ connection: PostgresConnection) throws -> Data {
        try PostgresLog.value(hash: hash, ofLog: log, connection)
    }

    // MARK: Snapshots

    private func usableSnapshots(_ connection: PostgresConnection) throws -> UsableSnapshots {
        var usable = UsableSnapshots()
        for snapshot in try PostgresLog.snapshots(connection, log) {
            try usable.add(snapshot) { version in
                let key = "\(snapshot.id) \(version)"
                if let known = proofs[key] { return known }
                let isProven = try withFile(of: snapshot, connection) {
                    try snapshot.proves(versionAfter: version, in: $0)
                }
                proofs[key] = isProven
                return isProven
            }
        }
        return usable
    }

    private func withFile<Result>(
        of snapshot: SyncSnapshot, _ connection: PostgresConnection, _ body: (URL) throws -> Result
    ) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("snapshot.store")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        let id = snapshot.id.uuidString
        for part in 0..<(try PostgresLog.partCount(ofSnapshot: id, ofLog: log, connection)) {
            try handle.write(contentsOf: PostgresLog.part(part, ofSnapshot: id, ofLog: log, connection))
        }
        guard try snapshot.hasBytes(of: file) else {
            throw SyncError.badSnapshot(snapshot.id, reason: "its bytes are others than its description says")
        }
        return try body(file)
    }

    // MARK: Writing

    private func write(
        _ changes: [LogRows.Change], _ stored: StoredModel, _ connection: PostgresConnection
    ) throws {
        for table in followed?.tables ?? [] {
            let changed = changes.filter { $0.table == table.name }
            if changed.isEmpty { continue }
            let target = PostgresTable(table, inSchema: stored.schema)
            try target.delete(changed.filter { $0.values == nil }.map(\.key), connection)
            try stopping {
                try target.write(changed.compactMap(\.values), connection) { try largeValue($0, connection) }
            }
        }
    }

    /// Writes all rows, to new tables if the present ones have another version.
    private func writeAll(_ stored: StoredModel, _ connection: PostgresConnection) throws {
        guard let followed else { return }
        let isOtherVersion = stored.version != followed.rows.modelHash
        if isOtherVersion { try stored.removeTables(connection) }
        for (table, source) in zip(followed.tables, followed.rows.schema) {
            let target = PostgresTable(table, inSchema: stored.schema)
            if isOtherVersion { try connection.run(target.definition) } else { try target.removeAll(connection) }
            var writer = PostgresTable.Writer(target, connection)
            try stopping {
                try followed.rows.forEach(of: source) { row in
                    try writer.add(row) { try largeValue($0, connection) }
                }
                try writer.finish()
            }
        }
        _ = try followed.rows.takeChanges()
    }

    private func stopping(_ body: () throws -> Void) throws {
        do { try body() } catch SyncLogError.missing(let what) { throw Stop(reason: "the log does not have \(what)") }
    }
}
