/// Discarding changes, and refreshing objects from the store.
extension ModelContext {
    /// Discards all changes since the last save.
    ///
    /// Inserted objects leave the context, deleted ones return, and changed ones get their saved values. The undo
    /// manager is cleared. Within a save it does nothing, and the context's next throwing call throws
    /// ``ContextError/nestedSave``.
    ///
    ///     context.rollback()
    ///
    /// The counterparts are the methods of the same name of SwiftData and Core Data.
    public func rollback() {
        if activity.isSaving { return errors.note(ContextError.nestedSave) }
        errors.discard()
        // Observers are still notified of merged changes, which are not discarded.
        tellOfEvent()
        errors.unknownOutcome = nil
        var changes = ContextChanges()
        for object in pending.changed {
            takeBackChanges(of: object)
            changes.refreshed.append(object)
        }
        for object in pending.deleted {
            object.record.state = .persisted
            takeBackChanges(of: object)
            changes.inserted.append(object)
        }
        for object in pending.inserted {
            changes.deleted.append(object)
            forget(object)
        }
        let rowsToMerge = pending.rowsToMerge
        forgetPendingChanges()
        registry.forgetLinks()
        undoManager?.removeAllActions()
        listeners.beginEvent()
        if !rowsToMerge.isEmpty { mergeRows(rowsToMerge, into: &changes) }
        for object in changes.refreshed + changes.inserted {
            noteMutationOfAll(object)
            if object.entity.hasLifecycle {
                withoutTransientChanges {
                    (object as? any ManagedObjectLifecycle)?.awake(fromSnapshotEvents: .rollback)
                }
            }
        }
        for results in listeners.liveResults.all { results.note(changes) }
        if !changes.isEmpty { notify(.objectsDidChange, changes) }
        if !listeners.liveResults.isEmpty { updateLiveResults() }
    }

    /// Gives an object the values that it had before its changes.
    private func takeBackChanges(of object: ManagedObject) {
        if let original = object.original { object.restore(original) }
        transients.before(object)?.restore(to: object)
        clean(object)
    }

    /// Refreshes objects whose changes were discarded, if other contexts saved their rows. Objects without a row leave
    /// the context.
    private func mergeRows(_ rows: Set<RowKey>, into changes: inout ContextChanges) {
        for object in changes.refreshed + changes.inserted {
            let row = RowKey(root: object.rootNumber, rowID: object.record.rowID)
            guard rows.contains(row) else { continue }
            do {
                if try !refreshObject(object, mergeChanges: false) { changes.deleted.append(object) }
            } catch {
                errors.note(error)
            }
        }
        changes.refreshed.removeAll { $0.liveContext == nil }
        changes.inserted.removeAll { $0.liveContext == nil }
    }

    /// Discards all objects and all changes.
    ///
    /// The objects then belong to no context, and keep the last values of their attributes, except for transient ones.
    /// Within a save it does nothing, and the context's next throwing call throws ``ContextError/nestedSave``.
    ///
    ///     context.reset()
    ///
    /// Core Data has a method of the same name.
    public func reset() {
        if activity.isSaving { return errors.note(ContextError.nestedSave) }
        errors.discard()
        reading.advance()
        errors.unknownOutcome = nil
        for object in pending.inserted { object.detach(.detached) }
        registry.removeAll { object in
            resetTransients(of: object)
            object.detach(.detached)
        }
        forgetPendingChanges()
        undoManager?.removeAllActions()
        listeners.beginEvent()
        for results in listeners.liveResults.all { results.note(ContextChanges(invalidatedAll: true)) }
        notify(.objectsDidChange, ContextChanges(invalidatedAll: true))
    }

    /// Empties the lists of pending changes, which were saved or discarded.
    func forgetPendingChanges() {
        pending.removeAll()
        transients.removeAll()
    }

    /// Reads an object's values from the store again.
    ///
    ///     try context.refresh(post, mergeChanges: false)
    ///
    /// Core Data's counterpart is `refresh(_:mergeChanges:)`.
    ///
    /// - Parameters:
    ///   - model: An object of this context. An object that was never saved stays as it is.
    ///   - mergeChanges: Whether the object's changes are applied on top of the new values. Otherwise they are
    ///     discarded, and transient attributes return to their defaults.
    /// - Throws: ``StoreError/missingObject(_:)`` if the row was deleted. The object is then in no context, keeps its
    ///   last values, and ``PersistentModel/isDeleted`` is true. Another ``StoreError`` if the store cannot be read.
    public func refresh(_ model: some PersistentModel, mergeChanges: Bool = true) throws {
        try throwDeferredError()
        if try !refreshObject(model, mergeChanges: mergeChanges) {
            throw StoreError.missingObject(model.persistentModelID)
        }
        if mergeChanges { try settlePartners(of: CollectionOfOne<ManagedObject>(model), .mergeByPropertyObjectTrump) }
    }

    /// Reads the values of all objects again that may have changed in the store, and applies unsaved changes on top.
    ///
    /// Objects whose rows were deleted leave the context. Transient attributes of unchanged objects return to their
    /// defaults.
    ///
    ///     try context.refreshAllObjects()
    ///
    /// Core Data has a method of the same name.
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func refreshAllObjects() throws {
        try throwDeferredError()
        try registry.visit { object in
            if object.record.state == .persisted, !object.record.isListed { resetTransients(of: object) }
            try refreshObject(object, mergeChanges: true)
        }
        try settlePartners(of: pending.changed + pending.inserted, .mergeByPropertyObjectTrump)
    }

    /// Returns false if the row is gone; the object then leaves the context.
    ///
    /// - Parameters:
    ///   - settlesConflicts: Whether the merge policy decides on properties that both sides changed, as when changes of
    ///     other contexts are merged. Otherwise the object keeps its own values.
    ///   - tellsOfSame: Whether observers are notified even if no value differs.
    ///   - stored: A copy of the row that was just read; nil to read the row.
    @discardableResult
    func refreshObject(
        _ object: ManagedObject, mergeChanges: Bool, settlesConflicts: Bool = false, tellsOfSame: Bool = true,
        stored: ManagedObject? = nil
    ) throws -> Bool {
        guard object.isIn(self), object.record.state == .persisted else { return true }
        guard let stored = try stored ?? storedCopy(of: object.record.rowID, like: object) else {
            lose(object)
            return false
        }
        // Nothing else uses the copy. The exchange leaves the object's earlier values in it.
        if mergeChanges, takesValuesAlone(object, of: stored) {
            object.record.version = stored.record.version
            object.exchangeAll(with: stored)
            if object.record.links != nil { forgetMembers(of: object) }
            return true
        }
        let before = ObjectState(object)
        if !mergeChanges {
            discardChanges(of: object)
            resetTransients(of: object)
            object.restore(stored.snapshot())
            object.record.version = stored.record.version
        } else if object.record.isListed, !object.record.original.isEmpty {
            try combine(object, with: stored, settlesConflicts: settlesConflicts && parent == nil)
        } else {
            object.forgetPrimitiveChanges()
            object.restore(stored.snapshot())
            object.record.version = stored.record.version
        }
        forgetMembers(of: object)
        referencesChanged(since: before)
        leaveStoredReferences(of: object, stored)
        if let event = listeners.event {
            let columns = before.changedColumns
            if tellsOfSame || columns != 0 { event.noteRefresh(object, columns: columns) }
        }
        noteMutationOfAll(object)
        if object.entity.hasLifecycle {
            withoutTransientChanges { (object as? any ManagedObjectLifecycle)?.awake(fromSnapshotEvents: .refresh) }
        }
        return true
    }

    /// Returns whether an object only takes values from its row: it has no changes, refers to the same objects, and has
    /// no observers.
    private func takesValuesAlone(_ object: ManagedObject, of stored: ManagedObject) -> Bool {
        guard !object.record.isListed, object.record.original.isEmpty, object.record.followers == 0,
            listeners.event == nil, object.traits == stored.traits, !object.traits.pointee.hasLifecycle
        else { return false }
        let columns = object.traits.pointee.referenceColumns
        return columns.allSatisfy { object.identifier(inColumn: $0) == stored.identifier(inColumn: $0) }
    }

    /// Removes the object from the members of the objects that its row refers to, if this context changed those
    /// references.
    private func leaveStoredReferences(of object: ManagedObject, _ stored: ManagedObject) {
        for (column, inverse, other) in heldReferences(of: object) {
            guard let target = stored.identifier(inColumn: column), target != object.identifier(inColumn: column)
            else { continue }
            // The other context made this change, so undo in this context must not take it back.
            removeMember(object.record.rowID, from: target, registry.object(target), inverse, other)
        }
    }

    /// Makes an object load the members of its relationships again.
    private func forgetMembers(of object: ManagedObject) {
        for number in object.loadedRelationships { forgetMembers(of: object, number) }
    }

    /// Discards the changes of an object, and those that they caused at the other ends of its relationships.
    func discardChanges(of object: ManagedObject) {
        guard object.record.isListed else { return }
        forgetChangedReferences(of: object)
        clean(object)
        pending.unlist(object)
        pending.forgetUnknownRawValues(of: object)
        let root = object.rootNumber
        for number in object.entity.relationships.numbers {
            let key = LinkKey(root: root, rowID: object.record.rowID, relationship: number)
            // Changes that the other ends store are discarded with those objects, not here.
            if let links = pending.links[key], case .joinTable = links.relationship.storage {
                unlinkPending(key, links)
            }
            if pending.links[key]?.added.isEmpty ?? true {
                pending.removeOrder(key)
            } else {
                // New members still need their places.
                object.links(number)?.members = nil
            }
        }
    }

    /// Discards the pending membership changes at the earlier and the current destinations of an object's changed
    /// references.
    func forgetChangedReferences(of object: ManagedObject) {
        guard let original = object.original else { return }
        let before = type(of: object).object(of: original)
        for relationship in object.entity.relationships {
            guard case .column(let column) = relationship.storage, let inverse = relationship.inverse else { continue }
            for end in [before.identifier(inColumn: column), object.identifier(inColumn: column)].compactMap({ $0 }) {
                let key = LinkKey(end, inverse)
                pending.links[key]?.forget(object.record.rowID)
                if let owner = registry.object(end) { unlistIfUnchanged(owner) }
            }
        }
    }

    /// Removes an object from the pending changes if only its members were changed, and those changes were forgotten.
    func unlistIfUnchanged(_ object: ManagedObject) {
        guard object.record.isListed, object.keepsRow, !transients.include(object), !pending.isTouched(object),
            !pending.hasChangedMembers(object), !pending.hasChangedLinks(object)
        else { return }
        pending.unlist(object)
        clean(object)
    }

    /// Removes the pending additions and removals of a relationship with a table of its own, at both ends.
    private func unlinkPending(_ key: LinkKey, _ links: PendingLinks) {
        pending.removeLinks(key)
        guard let inverse = links.relationship.inverse,
            let destination = container.model.entity(named: links.relationship.destination)
        else { return }
        for member in links.added + links.removed.sorted() {
            let other = LinkKey(root: destination.number.root, rowID: member, relationship: inverse)
            pending.links[other]?.forget(key.rowID)
            registry[member, other.root]?.links(inverse)?.members = nil
        }
    }

    /// Removes an object whose row is gone from the context.
    func lose(_ object: ManagedObject) {
        registry.noteDisappearance()
        if object.record.isListed { pending.unlist(object) }
        registry.remove(object)
        listeners.event?.noteLoss(of: object)
        object.detach(.gone)
    }

    /// Makes the earlier and current destinations of an object's changed references load their members again.
    func referencesChanged(since state: ObjectState) {
        let object = state.object
        for relationship in object.entity.relationships {
            guard case .column(let column) = relationship.storage else { continue }
            referenceChanged(
                of: object, relationship, from: state.identifier(column), to: object.identifier(inColumn: column))
        }
    }

    /// Makes the next save check that the object's row was not changed or deleted by others.
    ///
    /// Use it if a decision depends on an object that this context does not change. A conflict is handled as for
    /// changed objects: by the merge policy, or with ``SaveError/conflict(_:)``.
    ///
    ///     context.detectConflicts(for: author)
    ///     author.posts.append(post)
    ///     try context.save()
    ///
    /// For an object of another context, the next throwing call throws
    /// ``ContextError/objectOfAnotherContext(entity:)``. Core Data has a method of the same name.
    ///
    /// - Parameter model: An object of this context.
    public func detectConflicts(for model: some PersistentModel) {
        if model.isIn(self) {
            if model.record.state == .persisted { pending.detectConflicts(for: model) }
        } else if model.record.context != nil {
            errors.note(ContextError.objectOfAnotherContext(entity: model.entity.name))
        }
    }
}
