import AshlarSQLite

/// Rows that got other numbers in the store, because it first met its log or because two objects became one.
extension ModelContext {
    /// True if rows got other numbers after the context last followed them.
    @inline(__always)
    var hasRenumberedRows: Bool {
        container.hub.renumberedCount.load(ordering: .acquiring) != knownRenumberedCount
    }

    /// Gives the objects of such rows the other numbers, with all that refers to them, and merges their rows. The changes of
    /// an object stay on top.
    ///
    /// A context that merges nothing by itself does so too, since it could not save the objects otherwise.
    func followRenumberedRows() throws {
        // A context that stays at an older state finds the rows under their older numbers.
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
                // The versions of the other row began anew.
                object.record.version = stored.record.version
            }
        }
    }

    /// The identifier that the object of an identifier has by now; nil if it is the same.
    ///
    /// Hardly any store has such rows, so only the question for them is part of each lookup. A context that has not followed
    /// them, because it stays at an older state, has its rows under the older numbers.
    @inline(__always)
    func laterIdentifier(_ identifier: PersistentIdentifier) -> PersistentIdentifier? {
        // Contexts below others do not count the rows that these follow.
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
