import CPrefetch
import Containers

/// Updating a context's objects after a save is committed.
extension ModelContext {
    /// Gives the objects their new identities, forgets the pending changes, and sends notifications.
    func finish(_ save: PendingSave) {
        let isPosted = parent == nil && container.hub.isObserved(besides: subscription.inbox)
        let isTold = isPosted || !listeners.observers.isEmpty || hooks.areUsed || !listeners.liveResults.isEmpty
        // Collected before the changes are forgotten.
        let changes = isTold ? save.changes : ContextChanges()
        let touchedRows = isPosted ? save.touchedRows : []
        let updatedColumns = isPosted ? save.updatedColumns(with: touchedRows) : [:]
        takeOverRows(save)
        // Objects that became or ceased to be members without a change of their own: rows that others deleted with
        // their links and that this save inserted again; objects whose deletion was taken back; replaced objects.
        let returned = save.beforeMerging.isEmpty ? [] : save.inserts.filter { $0.record.state == .persisted }
        let misplaced = returned + save.restored + save.replaced
        let changedRoots = finishInsertions(save, hasReturned: !returned.isEmpty)
        if !save.permanentRowIDs.isEmpty { replaceTemporaryIdentifiers(save) }
        let unsaved = pending.rowsToMerge.isEmpty ? [] : changedBack(save)
        finishUpdates(save)
        finishDeletions(save)
        finishMerging(save)
        forgetPendingChanges()
        for object in returned { object.record.links = nil }
        for key in save.reorderedByOthers { forgetMembers(of: key, save.permanentRowIDs) }
        if !misplaced.isEmpty { forgetMembers(leadingTo: Set(misplaced.map(\.entity.number.root))) }
        for root in changedRoots { registry.map(for: root).reindex() }
        if !save.permanentRowIDs.isEmpty {
            for child in children { child.context?.renumber(RowIDChanges(save.permanentRowIDs)) }
        }
        registry.sweepIfGrown()
        if listeners.event != nil { listeners.beginEvent() }
        if !unsaved.isEmpty {
            for object in unsaved { refreshUnsaved(object) }
            tellOfEvent()
        }
        if !container.model.rootsWithDerivedColumns.isEmpty { readDerivedValues(save.derivedRows) }
        if isPosted {
            var notification = changes.notification(.didSave, author: author)
            notification.updatedColumns = updatedColumns
            notification.updatedIdentifiers += touchedRows
            notification.derivedRows = save.derivedChanges
            post(notification)
        }
        activity.endWriting()
        if isTold { tell(changes, save) }
        if !listeners.liveResults.isEmpty {
            noteSave(ContextChanges(deleted: save.deletes, refreshed: save.settled), changes.inserted)
        }
    }

    // MARK: Objects

    /// Lets new objects take over rows that have their unique values, or replaces them by the objects of those rows.
    private func takeOverRows(_ save: PendingSave) {
        for update in save.hasGatheredUpdates ? [] : save.updates {
            guard let row = update.adopted else { continue }
            let object = update.object
            let map = registry.map(for: object.rootNumber)
            map.remove(object.record.rowID)
            noteLaterRowID(of: object, row.rowID)
            object.record.rowID = row.rowID
            object.record.version = row.version
            object.record.state = .persisted
            map.insert(object, rowID: row.rowID)
        }
        for object in save.replaced {
            registry.remove(object)
            let rowID = save.permanentRowIDs[object.record.rowID]
            object.detach(.gone)
            if let rowID { object.record.rowID = rowID }
        }
    }

    /// Assigns rowids to the inserted objects.
    ///
    /// - Parameter hasReturned: Whether rows that others deleted are among them.
    /// - Returns: The root entities whose maps still have objects under other rowids.
    private func finishInsertions(_ save: PendingSave, hasReturned: Bool) -> Set<UInt16> {
        var changedRoots: Set<UInt16> = []
        var lastRoot: UInt16?
        // One pass, because each pass loads all objects into the processor's cache again.
        var position = 0
        while position < save.inserts.count {
            let object = save.inserts[position]
            position &+= 1
            if let rowID = save.permanentRowIDs[object.record.rowID] {
                noteLaterRowID(of: object, rowID)
                object.record.rowID = rowID
            }
            object.record.state = .persisted
            object.record.version = hasReturned ? save.returned[ObjectIdentifier(object)] ?? 1 : 1
            replaceTemporaryIdentifiers(of: object, save.permanentRowIDs)
            clean(object)
            let root = object.rootNumber
            if root != lastRoot { changedRoots.insert(root) }
            lastRoot = root
        }
        return changedRoots
    }

    /// Marks changed objects as unchanged, and updates the versions of their rows.
    private func finishUpdates(_ save: PendingSave) {
        // Objects that changed after the save was gathered are marked as unchanged too.
        for object in pending.changed.count == save.changedCount ? save.unchanged : pending.changed { clean(object) }
        save.updates.withUnsafeBufferPointer { updates in
            var index = 0
            while index < updates.count {
                CPrefetchAhead(updates.baseAddress, MemoryLayout<PendingSave.Update>.stride, index, updates.count)
                let isEmpty = updates[index].isEmpty
                Unmanaged.passUnretained(updates[index].object)._withUnsafeGuaranteedRef { object in
                    if !isEmpty { object.record.version &+= 1 }
                    clean(object)
                }
                index &+= 1
            }
        }
        for object in save.restored {
            object.record.state = .persisted
            clean(object)
        }
    }

    /// Removes deleted objects, and those that others deleted, from the context.
    private func finishDeletions(_ save: PendingSave) {
        save.deletes.withUnsafeBufferPointer { deletes in
            var index = 0
            while index < deletes.count {
                CPrefetchAhead(deletes.baseAddress, MemoryLayout<ManagedObject>.stride, index, deletes.count)
                let object = deletes[index]
                index &+= 1
                registry.remove(object)
                object.detach(.gone)
            }
        }
        for object in save.lost { lose(object) }
    }

    /// Updates the relationships of objects that a merge policy changed.
    private func finishMerging(_ save: PendingSave) {
        for state in save.beforeMerging where state.object.isIn(self) {
            state.object.record.links = nil
            referencesChanged(since: state)
            noteMutationOfAll(state.object)
        }
        for object in save.replacements.values { object.record.links = nil }
    }

    /// Makes the owner of a relationship load its members again.
    private func forgetMembers(of key: LinkKey, _ permanentRowIDs: PermanentRowIDs) {
        guard let owner = registry[permanentRowIDs[key.rowID] ?? key.rowID, key.root] else { return }
        forgetMembers(of: owner, key.relationship)
        noteMutation(owner, relationship: key.relationship)
    }

    /// Returns objects whose rows others deleted and that had nothing to save, because their changes were reverted.
    private func changedBack(_ save: PendingSave) -> [ManagedObject] {
        let saved = Set(save.updates.map { ObjectIdentifier($0.object) })
        return pending.changed.filter { object in
            object.record.state == .persisted && !saved.contains(ObjectIdentifier(object))
                && pending.rowsToMerge.contains(RowKey(object))
        }
    }

    private func refreshUnsaved(_ object: ManagedObject) {
        do {
            try refreshObject(object, mergeChanges: false)
        } catch {
            errors.note(error)
        }
    }

    // MARK: References

    /// Replaces temporary identifiers in references to inserted objects.
    private func replaceTemporaryIdentifiers(_ save: PendingSave) {
        for update in save.updates { replaceTemporaryIdentifiers(of: update.object, save.permanentRowIDs) }
        // If one object replaced another, a list that contained both contains it twice.
        let mayRepeat = !save.replaced.isEmpty || !save.hasGatheredUpdates
        for key in pending.links.keys { replaceTemporaryMembers(of: key, save.permanentRowIDs, mayRepeat) }
        for key in pending.reordered.keys { replaceTemporaryMembers(of: key, save.permanentRowIDs, mayRepeat) }
    }

    private func replaceTemporaryIdentifiers(of object: ManagedObject, _ rowIDs: PermanentRowIDs) {
        let columns = object.entity.referenceColumns
        var position = 0
        while position < columns.count {
            let column = columns[position]
            position &+= 1
            guard let identifier = object.identifier(inColumn: column), identifier.isTemporary,
                let rowID = rowIDs[identifier.rowID]
            else { continue }
            object.setIdentifier(
                PersistentIdentifier(
                    rowID: rowID, store: container.storeNumber(of: identifier.number.root), entity: identifier.number),
                inColumn: column)
        }
    }

    private func replaceTemporaryMembers(of key: LinkKey, _ rowIDs: PermanentRowIDs, _ mayRepeat: Bool) {
        let links = registry[key.rowID, key.root]?.links(key.relationship)
        guard var members = links?.rowIDs else { return }
        members = members.map { $0 < 0 ? rowIDs[$0] ?? $0 : $0 }
        if mayRepeat { members = members.withoutRepeats() }
        links?.rowIDs = members
    }

    // MARK: Notifications

    private func tell(_ changes: ContextChanges, _ save: PendingSave) {
        if hooks.areUsed { withoutTransientChanges { callHooks(changes, save) } }
        notify(.didSave, changes)
    }

    private func callHooks(_ changes: ContextChanges, _ save: PendingSave) {
        for state in save.beforeMerging where state.object.entity.hasLifecycle {
            (state.object as? any ManagedObjectLifecycle)?.awake(fromSnapshotEvents: .mergePolicy)
        }
        for object in changes.inserted + changes.updated + changes.deleted where object.entity.hasLifecycle {
            (object as? any ManagedObjectLifecycle)?.didSave()
        }
    }
}
