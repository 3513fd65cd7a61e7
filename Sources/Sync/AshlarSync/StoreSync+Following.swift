import Ashlar
import AshlarSQLite
import Foundation

/// Applies the entries of other stores.
extension StoreSync {
    func follow(_ entries: [LoggedSyncEntry], _ state: SyncState) async throws {
        guard let head = state.head, let last = entries.last else { return }
        try check(entries, after: head)
        try checkPrevious(entries[0], after: head)
        status.logHead = max(status.logHead, last.position)
        let outgoing = try container.readRows("reading the outgoing entry") { try OutgoingEntry($0) }
        var entries = entries[...]
        if let outgoing, let first = entries.first, outgoing.isSame(as: first.entry), outgoing.entry.site == state.site
        {
            // It had arrived, and the answer was lost.
            try settle(outgoing, first.position)
            return
        }
        let steps = try await steps(entries)
        if let step = entries.firstIndex(where: { steps.contains($0.position) }) {
            if step == entries.startIndex { return try await followVersion() }
            entries = entries[..<step]
        }
        let (largeValues, misfits) = try await largeValues(of: entries)
        // This store before an older state of it took its place.
        if entries.contains(where: { $0.entry.site == state.site }) { return try await beginSite(state) }
        let isFork = outgoing.map { former in entries.contains { $0.entry.site == former.entry.site } } ?? false
        do {
            try follow(entries, largeValues, state, isFork: isFork, misfits: misfits)
        } catch is Following.Misfit {
            // Where there is one, there may be hundreds.
            try follow(entries, largeValues, state, isFork: isFork, misfits: misfits, isCareful: true)
        }
    }

    /// The large values that entries of the store's version name, and the entries whose names cannot be read, with the
    /// reasons.
    func largeValues(
        of entries: ArraySlice<LoggedSyncEntry>
    ) async throws -> (values: [String: Data], misfits: [Int64: String]) {
        let modelHash = try readState().modelHash
        let naming = entries.filter { $0.entry.modelHash == modelHash && EntryBody.mayNameLargeValues($0.entry) }
        if naming.isEmpty { return ([:], [:]) }
        let tables = try container.readRows("reading the schema") {
            try SyncedTables(ChangedTables(container.model, $0))
        }
        var (values, misfits): ([String: Data], [Int64: String]) = ([:], [:])
        for entry in naming {
            do {
                let hashes = try EntryBody.largeValues(of: entry.entry, tables, exceptOf: logged)
                for hash in hashes where values[hash] == nil { values[hash] = try await value(hash) }
            } catch let error as EntryBody.Malformed {
                misfits[entry.position] = error.reason
            }
        }
        return (values, misfits)
    }

    /// The positions of the entries that begin another version of the model, each with a snapshot of its own position
    /// and version. Other entries that claim to begin a version are left out.
    func steps(_ entries: some Sequence<LoggedSyncEntry>) async throws -> Set<Int64> {
        let told = entries.filter(\.entry.isStep)
        if told.isEmpty { return [] }
        let snapshots = try await usableSnapshots()
        return Set(told.filter(snapshots.makesStep).map(\.position))
    }

    func follow(
        _ entries: ArraySlice<LoggedSyncEntry>, _ largeValues: [String: Data], _ state: SyncState, isFork: Bool,
        misfits: [Int64: String], isCareful: Bool = false
    ) throws {
        try rebase(dropping: true) { following in
            (following.misfits, following.isCareful) = (misfits, isCareful)
            try following.follow(Array(entries), largeValues: largeValues, isRenumbering: isFork)
        } changing: { found in
            guard found.head == state.head, found.site == state.site, let last = entries.last else {
                throw CancellationError()
            }
            found.head = last.position
        }
    }

    func value(_ hash: String) async throws -> Data { try await log.checkedValue(hash: hash) }

    /// Runs a closure that changes rows, in one transaction, with the store's own changes removed before and reapplied
    /// after it.
    ///
    /// - Parameter isDropping: Whether an entry that was made of the store's own changes cannot arrive any more.
    func rebase(
        dropping isDropping: Bool = false, _ body: (Following) throws -> Void,
        changing change: (inout SyncState) throws -> Void = { _ in }
    ) throws {
        let range = try container.identifierRange() ?? SyncIdentifiers.firstProvisional...(1 << 62)
        let events = try writing("following the log", options.author, to: container.stores[0]) {
            connection in
            guard var state = try SyncState(connection) else { throw SyncError.damaged }
            try change(&state)
            let following = try Following(
                container, connection, modelHash: state.modelHash, range: range, merge: merge, author: options.author)
            try body(following)
            if isDropping { try OutgoingEntry.remove(of: state.site, connection) }
            try state.write(connection)
            mustRemoveFiles = mustRemoveFiles || following.hasReplacedFiles
            return (try SyncEvent.keep(following.events, connection), following.changes)
        }
        tell(events)
        _ = try readState()
    }

    func writing(
        _ doing: String, _ author: String, to store: PersistentStore,
        _ body: (Connection) throws -> ([SyncEvent], ChangedObjects)
    ) throws -> [SyncEvent] {
        do {
            return try container.writeChanges(doing, author, to: store, body)
        } catch let error as ExternalDataError {
            throw SyncError.unwritableFile(error.url, reason: error.reason)
        }
    }
}
