import Ashlar
import AshlarSQLite
import Foundation

/// A log has one version of the model at a time.
///
/// The first store with a newer version appends the step, with a snapshot of the log's migrated rows. Older stores
/// continue to work, but do not send their changes. When they have the newer version too, they take the snapshot and
/// reapply their changes. These changes are the difference between the store's own rows and the log's rows as the store
/// last had them, both migrated. So the result does not depend on the migration's effects. The log's rows come from a
/// copy of the store that is made before it is migrated, or from the log if there is no copy.
extension StoreSync {
    /// Brings the store's own version, which a migration may have changed, and the log's together.
    func followOwnVersion() async throws {
        let state = try readState()
        guard state.head != nil else { return }
        if state.modelHash != (try container.versionHash()) {
            try await followVersion()
            // Changes made while no trigger recorded them are among those that were reapplied.
            mustCompare = false
            return
        }
        if mustCompare {
            try await compareRows(state)
            mustCompare = false
        }
    }

    /// The log's rows as the store last had them, in a file of their own version, or migrated to the store's version.
    ///
    /// - Returns: Nil if neither the copy that was made before the migration nor the log has these rows.
    private func withFollowedRows<Result>(
        _ state: SyncState, migrated isMigrated: Bool, _ body: (Connection) async throws -> Result
    ) async throws -> Result? {
        guard let head = state.head else { return nil }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("followed.store")
        if try container.copyFollowedState(to: file), try Self.takeOffOwnChanges(file, state) {
            if isMigrated { try container.migrateFile(at: file) }
            return try await body(ModelContainer.connection(toFileAt: file))
        }
        return try await withRows(upTo: head, modelHash: state.modelHash, migrated: isMigrated) {
            try await body($1)
        }
    }

    /// Restores a copy of the store, of any version, to the log's state at the store's head.
    ///
    /// - Returns: False if the copy has another state.
    private static func takeOffOwnChanges(_ file: URL, _ state: SyncState) throws -> Bool {
        let connection = try ModelContainer.connection(toFileAt: file)
        return try connection.transaction {
            guard let found = try SyncState(connection), found.modelHash == state.modelHash, let head = found.head
            else {
                return false
            }
            // An entry that was on its way, and arrived after the copy was made.
            let outgoing = try OutgoingEntry(connection).flatMap {
                $0.head == head && $0.entry.site == found.site ? $0 : nil
            }
            guard head == state.head || outgoing != nil && head + 1 == state.head else { return false }
            let tables = try SyncedTables(fileOf: connection)
            let pending = try ShadowTables(tables: tables, connection: connection).pendingChanges()
            try SyncState.setRecording(false, connection)
            var folder = RowFolder(connection)
            try folder.fold(pending.map(\.inverse))
            if let outgoing, head != state.head {
                try folder.fold(
                    EntryBody.changes(in: outgoing.entry.body, tables, largeValues: outgoing.largeValues))
            }
            try SnapshotFile.clean(tables, connection)
            return true
        }
    }

    /// The log's rows at a position, in a file of their own version, or migrated to the store's version.
    ///
    /// - Returns: Nil if the log no longer has the snapshot or the entries for it.
    func withRows<Result>(
        upTo position: Int64, modelHash: String, migrated isMigrated: Bool,
        _ body: (URL, Connection) async throws -> Result
    ) async throws -> Result? {
        let found = try await snapshots().last { $0.modelHash == modelHash && $0.position <= position }
        guard let found else { return nil }
        return try await withFile(of: found) { file -> Result? in
            do {
                try await fold(from: found.position, upTo: position, into: file, modelHash: modelHash)
            } catch SyncLogError.compacted {
                return nil
            }
            if isMigrated { try container.migrateFile(at: file) }
            return try await body(file, SnapshotFile.open(file))
        }
    }

    /// Applies the entries between two positions to a file of any version.
    ///
    /// - Throws: ``SyncLogError/compacted(oldest:)`` if the log no longer has them.
    private func fold(from first: Int64, upTo position: Int64, into file: URL, modelHash: String) async throws {
        var place = first
        while place < position {
            let limit = min(Int64(options.batchCount), position - place)
            let entries = try await log.entries(after: place, limit: Int(limit))
            try check(entries, after: place)
            guard let last = entries.last, last.position <= position else {
                throw SyncLogError.malformed(reason: "entries after \(place) are missing")
            }
            try await fold(entries, into: file, modelHash: modelHash)
            place = last.position
        }
    }

    /// Applies entries to a file of any version.
    private func fold(_ entries: [LoggedSyncEntry], into file: URL, modelHash: String) async throws {
        let connection = try SnapshotFile.open(file)
        // As in stores, so that the same entries are left out.
        try connection.execute("PRAGMA foreign_keys = ON")
        let tables = try SyncedTables(fileOf: connection)
        // Of other versions, only the types of columns of the same names are known.
        let rowCheck =
            try modelHash == container.versionHash()
            ? RowCheck(ChangedTables(container.model, connection), merge.narrowColumns) : nil
        var narrowColumns = NarrowColumns(merge.narrowColumns)
        func check(_ change: RowChange) throws {
            if let rowCheck { try rowCheck.check(change) } else { try narrowColumns.requireReadable(change) }
        }
        for logged in entries where logged.entry.kind == .changes && logged.entry.modelHash == modelHash {
            // All stores leave out an entry that cannot be read.
            guard let hashes = try? EntryBody.largeValues(of: logged.entry, tables, exceptOf: self.logged) else {
                continue
            }
            var values: [String: Data] = [:]
            for hash in hashes { values[hash] = try await value(hash) }
            do {
                try connection.transaction {
                    var folder = RowFolder(connection)
                    try folder.fold(
                        EntryBody.changes(in: logged.entry.body, tables, largeValues: values, check: check))
                }
            } catch is EntryBody.Malformed {
            } catch is RowFolder.Mismatch {
                // All stores leave it out.
            }
        }
    }

    /// Finds the changes that were made while the triggers were missing.
    private func compareRows(_ state: SyncState) async throws {
        guard let head = state.head else { return }
        let done: Void? = try await withFollowedRows(state, migrated: false) { connection in
            try rebase(
                {
                    try $0.adopt(snapshot: connection, pending: $0.changes(since: connection))
                },
                changing: { found in
                    guard found.head == head else { throw CancellationError() }
                })
        }
        if done == nil { throw SyncLogError.missing("the state that the store followed") }
        try container.removeFollowedState()
    }

    /// Continues with the store's version of the model. The log may have to be brought to it first.
    func followVersion() async throws {
        let state = try readState()
        let own = try container.versionHash()
        // Repeats if another store appended a step meanwhile, which need not lead to the newest version.
        while true {
            let newest = try await newestVersion(after: state)
            if newest.modelHash == own { break }
            guard container.knowsEarlierVersion(newest.modelHash) else {
                throw try await isOfOwnModel(newest.modelHash)
                    ? SyncError.newerModelVersion(newest.modelHash) : .otherModel(newest.modelHash)
            }
            try await appendVersion(own, from: newest.modelHash, state)
        }
        // A step has a snapshot of its own position, which the store has not reached yet.
        let snapshot = try await snapshots().last { $0.modelHash == own && $0.position > state.head ?? -1 }
        guard let snapshot else { throw SyncLogError.missing("a snapshot of the model's version") }
        guard state.head != nil else { return try await adopt(snapshot, state) }
        try container.changeTables("following the log") { connection in
            let tables = try SyncedTables(ChangedTables(container.model, connection))
            try SyncState.setRecording(false, connection)
            try ShadowTables(tables: tables, connection: connection).prepare()
        }
        let known: Void? = try await withFollowedRows(state, migrated: state.modelHash != own) { before in
            try await withFile(of: snapshot) { file in
                let connection = try SnapshotFile.open(file)
                try adopt(connection, snapshot, state, own) { try $0.changes(since: before) }
            }
        }
        if known == nil {
            // The log's earlier rows are gone. Differences to its present rows count as changes of this store, except
            // for deletions: others may have inserted these rows meanwhile.
            try await withFile(of: snapshot) { file in
                let connection = try SnapshotFile.open(file)
                try adopt(connection, snapshot, state, own) {
                    try $0.changes(since: connection).filter { $0.operation != .delete }
                }
            }
        }
        try container.removeFollowedState()
    }

    private func adopt(
        _ file: Connection, _ snapshot: SyncSnapshot, _ before: SyncState, _ own: String,
        pending: (Following) throws -> [RowChange]
    ) throws {
        try rebase(
            {
                try $0.adopt(snapshot: file, pending: pending($0))
                try EntryMarks(connection: $0.connection).note(snapshot.entry, at: snapshot.position)
            },
            changing: { found in
                guard found.head == before.head, found.modelHash == before.modelHash else { throw CancellationError() }
                found.head = snapshot.position
                found.modelHash = own
            })
    }

    /// Whether an unknown version belongs to the store's own model. The log's rows and the store then have a table of
    /// objects in common.
    private func isOfOwnModel(_ hash: String) async throws -> Bool {
        if let known = ownModels[hash] { return known }
        guard let snapshot = try await snapshots().last(where: { $0.modelHash == hash }) else { return true }
        let theirs = try await withFile(of: snapshot) { file in
            try SyncedTables(fileOf: SnapshotFile.open(file)).all.filter { !$0.isPairs }.map(\.name)
        }
        let own = try container.readRows("reading the schema") { ChangedTables(container.model, $0).objectTables }
        let isOwn = theirs.isEmpty || !Set(theirs).isDisjoint(with: own)
        ownModels[hash] = isOwn
        return isOwn
    }

    /// The version of the model that the log has by now, and its head.
    private func newestVersion(after state: SyncState) async throws -> (modelHash: String, head: Int64) {
        var (hash, head) = (state.modelHash, state.head ?? 0)
        // A snapshot of a later version shows a step that may be compacted by now.
        if let snapshot = try await snapshots().last, snapshot.position >= head {
            (hash, head) = (snapshot.modelHash, snapshot.position)
        }
        while true {
            let entries = try await log.entries(after: head, limit: options.batchCount)
            try check(entries, after: head)
            guard let last = entries.last else { return (hash, head) }
            let steps = try await steps(entries)
            for logged in entries where steps.contains(logged.position) { hash = logged.entry.modelHash }
            head = last.position
        }
    }

    /// Appends the step to the store's version of the model, unless another store does.
    ///
    /// If other stores append changes meanwhile, it applies them to its file and tries again. Each attempt has less to
    /// do and is faster. If other stores are faster nevertheless, it throws ``SyncError/overtaken(attempts:)``.
    private func appendVersion(_ own: String, from old: String, _ state: SyncState) async throws {
        guard let begin = try await snapshots().last(where: { $0.modelHash == old }) else {
            throw SyncLogError.missing("a snapshot of the version before")
        }
        try await withFile(of: begin) { file in
            var place = begin.position
            for attempt in 1...max(1, options.stepAttempts) {
                let newest = try await newestVersion(after: state)
                if newest.modelHash != old { return }
                do {
                    try await fold(from: place, upTo: newest.head, into: file, modelHash: old)
                } catch SyncLogError.compacted {
                    throw SyncError.overtaken(attempts: attempt)
                }
                place = newest.head
                if try await appendVersion(own, after: place, rows: file) { return }
            }
            throw SyncError.overtaken(attempts: options.stepAttempts)
        }
    }

    /// Appends the step to the store's version, with a snapshot of the log's migrated rows.
    ///
    /// - Parameter file: The log's rows up to the position, in the version before.
    /// - Returns: False if another store appended an entry meanwhile.
    private func appendVersion(_ own: String, after position: Int64, rows file: URL) async throws -> Bool {
        let migrated = file.appendingPathExtension("migrated")
        defer { try? FileManager.default.removeItem(at: migrated) }
        try FileManager.default.copyItem(at: file, to: migrated)
        try container.migrateFile(at: migrated)
        let connection = try ModelContainer.connection(toFileAt: migrated)
        let rows = try rows(of: connection)
        let made = try SnapshotFile.finish(migrated, connection)
        let id = UUID()
        let snapshot = SyncSnapshot(
            id: UUID(), position: position + 1, modelHash: own, hash: made.text, byteCount: made.byteCount,
            isProposed: true, entry: id, rows: rows)
        let entry = SyncEntry(
            kind: .modelVersion, site: UUID(), count: 1, modelHash: own, author: options.entryAuthor, date: Date(),
            snapshot: snapshot.id, body: Data(), id: id)
        do {
            try await log.add(snapshot, from: migrated)
            guard case .appended = try await log.append(entry, after: position) else { return false }
        } catch SyncLogError.forbidden {
            throw SyncError.olderModelVersion(own)
        }
        return true
    }
}
