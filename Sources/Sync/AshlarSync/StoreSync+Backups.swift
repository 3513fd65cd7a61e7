import Ashlar
import AshlarSQLite
import Digests
import Foundation

/// Stores and logs that were put back to an older state.
extension StoreSync {
    // MARK: The store

    /// Finds out from the log whether the store or the log was put back to an older state since they last agreed.
    ///
    /// - Throws: ``SyncError/logPutBack(position:)`` if the log was.
    func checkStanding() async throws {
        guard mustCheckStanding else { return }
        let state = try readState()
        guard let head = state.head else { return }
        let standing = try await log.standing(of: state.site, at: head)
        let (known, outgoing, now) = try container.readRows("reading how far the store is") {
            (try EntryMarks(connection: $0).entry(at: head), try OutgoingEntry($0), try SyncState($0))
        }
        // Another program that has the store exchanged meanwhile.
        guard now == state else { return }
        guard standing.head >= head, known == nil || standing.entry == nil || known == standing.entry else {
            throw SyncError.logPutBack(position: min(standing.head, head))
        }
        let isOnItsWay = outgoing?.entry.site == state.site && outgoing?.entry.count == standing.count
        if standing.count > state.count, !isOnItsWay { try await beginSite(state) }
        mustCheckStanding = false
    }

    /// Makes the store a site of its own, because the log has unknown entries of its site. The store was put back to an
    /// older state, or copied with the identity of its file.
    func beginSite(_ known: SyncState) async throws {
        try container.writeTables("becoming a site of its own") { connection in
            guard var state = try SyncState(connection) else { throw SyncError.damaged }
            guard state == known else { throw CancellationError() }
            try state.beginSite(sharing: nil, connection)
        }
        do {
            try await takeNumbers(isNew: true)
        } catch SyncLogError.forbidden {
            // A program that may only read needs none.
        }
    }

    /// Whether nothing may be sent before all has been read.
    func mustReadFirst() throws -> Bool {
        let state = try readState()
        return try container.readRows("reading the outgoing entry") { connection in
            try OutgoingEntry(connection).map { $0.entry.site != state.site } ?? false
        }
    }

    /// Checks whether the former site, or another copy of the store, sent the changes that all have.
    func settleFormerSite() async throws {
        let state = try readState()
        let found = try container.readRows("reading the outgoing entry") { try OutgoingEntry($0) }
        guard let head = state.head, let former = found, former.entry.site != state.site, !former.entry.body.isEmpty
        else { return }
        let standing = try await log.standing(of: former.entry.site, at: head)
        if standing.count >= former.entry.count { return try await follow(through: former) }
        // The copy that sends them first does so as a site that all copies know.
        var copy = former
        (copy.entry.site, copy.entry.count) = (former.siteOfCopies, 1)
        if try await log.standing(of: copy.entry.site, at: head).count > 0 { return try await follow(through: copy) }
        try container.writeTables("following the log") { connection in
            guard var found = try SyncState(connection), found == state else { throw CancellationError() }
            try OutgoingEntry.remove(connection)
            (found.site, found.count) = (copy.entry.site, 0)
            try found.write(connection)
        }
    }

    /// Follows the log up to an entry that has changes of this store, so that they are not reapplied.
    ///
    /// - Parameter outgoing: The entry as this store made it, or as the site that it was copied from may have sent it:
    ///   with more changes, which followed them.
    func follow(through outgoing: OutgoingEntry) async throws {
        let state = try readState()
        guard let head = state.head else { return }
        let isOwn = outgoing.entry.site == state.site
        var snapshot: SyncSnapshot?
        var entries: [LoggedSyncEntry] = []
        do {
            entries = try await self.entries(after: head, through: outgoing)
        } catch SyncLogError.compacted {
            snapshot = try await snapshots().last
            guard let snapshot, snapshot.modelHash == state.modelHash else { return try forget(outgoing) }
            entries = try await self.entries(after: snapshot.position, through: outgoing)
        }
        if snapshot == nil, let first = entries.first { try checkPrevious(first, after: head) }
        let isFound = entries.last.map { outgoing.isOfSameTurn(as: $0.entry) } ?? false
        // Without it, the snapshot has it. Another version of the model has other rows.
        guard isFound || snapshot != nil, try await steps(entries).isEmpty else { return try forget(outgoing) }
        if !isFound { entries = [] }
        let (largeValues, misfits) = try await largeValues(of: entries[...])
        let position = entries.last?.position ?? snapshot?.position ?? head
        func run(_ file: Connection?) throws {
            try rebase { following in
                (following.misfits, following.isCareful) = (misfits, true)
                let arrived = try following.arrived(outgoing, in: isFound && !isOwn ? entries.last : nil)
                try following.follow(
                    entries, largeValues: largeValues, isRenumbering: true, snapshot: file, arrived: arrived)
                if let snapshot, entries.isEmpty {
                    try EntryMarks(connection: following.connection).note(snapshot.entry, at: snapshot.position)
                }
                try OutgoingEntry.remove(following.connection)
            } changing: { found in
                guard found.head == state.head, found.site == state.site else { throw CancellationError() }
                found.head = position
                if isOwn { found.count = max(found.count, outgoing.entry.count) }
            }
        }
        if let snapshot {
            try await withFile(of: snapshot) { try run(SnapshotFile.open($0)) }
        } else {
            try run(nil)
        }
        status.logHead = max(status.logHead, position)
        if !isOwn { try rememberSite(of: outgoing) }
    }

    /// The entries after a position up to one with the site and count of another; all if there is none.
    private func entries(after position: Int64, through outgoing: OutgoingEntry) async throws -> [LoggedSyncEntry] {
        var (entries, place): ([LoggedSyncEntry], Int64) = ([], position)
        while true {
            let next = try await log.entries(after: place, limit: options.batchCount)
            try check(next, after: place)
            guard let last = next.last else { return entries }
            if let index = next.firstIndex(where: { outgoing.isOfSameTurn(as: $0.entry) }) {
                return entries + next[...index]
            }
            entries += next
            place = last.position
        }
    }

    /// Counts the changes of an entry as this store's own.
    private func forget(_ outgoing: OutgoingEntry) throws {
        try container.writeTables("following the log") { connection in
            try OutgoingEntry.remove(connection)
            if outgoing.entry.site == (try SyncState(connection)?.site) { return }
            var former = outgoing
            (former.entry.body, former.largeValues) = (Data(), [:])
            try former.write(connection)
        }
    }

    /// Records the store's former site, which may have given the same numbers in entries that are still to be read.
    private func rememberSite(of outgoing: OutgoingEntry) throws { try forget(outgoing) }

    // MARK: The log

    /// Requires that an entry follows the newest one that the store has.
    func checkPrevious(_ first: LoggedSyncEntry, after head: Int64) throws {
        guard let previous = first.entry.previous else { return }
        let known = try container.readRows("reading how far the store is") {
            try EntryMarks(connection: $0).entry(at: head)
        }
        if let known, known != previous { throw SyncError.logPutBack(position: head) }
    }
}

extension OutgoingEntry {
    /// The site as which one of the copies of a store sends the entry.
    fileprivate var siteOfCopies: UUID {
        var hash = SHA256()
        hash.update("\(entry.site) \(entry.count)".utf8)
        return UUID(bytes: Data(hash.finalize().prefix(16))) ?? entry.site
    }

    /// Whether an entry of the log has the site and count of this one.
    func isOfSameTurn(as other: SyncEntry) -> Bool { entry.site == other.site && entry.count == other.count }

    /// Whether an entry of the log is this one.
    func isSame(as other: SyncEntry) -> Bool {
        isOfSameTurn(as: other) && (entry.id == nil || other.id == nil || entry.id == other.id)
    }
}

extension Following {
    /// The changes of an entry that the log has.
    ///
    /// - Parameter logged: The entry with which the former site sent them, with others; nil if all arrived. Changes
    ///   that it lacks were undone there, and count as changes of this store.
    func arrived(_ outgoing: OutgoingEntry, in logged: LoggedSyncEntry?) throws -> [RowChange] {
        let changes = try EntryBody.changes(in: outgoing.entry.body, tables, largeValues: outgoing.largeValues)
        guard let logged else { return changes }
        guard let sent = try? EntryBody.changes(in: logged.entry.body, tables, largeValues: outgoing.largeValues) else {
            return []
        }
        var byRow: [String: [RowKey: RowChange]] = [:]
        for change in sent { byRow[change.table.name, default: [:]][change.key] = change }
        return changes.filter { change in
            guard let other = byRow[change.table.name]?[change.key], other.operation == change.operation else {
                return false
            }
            switch change.operation {
            case .delete: return true
            case .insert: return change.hasSameValues(as: other.values.map { $0 ?? .null })
            case .update:
                return change.values.indices.allSatisfy { change.values[$0] == nil || other.values[$0] != nil }
            }
        }
    }
}
