/// One-to-one relationships in a merge: another save and this context may have given an object different partners
/// without writing the same row.
extension ModelContext {
    /// Settles the one-to-one relationships of changed objects after rows of some tables were merged.
    ///
    /// - Parameter policy: The policy to use in place of the merge policy.
    func settlePartners(ofRowsIn roots: Set<UInt16>, _ policy: MergePolicy? = nil) throws {
        if !container.model.hasOneToOneColumns || pending.isEmpty { return }
        try settlePartners(of: (pending.changed + pending.inserted).filter { roots.contains($0.rootNumber) }, policy)
    }

    /// Settles one-to-one relationships that lead from objects of this context to the partners of other rows.
    ///
    /// If the policy does not decide, both objects refer to the partner until the next save, which throws the conflict.
    ///
    /// - Parameter policy: The policy to use in place of the merge policy.
    func settlePartners(of objects: some Sequence<ManagedObject>, _ policy: MergePolicy? = nil) throws {
        // In a child context, the parent's save resolves such a conflict.
        if parent != nil || !container.model.hasOneToOneColumns { return }
        var wanted = WantedPartners()
        for object in objects where object.isLive(in: self) {
            for column in container.model.oneToOneColumns(of: object.entity) where setsReference(object, column) {
                wanted.note(CollectionOfOne(object), object.entity, column: column)
            }
        }
        if wanted.isEmpty { return }
        let taken = try read("reading one-to-one relationships") { connection in
            try wanted.taken(container.model, connection) { $0.record.rowID }
        }
        for taken in taken { try settle(taken, policy) }
    }

    /// Returns whether a save would write a column with a reference.
    private func setsReference(_ object: ManagedObject, _ column: Int) -> Bool {
        object.record.state == .inserted || object.changesFromOriginal & ManagedObject.bit(of: column) != 0
            // Others deleted the row, which a policy may insert again.
            || pending.rowsToMerge.contains(RowKey(object))
    }

    private func settle(_ taken: TakenPartner, _ policy: MergePolicy?) throws {
        let (object, column) = (taken.object, taken.column)
        guard let holder = try existingObject(container.identifier(ofHolder: taken)),
            let theirs = try storedCopy(of: taken.holder, like: object)
        else { return }
        if holder.record.version != theirs.record.version {
            try refreshObject(holder, mergeChanges: true, settlesConflicts: policy == nil)
        }
        let partner = object.identifier(inColumn: column)
        // This context may already have taken the partner from the holder.
        guard partner != nil, holder.isLive(in: self), holder.identifier(inColumn: column) == partner else { return }
        let stored = try storedRow(of: object)
        let policy = policy ?? settledPolicy(object, theirs, stored) { conflict(taken, stored) }
        // A custom policy may have changed the object.
        guard object.identifier(inColumn: column) == partner else { return }
        switch policy.kind {
        case .storeTrump, .rollback:
            let before = stored?.identifier(inColumn: column)
            setPartner(of: object, column, to: before.flatMap { isPartner($0, of: object, column) ? nil : $0 })
        case .objectTrump, .overwrite: setPartner(of: holder, column, to: nil)
        case .error, .custom: break
        }
    }

    /// Returns whether an object cannot become the partner again: it is deleted here, or has another partner.
    private func isPartner(_ identifier: PersistentIdentifier, of object: ManagedObject, _ column: Int) -> Bool {
        if registry.object(identifier)?.record.state == .deleted { return true }
        return heldReferences(of: object).contains { held, inverse, _ in
            held == column && pending.links[LinkKey(identifier, inverse)]?.added.isEmpty == false
        }
    }

    /// Gives an object another partner. An undo does not take this back, because it is not a change of this context.
    private func setPartner(of object: ManagedObject, _ column: Int, to partner: PersistentIdentifier?) {
        let bit = ManagedObject.bit(of: column)
        let isRequired = object.entity.relationships.contains { relationship in
            if case .column(column) = relationship.storage { !relationship.isOptional } else { false }
        }
        // The save's validation reports it.
        if partner == nil, isRequired { return }
        let before = ObjectState(object)
        if object.record.state == .persisted {
            object.keepOriginal(bit)
            pending.list(object)
        }
        object.record.changes |= bit
        object.setIdentifier(partner, inColumn: column)
        referencesChanged(since: before)
        for (held, inverse, other) in heldReferences(of: object) where held == column {
            guard let former = before.identifier(column) else { continue }
            let owner = registry.object(former)
            if object.original.flatMap({ type(of: object).object(of: $0).identifier(inColumn: column) }) == former {
                removeMember(object.record.rowID, from: former, owner, inverse, other)
            } else if let owner {
                unlistIfUnchanged(owner)
            }
        }
        listeners.withEvent { event in
            object.record.isWatched = true
            event.noteRefresh(object, columns: before.changedColumns)
        }
        noteMutationOfAll(object)
    }
}
