extension ModelContext {
    /// Stores all changes in one transaction: all of them, or none.
    ///
    /// Objects get their permanent identifiers. After an error context and store are as they were before.
    ///
    /// - Throws: ``SaveError``; an error of an earlier lazy load, whose getter could not throw it.
    public func save() throws {
        try throwDeferredError()
        guard hasChanges else { return }
        let changes = PendingSave(self)
        try changes.validate()
        // The transaction must not read through the context, so what it needs is loaded before.
        for (key, entry) in reordered { _ = members(of: entry.owner, key.relationship) }
        try throwDeferredError()
        if container.isReadOnly { throw SaveError.readOnly }
        try changes.write()
        finish(changes)
    }

    /// Gives the objects their new identity and forgets what was pending.
    private func finish(_ save: PendingSave) {
        for update in save.updates {
            if update.mask != 0 || update.bumpsVersion { update.object.record.version += 1 }
        }
        var changedRoots: Set<UInt16> = []
        for object in save.inserts {
            if let rowID = save.permanentRowIDs[object.record.rowID] { object.record.rowID = rowID }
            object.record.state = .persisted
            object.record.version = 1
            changedRoots.insert(object.entity.number.root)
        }
        if !save.permanentRowIDs.isEmpty {
            for object in save.inserts { replaceTemporaryIdentifiers(of: object, save.permanentRowIDs) }
            for update in save.updates { replaceTemporaryIdentifiers(of: update.object, save.permanentRowIDs) }
            for key in pendingLinks.keys { replaceTemporaryMembers(of: key, save.permanentRowIDs) }
            for key in reordered.keys { replaceTemporaryMembers(of: key, save.permanentRowIDs) }
        }
        for object in save.inserts { clean(object) }
        for object in changed { clean(object) }
        for object in deleted {
            map(for: object.entity.number.root).remove(object.record.rowID)
            object.record.state = .gone
            object.record.context = nil
        }
        inserted = []
        changed = []
        deleted = []
        pendingLinks = [:]
        reordered = [:]
        for root in changedRoots { map(for: root).reindex() }
        for map in maps { map?.sweepIfGrown() }
    }

    private func replaceTemporaryIdentifiers(of object: ManagedObject, _ rowIDs: [Int64: Int64]) {
        for column in object.entity.referenceColumns {
            guard let identifier = object._ashlarIdentifier(column), identifier.isTemporary,
                let rowID = rowIDs[identifier.rowID]
            else { continue }
            object._ashlarSetIdentifier(
                column,
                PersistentIdentifier(rowID: rowID, store: container.storeNumber, entity: identifier.number))
        }
    }

    private func replaceTemporaryMembers(of key: LinkKey, _ rowIDs: [Int64: Int64]) {
        let owner = maps[Int(key.root)]?[key.rowID]
        guard let members = owner?.record.links?.members[key.relationship] else { return }
        owner?.record.links?.members[key.relationship] = members.map { $0 < 0 ? rowIDs[$0] ?? $0 : $0 }
    }
}

extension EntityDescription {
    /// The positions of the foreign key columns, inherited ones included.
    var referenceColumns: [Int] {
        relationships.compactMap { relationship in
            if case .column(let column) = relationship.storage { column } else { nil }
        }
    }
}
