import AshlarSQLite

/// One-to-one relationships. Only one side has a column, so two contexts can give one object two partners without
/// writing the same row.
extension PendingSave {
    /// Records the partners of objects of an entity, if columns of one-to-one relationships are written.
    func notePartners(of objects: some Sequence<ManagedObject>, _ entity: EntityDescription, _ mask: UInt64) {
        for column in container.model.oneToOneColumns(of: entity) where mask & ManagedObject.bit(of: column) != 0 {
            partners.note(objects, entity, column: column)
        }
    }

    /// Finds the objects whose partners belong to other rows, after everything is written.
    ///
    /// - Throws: ``VersionConflict`` if there are any.
    func findTakenPartners(_ connection: Connection) throws {
        takenPartners = try partners.taken(container.model, connection) { object in
            permanentRowIDs[object.record.rowID] ?? object.record.rowID
        }
        if !takenPartners.isEmpty { throw VersionConflict() }
    }

    // MARK: Settling

    /// Settles conflicts over partners by the context's policy: the object keeps its partner in the store, or takes its
    /// new one from the other row.
    ///
    /// - Throws: ``SaveError/conflict(_:)`` for those that the policy leaves.
    func resolveTakenPartners() throws {
        let found = takenPartners
        takenPartners = []
        var unresolved: [MergeConflict] = []
        for taken in found {
            let (object, column) = (taken.object, taken.column)
            let identifier = container.identifier(ofHolder: taken)
            guard let partner = object.identifier(inColumn: column),
                let theirs = try conflicts.storedCopy(of: taken.holder, like: object)
            else { continue }
            let stored = try conflicts.storedRow(of: object)
            let conflict = conflicts.conflict(taken, stored)
            beforeMerging.append(ObjectState(object))
            switch try conflicts.mergePolicy.settled(conflict, object, theirs, stored).kind {
            case .storeTrump, .rollback:
                object.setIdentifier(stored?.identifier(inColumn: column), inColumn: column)
                if object.original != nil, returned[ObjectIdentifier(object)] == nil { update(object) }
            case .objectTrump, .overwrite:
                guard let holder = try graph.existingObject(identifier) else {
                    unresolved.append(conflict)
                    continue
                }
                beforeMerging.append(ObjectState(holder))
                try merge(holder, with: theirs, conflicts.originalCopy(of: holder), .mergeByPropertyObjectTrump)
                guard holder.identifier(inColumn: column) == partner else { continue }
                holder.setIdentifier(nil, inColumn: column)
                update(holder)
            case .error, .custom: unresolved.append(conflict)
            }
        }
        if !unresolved.isEmpty { throw SaveError.conflict(unresolved) }
    }
}
