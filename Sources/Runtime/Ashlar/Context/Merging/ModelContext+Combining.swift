import AshlarSQLite

/// Combines the changes that this context and others made to one object.
extension ModelContext {
    /// Gives a changed object the properties that only the store changed, and settles those that both sides changed.
    ///
    /// - Parameters:
    ///   - stored: A copy of the object's row.
    ///   - settlesConflicts: Whether the merge policy resolves properties that both sides changed. If the policy does
    ///     not resolve them, they remain a conflict that the next save throws. When false, the object's values stay.
    func combine(_ object: ManagedObject, with stored: ManagedObject, settlesConflicts: Bool) throws {
        if settlesConflicts, mergePolicy.isError, let known = pending.propertyConflicts[ObjectIdentifier(object)],
            known.stored.record.version == stored.record.version
        {
            // This conflict was already recorded, for the same version of the row.
            return
        }
        let original = originalCopy(of: object)
        var changed = try changedColumns(of: object, since: original, stored)
        var policy = MergePolicy.mergeByPropertyObjectTrump
        if settlesConflicts, !changed.conflicting.isEmpty {
            policy = settledPolicy(object, stored, original) { try conflict(object, stored, original) }
            // A custom policy may have changed the object.
            changed = try changedColumns(of: object, since: original, stored)
        }
        let isConflict = policy.isError && !changed.conflicting.isEmpty
        if isConflict { policy = .mergeByPropertyObjectTrump }
        guard let merged = try copy(stored, keeping: changed.kept(by: policy, of: object), of: object, changed.sums)
        else { return }
        if merged.record.version != stored.record.version {
            // Others changed the row after it was read.
            guard let newer = try storedCopy(of: object.record.rowID, like: object) else { return }
            return try combine(object, with: newer, settlesConflicts: settlesConflicts)
        }
        if isConflict {
            // The original keeps its earlier values in these properties, so that the save detects the conflict.
            guard let before = try copy(stored, keeping: changed.conflicting, of: original, [:]) else { return }
            object.restore(merged.snapshot())
            object.original = before.snapshot()
            pending.noteConflict(of: object, PropertyConflict(columns: changed.conflicting, stored: stored))
            // A rollback then reads the row again.
            pending.noteRowToMerge(RowKey(object))
        } else {
            let keepsNothing =
                object.record.state == .persisted && merged.changes(since: stored.snapshot(), in: .max) == 0
            if keepsNothing { forgetChangedReferences(of: object) }
            object.restore(merged.snapshot())
            object.original = stored.snapshot()
            // An object that replaces its row also writes properties that this context did not change.
            if case .overwrite = policy.kind { object.changes |= object.changes(since: stored.snapshot(), in: .max) }
            object.record.version = stored.record.version
            pending.noteConflict(of: object, nil)
            if keepsNothing { unlistIfNothingElseChanged(object) }
        }
    }

    /// If the merge policy keeps none of an object's changes, the object is unchanged, and the next fetch refreshes it.
    /// An owner whose members changed stays listed as changed, because a fetch finds these members through it.
    private func unlistIfNothingElseChanged(_ object: ManagedObject) {
        if pending.isTouched(object) || pending.hasChangedMembers(object) || pending.hasChangedLinks(object) { return }
        listeners.event?.noteTakenBack(of: object, columns: object.changes)
        object.record.original = .none
        object.changes = 0
        pending.forgetUnknownRawValues(of: object)
        unlistIfUnchanged(object)
    }

    /// A copy of a stored row with another object's values of some columns, and sums.
    private func copy(
        _ stored: ManagedObject, keeping columns: Set<Int>, of object: ManagedObject, _ sums: [Int: SQLiteValue]
    ) throws -> ManagedObject? {
        let kept = Dictionary(uniqueKeysWithValues: columns.map { ($0, object) })
        return try storedCopy(of: stored.record.rowID, like: object, keeping: kept, values: sums)
    }

    /// The policy that the merge policy selects for a conflict. If a custom policy throws an error, the conflict is
    /// left to the save, which calls the policy again and throws the error.
    func settledPolicy(
        _ object: ManagedObject, _ stored: ManagedObject, _ original: ManagedObject?,
        _ conflict: () throws -> MergeConflict
    ) -> MergePolicy {
        let wasSaving = activity.beginSettling()
        defer { activity.endSettling(wasSaving) }
        do {
            return try mergePolicy.settled(try conflict(), object, stored, original)
        } catch {
            return .error
        }
    }
}
