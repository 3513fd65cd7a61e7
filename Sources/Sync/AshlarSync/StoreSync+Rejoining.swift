import Ashlar
import AshlarSQLite
import Foundation

extension StoreSync {
    /// Joins a log that was put back to an older state, and reapplies the changes that the log lacks as changes of this
    /// store.
    ///
    /// Call it after ``SyncError/logPutBack(position:)``, at each store that throws this error. Stores reapply the same
    /// change only once. If the log no longer has the last state that both agree on, the objects of this store count as
    /// new ones, and deletions made here are not repeated.
    ///
    ///     do {
    ///         try await sync.synchronize()
    ///     } catch SyncError.logPutBack {
    ///         try await sync.rejoin()
    ///     }
    ///
    /// - Throws: As ``synchronize()``. The store is then as it was, or the next call of ``synchronize()`` continues.
    public func rejoin() async throws {
        let state = try readState()
        if let head = state.head {
            mustCheckStanding = true
            do {
                try await checkStanding()
            } catch SyncError.logPutBack {
                try await leaveLostEntries(state, head)
            }
        }
        try await synchronize()
    }

    private func leaveLostEntries(_ state: SyncState, _ head: Int64) async throws {
        let known = try container.readRows("reading how far the store is") {
            try EntryMarks(connection: $0).positions(upTo: head)
        }
        let common = try await commonPosition(known)
        // If none is known, the store's rows are compared with the rows of the log's newest snapshot.
        var base = common
        if base == nil { base = try await snapshots().last { $0.modelHash == state.modelHash }?.position }
        if let base {
            let lost = known.filter { common == nil || $0.position > base }.map(\.entry)
            let done: Void? = try await withRows(upTo: base, modelHash: state.modelHash, migrated: false) { _, file in
                try await rejoin(state, after: base, lost, file, isBaseKnown: common != nil)
            }
            if done != nil { return try await leaseUnusedNumbers() }
        }
        try container.writeTables("joining the log again") { connection in
            guard var found = try SyncState(connection), found == state else { throw CancellationError() }
            (found.site, found.count, found.head) = (UUID(), 0, nil)
            try found.write(connection)
            try OutgoingEntry.remove(connection)
            try EntryMarks(connection: connection).removeAll(after: -1)
            let shadow = ShadowTables(
                tables: try SyncedTables(ChangedTables(container.model, connection)), connection: connection)
            try shadow.clear()
            try shadow.keepAbsenceOfAll()
        }
        try await leaseUnusedNumbers()
    }

    /// Follows the log from the newest state that both have, after its entries include the lost changes. This store or
    /// another one reapplies them.
    ///
    /// The store stays as it is until then. An entry says which lost ones it has, so that each is reapplied once.
    ///
    /// - Parameters:
    ///   - common: The position of the newest entry that both have.
    ///   - lost: The entries that the log lacks.
    ///   - file: The rows at that position.
    ///   - isBaseKnown: Whether the store had these rows. Otherwise only the objects that the log lacks are
    ///     reapplied.
    private func rejoin(
        _ state: SyncState, after common: Int64, _ lost: [UUID], _ file: Connection, isBaseKnown: Bool
    ) async throws {
        var made: (id: UUID?, events: [SyncEvent]) = (nil, [])
        for _ in 0..<max(1, options.stepAttempts) {
            let entries = try await entries(after: common)
            guard try await steps(entries).isEmpty else { throw SyncError.overtaken(attempts: 1) }
            let covering = entries.firstIndex { logged in
                logged.entry.id != nil && logged.entry.id == made.id
                    || !lost.isEmpty && Set(logged.entry.rejoined ?? []).isSuperset(of: lost)
            }
            let (largeValues, misfits) = try await largeValues(of: entries[...])
            if let covering {
                let followed = Array(entries[...covering])
                try rebase { following in
                    (following.misfits, following.isCareful) = (misfits, true)
                    try EntryMarks(connection: following.connection).removeAll(after: isBaseKnown ? common : -1)
                    try following.follow(followed, largeValues: largeValues, snapshot: file)
                    if followed.last?.entry.id == made.id { following.events += made.events }
                    try OutgoingEntry.remove(following.connection)
                } changing: { found in
                    guard found == state, let last = followed.last else { throw CancellationError() }
                    (found.site, found.count, found.head) = (UUID(), 0, last.position)
                }
                return
            }
            let (body, events) = try lostChanges(
                state, entries, largeValues, misfits, file, isBaseKnown)
            for (hash, bytes) in body.largeValues { try await log.add(bytes, hash: hash) }
            let previous =
                try entries.last?.entry.id
                ?? container.readRows("reading how far the store is") {
                    try EntryMarks(connection: $0).entry(at: common)
                }
            var entry = SyncEntry(
                kind: .changes, site: UUID(), count: 1, modelHash: state.modelHash, author: options.entryAuthor,
                date: Date(), body: body.data, largeValues: body.names.sorted(),
                previous: entries.last == nil || entries.last?.entry.id != nil ? previous : nil)
            entry.rejoined = lost
            made = (entry.id, events)
            _ = try await log.append(entry, after: entries.last?.position ?? common)
        }
        throw SyncError.overtaken(attempts: options.stepAttempts)
    }

    private func entries(after position: Int64) async throws -> [LoggedSyncEntry] {
        var (entries, place): ([LoggedSyncEntry], Int64) = ([], position)
        while true {
            let next = try await log.entries(after: place, limit: options.batchCount)
            try check(next, after: place)
            guard let last = next.last else { return entries }
            entries += next
            place = last.position
        }
    }

    /// The rows of a store, found without changing them.
    private struct Found: Error {
        var body: EntryBody
        var events: [SyncEvent]
    }

    /// The changes that the log lost, over the entries that it has by now.
    private func lostChanges(
        _ state: SyncState, _ entries: [LoggedSyncEntry], _ largeValues: [String: Data], _ misfits: [Int64: String],
        _ file: Connection, _ isBaseKnown: Bool
    ) throws -> (EntryBody, [SyncEvent]) {
        do {
            try rebase { following in
                (following.misfits, following.isCareful) = (misfits, true)
                let changes = try following.lostChanges(since: file, entries, largeValues) { change in
                    isBaseKnown || change.operation == .insert
                }
                let body = try EntryBody(changes, largeFrom: options.largeValueThreshold) {
                    try ModelContainer.content($0, following.connection)
                }
                throw Found(body: body, events: following.events)
            } changing: { found in
                guard found == state else { throw CancellationError() }
            }
        } catch let found as Found {
            return (found.body, found.events)
        }
        throw CancellationError()
    }

    /// The position of the newest entry that both the store and the log have; nil if none is known.
    private func commonPosition(_ known: [(position: Int64, entry: UUID)]) async throws -> Int64? {
        let site = try readState().site
        var (first, end) = (0, known.count)
        while first < end {
            let middle = (first + end) / 2
            let isSame =
                try await log.standing(of: site, at: known[middle].position).entry == known[middle].entry
            if isSame { first = middle + 1 } else { end = middle }
        }
        return first == 0 ? nil : known[first - 1].position
    }

    /// Takes numbers beyond those that objects have: the log may have forgotten which it gave.
    private func leaseUnusedNumbers() async throws {
        let greatest = try container.readRows("looking at the numbers of objects") { connection in
            try ChangedTables(container.model, connection).objectTables.compactMap {
                try connection.integer(
                    "SELECT max(\"id$\") FROM \($0.quotedIdentifier) WHERE \"id$\" < ?1",
                    [.integer(SyncIdentifiers.firstProvisional)])
            }.max() ?? 0
        }
        var range = try await lease(options.leaseCount)
        while range.lowerBound <= greatest {
            // Not more at once than a log gives.
            range = try await lease(min(greatest - range.lowerBound + options.leaseCount, 1 << 30))
        }
    }
}
