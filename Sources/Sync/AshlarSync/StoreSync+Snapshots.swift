import Ashlar
import AshlarSQLite
import Digests
import Foundation

extension StoreSync {
    /// Begins the log with this store, or this store with the log, whichever was first.
    func meetLog() async throws {
        guard try readState().head == nil else { return }
        if try await snapshots().isEmpty {
            do {
                return try await beginLog()
            } catch SyncLogError.alreadyBegun {}
        }
        try await adoptNewestSnapshot()
    }

    /// Begins the log with the store's rows. If their numbers may belong to others, the log begins empty, and the rows
    /// are sent like new ones.
    private func beginLog() async throws {
        let greatest = try container.readRows("looking at the numbers of objects") { connection in
            try ChangedTables(container.model, connection).objectTables.compactMap {
                try connection.integer("SELECT max(\"id$\") FROM \($0.quotedIdentifier)")
            }.max() ?? 0
        }
        let hasOwnRows = greatest < SyncIdentifiers.firstLeased
        try await withSnapshot(keepingPending: hasOwnRows) { made in
            let snapshot = SyncSnapshot(
                id: UUID(), position: 0, modelHash: made.state.modelHash, hash: made.hash, byteCount: made.byteCount,
                rows: made.rows)
            try await log.add(snapshot, from: made.file)
            try container.writeTables("beginning a log") { connection in
                guard var state = try SyncState(connection) else { throw SyncError.damaged }
                state.head = 0
                try state.write(connection)
                if hasOwnRows {
                    let shadow = ShadowTables(
                        tables: try SyncedTables(ChangedTables(container.model, connection)), connection: connection)
                    try Self.settle(shadow, with: made.file, newest: made.newest)
                }
            }
        }
        _ = try readState()
    }

    /// Marks the rows of a snapshot as present in the log.
    private static func settle(_ shadow: ShadowTables, with file: URL, newest: Int64) throws {
        if try ModelContainer.newestChange(shadow.connection) == newest { return try shadow.clear() }
        let snapshot = try ModelContainer.connection(toFileAt: file)
        for table in shadow.tables.all {
            let statement = try snapshot.statement("SELECT \(table.columnList()) FROM \(table.name.quotedIdentifier)")
            defer { statement.reset() }
            while try statement.step() {
                let values = statement.values
                guard let key = table.key(of: values) else { continue }
                try shadow.settle([RowChange(table: table, operation: .insert, key: key, values: values)])
            }
        }
    }

    /// Adds a snapshot of the log's state to the log, so that new stores begin with it and older entries can be
    /// removed.
    ///
    /// The store may be used meanwhile. Call it from time to time at one site, for example after a few thousand
    /// entries.
    ///
    ///     try await sync.makeSnapshot()
    ///
    /// - Parameter isCompacting: Whether entries before the snapshot are removed. Stores that were away for longer then
    ///   begin with the snapshot.
    /// - Throws: ``SyncLogError`` if the log fails, or `StoreError` if the store cannot be read.
    public func makeSnapshot(compacting isCompacting: Bool = true) async throws {
        try await meetLog()
        try await followOwnVersion()
        try await withSnapshot(keepingPending: false) { made in
            guard let head = made.state.head, head > 0 else { return }
            let entry = try container.readRows("reading how far the store is") {
                try EntryMarks(connection: $0).entry(at: head)
            }
            try await requireAgreement(made, at: head)
            let snapshot = SyncSnapshot(
                id: UUID(), position: head, modelHash: made.state.modelHash, hash: made.hash,
                byteCount: made.byteCount, entry: entry, rows: made.rows)
            try await log.add(snapshot, from: made.file)
            if isCompacting { try await log.compact(through: head) }
        }
    }

    /// Requires that the entries of the log, after its newest snapshot, make the rows of a snapshot of this store.
    ///
    /// - Throws: ``SyncError/otherRows(position:)``.
    private func requireAgreement(_ made: MadeSnapshot, at head: Int64) async throws {
        let rows = try await withRows(upTo: head, modelHash: made.state.modelHash, migrated: false) { _, connection in
            try self.rows(of: connection)
        }
        if let rows, rows != made.rows { throw SyncError.otherRows(position: head) }
    }

    /// The hash of the rows of a file of the store's version.
    func rows(of connection: Connection) throws -> String {
        try RowsHash.of(SyncedTables(ChangedTables(container.model, connection)), connection)
    }

    /// Passes a file with the store's rows as the log has them to a closure, and removes it afterwards.
    ///
    /// - Parameter keepsPending: Whether the file includes the store's own changes.
    func withSnapshot<Result>(
        keepingPending keepsPending: Bool,
        _ body: (MadeSnapshot) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("snapshot.store")
        try container.backUp(to: file)
        let connection = try ModelContainer.connection(toFileAt: file)
        let tables = try SyncedTables(ChangedTables(container.model, connection))
        let (state, newest) = try connection.transaction { () -> (SyncState, Int64) in
            guard let state = try SyncState(connection) else { throw SyncError.damaged }
            let newest = try ModelContainer.newestChange(connection)
            if !keepsPending {
                let shadow = ShadowTables(tables: tables, connection: connection)
                let pending = try shadow.pendingChanges()
                try SyncState.setRecording(false, connection)
                var folder = RowFolder(connection)
                try folder.fold(pending.map(\.inverse))
            }
            try SyncState.setRecording(false, connection)
            return (state, newest)
        }
        try await leaveValues(of: connection)
        try connection.transaction { try SnapshotFile.clean(tables, connection) }
        let rows = try RowsHash.of(tables, connection)
        let hash = try SnapshotFile.finish(file, connection)
        return try await body(
            MadeSnapshot(
                file: file, hash: hash.text, byteCount: hash.byteCount, rows: rows, state: state, newest: newest))
    }

    /// Sends the log those values of a copy that are read on demand, and replaces them with their hashes.
    private func leaveValues(of connection: Connection) async throws {
        try await logged.replaceValues(in: connection, from: options.largeValueThreshold) { hash, bytes in
            let isGiven = try container.readRows("looking up a value in the log") {
                try $0.integer("SELECT 1 FROM \"ashlar$syncGiven\" WHERE \"hash\" = ?1", [.text(hash)]) != nil
            }
            if isGiven { return }
            try await log.add(bytes, hash: hash)
            try container.writeTables("recording a value of the log") { connection in
                try LoggedColumns.noteGiven(hash, connection)
            }
        }
    }

    /// Replaces the store's rows with the log's newest snapshot, and reapplies the store's own changes.
    func adoptNewestSnapshot() async throws {
        let state = try readState()
        var rest = try await snapshots()
        guard let newest = rest.last else { throw SyncLogError.missing("a snapshot") }
        guard newest.modelHash == state.modelHash else { return try await followVersion() }
        var failure: (any Error)?
        // If the newest is damaged or forged, an older one and the entries after it give the same rows.
        while let snapshot = rest.popLast(), snapshot.modelHash == state.modelHash,
            snapshot.position > state.head ?? -1
        {
            do {
                return try await adopt(snapshot, state)
            } catch let error as SyncError {
                guard case .badSnapshot = error else { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? SyncLogError.missing("a snapshot after the store's newest entry")
    }

    /// Replaces the store's rows with a snapshot of its version, and reapplies the store's own changes.
    func adopt(_ snapshot: SyncSnapshot, _ state: SyncState) async throws {
        // The former site may have given the numbers that this store's new objects have.
        let isFork = try container.readRows("reading the outgoing entry") {
            try OutgoingEntry($0).map { $0.entry.site != state.site } ?? false
        }
        try await withFile(of: snapshot) { file in
            let connection = try SnapshotFile.open(file)
            try rebase {
                try $0.follow([], isRenumbering: isFork, snapshot: connection)
                try EntryMarks(connection: $0.connection).note(snapshot.entry, at: snapshot.position)
            } changing: { found in
                guard found.head == state.head else { throw CancellationError() }
                found.head = snapshot.position
            }
        }
    }

    /// The snapshots that the log has and stores use, the oldest first.
    func usableSnapshots() async throws -> UsableSnapshots {
        let found = try await log.snapshots()
        for snapshot in found where !Self.positions.contains(snapshot.position) || snapshot.byteCount < 0 {
            throw SyncLogError.malformed(
                reason: "it has a snapshot at \(snapshot.position) of \(snapshot.byteCount) bytes")
        }
        var usable = UsableSnapshots()
        for snapshot in found.sorted(by: { $0.position < $1.position }) {
            var isProven = true
            if let last = usable.all.last, last.modelHash != snapshot.modelHash {
                isProven = try await proves(snapshot, after: last.modelHash)
            }
            usable.add(snapshot) { _ in isProven }
        }
        return usable
    }

    /// The snapshots that the log has and stores use, the oldest first.
    func snapshots() async throws -> [SyncSnapshot] { try await usableSnapshots().all }
}

/// A snapshot in a file.
struct MadeSnapshot {
    var file: URL
    var hash: String
    var byteCount: Int64
    /// The hash of its rows.
    var rows: String
    /// The store's state in its log when the file was created.
    var state: SyncState
    /// The number of the newest change in the store's history then.
    var newest: Int64
}
