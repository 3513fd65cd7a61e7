import Ashlar
import AshlarSQLite
import Foundation

/// Makes what others sent a part of the store.
extension StoreSync {
    func follow(_ entries: [LoggedSyncEntry], _ state: SyncState) async throws {
        guard let head = state.head, let last = entries.last else { return }
        try check(entries, after: head)
        status.logHead = max(status.logHead, last.position)
        let outgoing = try container.readRows("reading what is on its way") { try OutgoingEntry($0) }
        var entries = entries[...]
        if let outgoing, let first = entries.first, first.entry.site == outgoing.entry.site,
            first.entry.count == outgoing.entry.count
        {
            // It had arrived, and the answer was lost.
            try settle(outgoing, first.position)
            return
        }
        if let step = entries.firstIndex(where: \.entry.isStep) {
            if step == entries.startIndex { return try await followVersion() }
            entries = entries[..<step]
        }
        var largeValues: [String: Data] = [:]
        for logged in entries {
            // What cannot be read is left out when its turn comes.
            for hash in (try? EntryBody.largeValues(in: logged.entry.body, exceptOf: self.logged)) ?? []
            where largeValues[hash] == nil {
                largeValues[hash] = try await value(hash)
            }
        }
        // The store that this one was copied from, or this one before an older copy took its place.
        let isFork = entries.contains { $0.entry.site == state.site }
        if isFork { try await takeNumbers(isNew: true) }
        do {
            try follow(entries, largeValues, state, isFork: isFork)
        } catch let misfit as Following.Misfit {
            // Those after it are read again.
            let rest = entries.prefix { $0.position <= misfit.position }
            try follow(rest, largeValues, state, isFork: isFork, misfits: [misfit.position: misfit.reason])
        }
    }

    func follow(
        _ entries: ArraySlice<LoggedSyncEntry>, _ largeValues: [String: Data], _ state: SyncState, isFork: Bool,
        misfits: [Int64: String] = [:]
    ) throws {
        try rebase(dropping: true) { following in
            following.misfits = misfits
            try following.follow(Array(entries), largeValues: largeValues, isRenumbering: isFork)
        } changing: { found in
            guard found.head == state.head, let last = entries.last else { throw CancellationError() }
            found.head = last.position
            // Somebody else may say that he is this site, and has so many entries that no number comes after.
            for logged in entries where logged.entry.site == found.site && logged.entry.count < Self.greatestCount {
                found.count = max(found.count, logged.entry.count)
            }
        }
    }

    func value(_ hash: String) async throws -> Data { try await log.checkedValue(hash: hash) }

    /// Runs what changes rows, in one transaction, with the store's own changes taken off and put on again.
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
            if isDropping { try OutgoingEntry.remove(connection) }
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
