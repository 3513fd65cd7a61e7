import AshlarSQLite

/// Rows that got other rowids in the store, because a synchronization renumbered them or two objects became one.
extension ModelContext {
    /// Whether rows got other rowids since the context last followed them.
    @inline(__always)
    var hasRenumberedRows: Bool {
        container.hub.renumberedCount.load(ordering: .acquiring) != knownRenumberedCount
    }

    /// Updates objects of renumbered rows and all references to them to the new rowids, and merges the rows. Changes of
    /// an object are kept on top.
    ///
    /// Contexts that do not merge automatically do this too, because they could not save the objects otherwise.
    func followRenumberedRows() throws {
        // A context that is pinned to an older state finds the rows under their earlier rowids.
        guard hasRenumberedRows, parent == nil, reading.pinnedGeneration?.generation == nil else { return }
        let rows = container.hub.renumberings(after: knownRenumberedCount)
        knownRenumberedCount += rows.count
        let changes = RowIDChanges(RenumberedRows(rows))
        renumber(changes)
        if undoManager != nil { for (row, rowID) in rows { laterRowIDs.note(row, rowID) } }
        for (row, _) in rows {
            guard let object = registry[changes[row.rowID, row.root], row.root] else { continue }
            if object.record.state == .persisted {
                try refreshObject(object, mergeChanges: true, settlesConflicts: true)
            } else if object.record.state == .deleted,
                let stored = try storedCopy(of: object.record.rowID, like: object)
            {
                // The versions of the other row began at the start again.
                object.record.version = stored.record.version
            }
        }
    }

    /// Returns the identifier that an object has now; nil if it did not change.
    ///
    /// Hardly any store has such rows, so each lookup only tests whether there are any. A context that is pinned to an
    /// older state has its rows under their earlier rowids.
    @inline(__always)
    func laterIdentifier(_ identifier: PersistentIdentifier) -> PersistentIdentifier? {
        // Child contexts do not count the rows that their parents follow.
        if knownRenumberedCount == 0, parent == nil { return nil }
        return renumbered(identifier)
    }

    @inline(never)
    private func renumbered(_ identifier: PersistentIdentifier) -> PersistentIdentifier? {
        let row = RowKey(root: identifier.number.root, rowID: identifier.rowID)
        guard let rowID = container.hub.number(of: row) else { return nil }
        return PersistentIdentifier(rowID: rowID, store: identifier.store, entity: identifier.number)
    }
}
