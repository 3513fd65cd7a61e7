import Ashlar
import AshlarSQLite
import Foundation

/// Makes entries of saved changes, and gets numbers for new objects.
extension StoreSync {
    /// The next entry to send, made of everything that was saved here; nil if there is nothing to send.
    func nextEntry() async throws -> OutgoingEntry? {
        while true {
            var mustRenumber = false
            let made = try container.writeTables("gathering the saved changes") { connection -> OutgoingEntry? in
                guard let state = try SyncState(connection), let head = state.head else { throw SyncError.damaged }
                if let known = try OutgoingEntry(connection) {
                    if known.entry.site == state.site { return known }
                    // Everything that the former site sent has been read.
                    try OutgoingEntry.remove(connection)
                }
                let shadow = ShadowTables(
                    tables: try SyncedTables(ChangedTables(container.model, connection)), connection: connection)
                let pending = try shadow.pendingChanges()
                status.pendingCount = pending.count
                if pending.isEmpty {
                    if try !shadow.isEmpty() { try shadow.clear() }
                    return nil
                }
                mustRemoveFiles = mustRemoveFiles || pending.contains { $0.old.contains(where: \.isReference) }
                mustRenumber = pending.contains(where: Renumbering.isNeeded)
                if mustRenumber { return nil }
                try requireReadable(pending)
                let body = try EntryBody(pending, largeFrom: options.largeValueThreshold) {
                    try ModelContainer.content($0, connection)
                }
                let outgoing = OutgoingEntry(
                    entry: SyncEntry(
                        kind: .changes, site: state.site, count: state.count + 1, modelHash: state.modelHash,
                        author: options.entryAuthor, date: Date(), body: body.data, largeValues: body.names.sorted(),
                        previous: try EntryMarks(connection: connection).entry(at: head)),
                    head: head, newest: try ModelContainer.newestChange(connection), largeValues: body.largeValues)
                try outgoing.write(connection)
                return outgoing
            }
            guard mustRenumber else { return made }
            try await takeNumbers()
            try rebase({ try $0.follow([]) })
        }
    }

    /// Refuses to send a value that another program wrote and no object can read: all others would leave the entry out.
    private func requireReadable(_ changes: [RowChange]) throws {
        var narrowColumns = NarrowColumns(merge.narrowColumns)
        for change in changes {
            guard let (column, expected) = narrowColumns.unreadable(change) else { continue }
            throw StoreError.invalidValue(
                entity: column.entity, property: column.property, rowID: change.key.first, expected: expected)
        }
    }

    /// Marks an entry as present in the log.
    func settle(_ outgoing: OutgoingEntry, _ position: Int64) throws {
        try container.writeTables("recording the sent entry") { connection in
            guard var state = try SyncState(connection) else { throw SyncError.damaged }
            guard state.head == position - 1 else {
                // It came with others' entries, or with a snapshot.
                if (state.head ?? 0) >= position { try OutgoingEntry.remove(connection) }
                return
            }
            // The rows of an entry of an earlier version are compared when the log's version is followed.
            if outgoing.entry.modelHash == (try container.versionHash()) {
                let shadow = ShadowTables(
                    tables: try SyncedTables(ChangedTables(container.model, connection)), connection: connection)
                if try ModelContainer.newestChange(connection) == outgoing.newest {
                    try shadow.clear()
                } else {
                    try shadow.settle(
                        EntryBody.changes(in: outgoing.entry.body, shadow.tables, largeValues: outgoing.largeValues))
                }
            }
            if !logged.isEmpty {
                for hash in outgoing.largeValues.keys.sorted() { try LoggedColumns.noteGiven(hash, connection) }
            }
            try EntryMarks(connection: connection).note(outgoing.entry.id, at: position)
            state.head = position
            state.count = max(state.count, outgoing.entry.count)
            try state.write(connection)
            try OutgoingEntry.remove(connection)
        }
        status.logHead = max(status.logHead, position)
        status.pendingCount = 0
        _ = try readState()
    }

    // MARK: Numbers

    /// Requests numbers for new objects from the log if the store has none of the log's, or few are left.
    ///
    /// - Parameter isNew: Whether it needs other numbers than those that it has.
    func takeNumbers(isNew: Bool = false) async throws {
        if !isNew, let known = try container.identifierRange(), SyncIdentifiers.leased.contains(known.lowerBound),
            try !isNearlyUsed(known)
        {
            return
        }
        try await lease(options.leaseCount)
    }

    /// Requests numbers for new objects from the log.
    @discardableResult
    func lease(_ wanted: Int64) async throws -> ClosedRange<Int64> {
        let count = min(max(wanted, 1), SyncIdentifiers.greatestLeaseCount)
        let range = try await log.leaseIdentifiers(site: readState().site, count: count)
        guard SyncIdentifiers.leased.contains(range.lowerBound), SyncIdentifiers.leased.contains(range.upperBound),
            range.upperBound - range.lowerBound == count - 1
        else {
            throw SyncLogError.malformed(reason: "it gives the numbers \(range) where \(count) were wanted")
        }
        try container.setIdentifierRange(range)
        return range
    }

    func isNearlyUsed(_ range: ClosedRange<Int64>) throws -> Bool {
        let used = try container.readRows("reading the numbers that are used") {
            try $0.integer(
                "SELECT max(\"seq\") FROM \"sqlite_sequence\" WHERE \"seq\" BETWEEN ?1 AND ?2",
                [.integer(range.lowerBound), .integer(range.upperBound)])
        }
        return (used ?? 0) > range.upperBound - Int64(max(1, range.count / 10))
    }
}
