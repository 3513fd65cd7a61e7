extension ModelContext {
    /// Stores all changes in one transaction: all of them, or none.
    ///
    /// Objects get their permanent identifiers. After an error context and store are as they were before.
    ///
    /// - Throws: ``SaveError``; an error of an earlier lazy load, whose getter could not throw it.
    public func save() throws {
        try throwDeferredError()
        guard hasChanges else { return }
        if hasForgottenObjects || !deleted.isEmpty { clearReferencesToNothing() }
        let changes = PendingSave(self)
        try changes.validate()
        // The transaction must not read through the context, so what it needs is loaded before.
        for (key, entry) in reordered { _ = members(of: entry.owner, key.relationship) }
        try throwDeferredError()
        if container.isReadOnly { throw SaveError.readOnly }
        try changes.write()
        finish(changes)
    }

    /// Empties references without an inverse to objects that this save deletes, or that were never saved.
    private func clearReferencesToNothing() {
        for object in inserted + changed where object.liveContext != nil {
            for relationship in object.entity.relationships {
                guard case .column(let column) = relationship.storage,
                    let identifier = object._ashlarIdentifier(column)
                else { continue }
                let target = registeredObject(identifier)
                let isGone = identifier.isTemporary ? target == nil : target?.record.state == .deleted
                guard isGone, identifier.isTemporary || !keepsReferences(relationship) else { continue }
                object._ashlarWillChange(ManagedObject.bit(of: column))
                object._ashlarSetIdentifier(column, nil)
            }
        }
    }

    /// Whether deleting the destination leaves references to it as they are.
    private func keepsReferences(_ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse,
            let destination = container.model.entity(named: relationship.destination)
        else { return false }
        return destination.relationships[inverse].deletionRule == .noAction
    }

    /// Gives the objects their new identity and forgets what was pending.
    private func finish(_ save: PendingSave) {
        for update in save.updates {
            if update.mask != 0 || update.bumpsVersion { update.object.record.version += 1 }
        }
        var changedRoots: Set<UInt16> = []
        var lastRoot: UInt16?
        // One pass, since each brings all objects into the processor's cache again.
        for object in save.inserts {
            if let rowID = save.permanentRowIDs[object.record.rowID] { object.record.rowID = rowID }
            object.record.state = .persisted
            object.record.version = 1
            replaceTemporaryIdentifiers(of: object, save.permanentRowIDs)
            clean(object)
            let root = object.entity.number.root
            if root != lastRoot { changedRoots.insert(root) }
            lastRoot = root
        }
        if !save.permanentRowIDs.isEmpty {
            for update in save.updates { replaceTemporaryIdentifiers(of: update.object, save.permanentRowIDs) }
            for key in pendingLinks.keys { replaceTemporaryMembers(of: key, save.permanentRowIDs) }
            for key in reordered.keys { replaceTemporaryMembers(of: key, save.permanentRowIDs) }
        }
        for object in changed { clean(object) }
        for object in deleted {
            map(for: object.entity.number.root).remove(object.record.rowID)
            object.detach(.gone)
        }
        hasForgottenObjects = false
        inserted = []
        changed = []
        deleted = []
        pendingLinks = [:]
        reordered = [:]
        for root in changedRoots { map(for: root).reindex() }
        for map in maps { map?.sweepIfGrown() }
    }

    private func replaceTemporaryIdentifiers(of object: ManagedObject, _ rowIDs: PermanentRowIDs) {
        for column in object.entity.referenceColumns {
            guard let identifier = object._ashlarIdentifier(column), identifier.isTemporary,
                let rowID = rowIDs[identifier.rowID]
            else { continue }
            object._ashlarSetIdentifier(
                column,
                PersistentIdentifier(rowID: rowID, store: container.storeNumber, entity: identifier.number))
        }
    }

    private func replaceTemporaryMembers(of key: LinkKey, _ rowIDs: PermanentRowIDs) {
        let owner = maps[Int(key.root)]?[key.rowID]
        guard let members = owner?.record.links?.members[key.relationship] else { return }
        owner?.record.links?.members[key.relationship] = members.map { $0 < 0 ? rowIDs[$0] ?? $0 : $0 }
    }
}
