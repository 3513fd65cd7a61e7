public import Ashlar
import AshlarSQLite
import Foundation

extension StoreSync {
    /// Restores an object that was dropped, with all its values.
    ///
    /// The restored object is a change of this store, as if it were inserted now. Objects that it requires are restored
    /// too, including those that were deleted on purpose. References to other missing objects become nil. If another
    /// object has the unique values by now, both are merged.
    ///
    ///     for event in try await sync.keptEvents() where event.canRestore { try await sync.restore(event) }
    ///
    /// - Parameter event: An event with ``SyncEvent/canRestore``.
    /// - Returns: The identifier of the object; also if it was made again before.
    /// - Throws: ``SyncError/cannotRestore(reason:)`` if the event has no values, or an object that is required is
    ///   gone; or `StoreError`.
    @discardableResult
    public func restore(_ event: SyncEvent) throws -> PersistentIdentifier {
        guard let dropped = event.dropped else {
            throw SyncError.cannotRestore(reason: "the event does not have the values of an object")
        }
        var others: [Following.DeletedRow: DroppedRow] = [:]
        for event in try keptEvents() {
            for row in [event.dropped].compactMap({ $0 }).flatMap({ ($0.required ?? []) + [$0] }) {
                others[Following.DeletedRow(table: row.table, row: row.row)] = row
            }
        }
        for row in dropped.required ?? [] { others[Following.DeletedRow(table: row.table, row: row.row)] = row }
        let range = try container.identifierRange() ?? SyncIdentifiers.firstProvisional...(1 << 62)
        var identifier: PersistentIdentifier?
        let events = try writing("restoring an object", options.author, to: container.stores[0]) { connection in
            let hash = try SyncState(connection)?.modelHash ?? ""
            let following = try Following(
                container, connection, modelHash: hash, range: range, merge: merge, author: options.author)
            identifier = try following.restore(dropped, others)
            return (try SyncEvent.keep(following.events, connection), following.changes)
        }
        tell(events)
        guard let identifier else { throw SyncError.cannotRestore(reason: "its entity is not in the model any more") }
        return try container.currentIdentifier(for: identifier)
    }
}

extension Following {
    /// Restores a dropped row, with the rows that it requires.
    fileprivate func restore(
        _ dropped: DroppedRow, _ others: [DeletedRow: DroppedRow]
    ) throws -> PersistentIdentifier? {
        var changes: [RowChange] = []
        var seen: Set<DeletedRow> = []
        var waiting = [dropped]
        while let next = waiting.popLast() {
            guard let table = tables.byName[next.table] else {
                throw SyncError.cannotRestore(reason: "the model has no \(next.table) any more")
            }
            guard seen.insert(DeletedRow(table: next.table, row: next.row)).inserted,
                try table.row(RowKey(first: next.row), connection) == nil
            else { continue }
            var change = RowChange(
                table: table, operation: .insert, key: RowKey(first: next.row),
                values: table.stored.columns.map { next.value($0) })
            change.values[table.keyPositions[0]] = .integer(next.row)
            for referred in references(of: change) {
                let target = try current(referred.target)
                change.values[referred.position] = .integer(target.row)
                if try tables.byName[target.table]?.row(RowKey(first: target.row), connection) != nil { continue }
                if !referred.reference.isRequired {
                    change.values[referred.position] = .null
                } else if let other = others[target] {
                    waiting.append(other)
                } else if !seen.contains(target) {
                    throw SyncError.cannotRestore(reason: "the \(referred.reference.column) that it requires is gone")
                }
            }
            changes.append(try placed(change))
        }
        let identifier = model.identifier(
            dropped.table, dropped.row, discriminator: dropped.value("entity$"), container)
        try connection.recordingHistory(of: HistoryOrigin(author: author)) { try apply(changes) }
        return identifier
    }

    /// The present object in the place of another one.
    private func current(_ row: DeletedRow) throws -> DeletedRow {
        let found = try connection.integer(
            "SELECT \"current\" FROM \"ashlar$syncAlias\" WHERE \"table\" = ?1 AND \"row\" = ?2",
            [.text(row.table), .integer(row.row)])
        return DeletedRow(table: row.table, row: found ?? row.row)
    }
}
