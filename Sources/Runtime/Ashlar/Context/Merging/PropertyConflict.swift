/// Properties of one object that this context and the store changed since the context read its row.
///
/// A merge leaves them to the next save. The object keeps its own values, its original values, and the version that the
/// context read, so that the save detects the conflict in any case.
struct PropertyConflict {
    /// The columns that both sides changed.
    var columns: Set<Int>
    /// A copy of the row that the merge read.
    let stored: ManagedObject
    /// Whether a save has thrown the conflict. A property that the program sets afterwards is settled.
    var isReported = false
}

extension ModelContext {
    /// Records that the program receives conflicts that a save found.
    ///
    /// A context that merges automatically merges first, so that a property that the program sets next is settled.
    func noteReport(of conflicts: [MergeConflict]) {
        do {
            try mergeWaitingChanges()
            // A save of another process sends no notification to this one.
            for conflict in conflicts where subscription.isOn && conflict.kind == .changed {
                guard let object = registry.object(conflict.object), object.record.state == .persisted,
                    !object.record.hasConflict
                else { continue }
                try refreshObject(object, mergeChanges: true, settlesConflicts: true)
            }
        } catch {
            errors.note(error)
        }
        pending.noteReport(
            of: Dictionary(conflicts.map { ($0.object, $0.newVersion) }, uniquingKeysWith: { first, _ in first }))
    }

    /// Settles the conflict of properties that the program sets again after a save has thrown it.
    ///
    /// Once all its properties are settled, the object counts as read from the row that the merge found.
    func settleConflict(of object: ManagedObject, setting bits: UInt64) {
        guard !isUndoing, var conflict = pending.propertyConflicts[ObjectIdentifier(object)], conflict.isReported
        else { return }
        // The last bit stands for several columns, and does not show which of them is set.
        conflict.columns = conflict.columns.filter { $0 >= 63 || ManagedObject.bit(of: $0) & bits == 0 }
        if !conflict.columns.isEmpty { return pending.noteConflict(of: object, conflict) }
        object.original = conflict.stored.snapshot()
        object.record.version = conflict.stored.record.version
        pending.noteConflict(of: object, nil)
    }
}
