import CPrefetch
import Containers

extension ModelContext {
    /// Stores all changes in one transaction: all of them, or none.
    ///
    /// Objects get their permanent identifiers. What others changed at the same time is settled by ``mergePolicy``.
    /// After an error context and store are as they were before, but for what observers and
    /// ``ManagedObjectLifecycle/willSave()`` changed.
    ///
    /// - Throws: ``SaveError``; ``StoreError/locked(_:waited:doing:)`` when another process writes for longer than the
    ///   busy timeout; ``ContextError/nestedSave`` when a hook of a save or a merge policy calls it; an error of an earlier
    ///   lazy load, whose getter could not throw it.
    public func save() throws {
        try checked { try saveChecked() }
    }

    private func saveChecked() throws {
        if isSaving { throw ContextError.nestedSave }
        try throwDeferredError()
        guard hasChanges || !conflictDetections.isEmpty else { return }
        if let unknownOutcome { throw SaveError.unknownOutcome(unknownOutcome) }
        isBusy = true
        isSaving = true
        defer { (isBusy, isSaving) = (false, false) }
        try prepareSave()
        endEvent()
        if hasForgottenObjects || !deleted.isEmpty { clearReferencesToNothing() }
        let changes = PendingSave(self)
        try changes.validate()
        // The transaction must not read through the context, so what it needs is loaded before.
        try loadReordered()
        try throwDeferredError()
        if let parent {
            try changes.push(to: parent)
        } else {
            if container.isReadOnly { throw SaveError.readOnly }
            do {
                try withNewestGeneration { try changes.run() }
            } catch {
                if !changes.committedRoots.isEmpty { finishCommittedPart(of: changes) }
                throw error
            }
            container.limitPinnedLog()
        }
        finish(changes)
    }

    // MARK: Before

    /// Tells observers and objects that they are about to be saved, until none of them changes anything any more.
    private func prepareSave() throws {
        notify(.willSave, pendingChanges)
        guard hasLifecycle else { return }
        // The values of each object before it was asked; it is asked again when it has others.
        var asked: [ObjectIdentifier: ValuesBox] = [:]
        settlingPrimitives = [:]
        defer { settlingPrimitives = nil }
        var asking: [ManagedObject] = []
        for _ in 0..<1000 {
            asking = (inserted + changed.filter { $0.record.state != .deleted } + deleted).filter { object in
                guard object.entity.hasLifecycle, object.record.context === self else { return false }
                guard let values = asked[ObjectIdentifier(object)] else { return true }
                // What is set without a notice is none.
                let silent = settlingPrimitives?[ObjectIdentifier(object)] ?? 0
                return object.changes(since: values, in: ~silent) != 0
            }
            if asking.isEmpty { return try throwDeferredError() }
            for object in asking {
                asked[ObjectIdentifier(object)] = object.snapshot()
                (object as? any ManagedObjectLifecycle)?.willSave()
            }
        }
        throw SaveError.unsettled(asking.map(\.identifier))
    }

    private var pendingChanges: ContextChanges {
        ContextChanges(
            inserted: inserted.filter { $0.record.state == .inserted },
            updated: changed.filter { $0.record.state == .persisted }, deleted: Array(deleted))
    }

    /// Loads the members of relationships whose order is to be written.
    private func loadReordered() throws {
        for (key, var entry) in reordered {
            var owner = entry.owner
            if owner.liveContext !== self {
                // Its row was deleted by others, and may be back since.
                let identifier = PersistentIdentifier(
                    rowID: key.rowID, store: container.storeNumber(of: key.root), entity: owner.entity.number)
                guard key.rowID > 0, let returned = try existingObject(identifier) else { continue }
                owner = returned
                entry.owner = returned
                reordered[key] = entry
            }
            _ = members(of: owner, key.relationship)
        }
    }

    /// Empties references without an inverse to objects that this save deletes, or that were never saved.
    private func clearReferencesToNothing() {
        for object in inserted + changed where object.liveContext != nil {
            for relationship in object.entity.relationships {
                guard case .column(let column) = relationship.storage,
                    let identifier = object.identifier(inColumn: column)
                else { continue }
                let target = registeredObject(identifier) ?? parent?.registeredObject(identifier)
                let hasNoRow = !hasRow(identifier.rowID, identifier.number.root)
                let isGone = hasNoRow ? target == nil : target?.record.state == .deleted
                guard isGone, hasNoRow || !keepsReferences(relationship) else { continue }
                object._ashlarWillChange(ManagedObject.bit(of: column))
                object.setIdentifier(nil, inColumn: column)
            }
        }
    }

    /// Whether deleting the destination leaves references to it as they are, or is denied by them.
    private func keepsReferences(_ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse,
            let destination = container.model.entity(named: relationship.destination)
        else { return false }
        return [.noAction, .deny].contains(destination.relationships[inverse].deletionRule)
    }

    // MARK: After

    /// Gives the objects their new identity and forgets what was pending.
    func finish(_ save: PendingSave) {
        let isPosted = parent == nil && container.hub.isObserved(besides: inbox)
        let isTold = isPosted || !observers.isEmpty || hasLifecycle || !liveResults.isEmpty
        var changes = ContextChanges()
        if isTold {
            changes = ContextChanges(
                inserted: save.inserts, updated: save.updates.map(\.object) + save.touched,
                deleted: save.deletes + save.lost)
        }
        var updatedColumns = isPosted ? save.updatedColumns : [:]
        let touchedRows = isPosted ? save.touchedRows : []
        for row in touchedRows { updatedColumns[row.number.root, default: 0] |= 0 }
        takeOverRows(save)
        var changedRoots: Set<UInt16> = []
        var lastRoot: UInt16?
        // Objects that are members of others, or are not any more, without a change of their own: rows that others
        // deleted, with their links, and that this save brought back; deletions taken back; objects that gave way.
        let returned = save.beforeMerging.isEmpty ? [] : save.inserts.filter { $0.record.state == .persisted }
        let misplaced = returned + save.restored + save.replaced
        // One pass, since each brings all objects into the processor's cache again.
        var position = 0
        while position < save.inserts.count {
            let object = save.inserts[position]
            position &+= 1
            if let rowID = save.permanentRowIDs[object.record.rowID] {
                noteLaterRowID(of: object, rowID)
                object.record.rowID = rowID
            }
            object.record.state = .persisted
            object.record.version = returned.isEmpty ? 1 : save.returned[ObjectIdentifier(object)] ?? 1
            replaceTemporaryIdentifiers(of: object, save.permanentRowIDs)
            clean(object)
            let root = object.entity.number.root
            if root != lastRoot { changedRoots.insert(root) }
            lastRoot = root
        }
        if !save.permanentRowIDs.isEmpty {
            for update in save.updates { replaceTemporaryIdentifiers(of: update.object, save.permanentRowIDs) }
            // What referred to an object that another one stands for may have referred to that one too.
            let mayRepeat = !save.replaced.isEmpty || !save.hasGatheredUpdates
            for key in pendingLinks.keys { replaceTemporaryMembers(of: key, save.permanentRowIDs, mayRepeat) }
            for key in reordered.keys { replaceTemporaryMembers(of: key, save.permanentRowIDs, mayRepeat) }
        }
        let unsaved = rowsToMerge.isEmpty ? [] : changedBack(save)
        // What was changed since the save was gathered is to be clean too.
        for object in changed.count == save.changedCount ? save.unchanged : changed { clean(object) }
        save.updates.withUnsafeBufferPointer { updates in
            var index = 0
            while index < updates.count {
                CPrefetchAhead(updates.baseAddress, MemoryLayout<PendingSave.Update>.stride, index, updates.count)
                let object = updates[index].object
                if !updates[index].isEmpty { object.record.version &+= 1 }
                index &+= 1
                clean(object)
            }
        }
        for object in save.restored {
            object.record.state = .persisted
            clean(object)
        }
        save.deletes.withUnsafeBufferPointer { deletes in
            var index = 0
            while index < deletes.count {
                CPrefetchAhead(deletes.baseAddress, MemoryLayout<ManagedObject>.stride, index, deletes.count)
                let object = deletes[index]
                index &+= 1
                map(for: object.entity.number.root).remove(object.record.rowID)
                object.detach(.gone)
            }
        }
        for object in save.lost { lose(object) }
        finishMerging(save)
        forgetPendingChanges()
        for object in returned { object.record.links = nil }
        if !misplaced.isEmpty { forgetMembers(leadingTo: Set(misplaced.map(\.entity.number.root))) }
        for root in changedRoots { map(for: root).reindex() }
        if !save.permanentRowIDs.isEmpty {
            for child in children { child.context?.renumber(RowIDChanges(save.permanentRowIDs)) }
        }
        for map in maps { map?.sweepIfGrown() }
        if event != nil { event = newEvent }
        if !unsaved.isEmpty {
            for object in unsaved { refreshUnsaved(object) }
            tellOfEvent()
        }
        readDerivedValues(save)
        if isPosted {
            var notification = changes.notification(.didSave, author: author)
            notification.updatedColumns = updatedColumns
            notification.updatedIdentifiers += touchedRows
            notification.derivedRows = save.derivedChanges
            post(notification)
        }
        // What is told of the save may make changes and save them.
        isSaving = false
        if isTold { tell(changes, save) }
        if !liveResults.isEmpty { noteSave(save, changes) }
    }

    /// New objects take over rows that have their unique values, or give way to the objects of those.
    private func takeOverRows(_ save: PendingSave) {
        for update in save.hasGatheredUpdates ? [] : save.updates {
            guard let row = update.adopted else { continue }
            let object = update.object
            let map = map(for: object.entity.number.root)
            map.remove(object.record.rowID)
            noteLaterRowID(of: object, row.rowID)
            object.record.rowID = row.rowID
            object.record.version = row.version
            object.record.state = .persisted
            map.insert(object, rowID: row.rowID)
        }
        for object in save.replaced {
            map(for: object.entity.number.root).remove(object.record.rowID)
            let rowID = save.permanentRowIDs[object.record.rowID]
            object.detach(.gone)
            if let rowID { object.record.rowID = rowID }
        }
    }

    /// Objects that a merge policy changed have other relationships now.
    private func finishMerging(_ save: PendingSave) {
        for state in save.beforeMerging where state.object.record.context === self {
            state.object.record.links = nil
            referencesChanged(since: state)
            noteMutationOfAll(state.object)
        }
        for object in save.replacements.values { object.record.links = nil }
    }

    /// Objects whose rows others deleted, and of which there was nothing to save, since they were changed back.
    private func changedBack(_ save: PendingSave) -> [ManagedObject] {
        let saved = Set(save.updates.map { ObjectIdentifier($0.object) })
        return changed.filter { object in
            object.record.state == .persisted && !saved.contains(ObjectIdentifier(object))
                && rowsToMerge.contains(RowKey(root: object.entity.number.root, rowID: object.record.rowID))
        }
    }

    private func refreshUnsaved(_ object: ManagedObject) {
        do {
            try refreshObject(object, mergeChanges: false)
        } catch {
            recordError(error)
        }
    }

    private func tell(_ changes: ContextChanges, _ save: PendingSave) {
        if hasLifecycle { withoutTransientChanges { callHooks(changes, save) } }
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
        let links = maps[Int(key.root)]?[key.rowID]?.links(key.relationship)
        guard var members = links?.members else { return }
        members = members.map { $0 < 0 ? rowIDs[$0] ?? $0 : $0 }
        if mayRepeat { members = members.withoutRepeats() }
        links?.members = members
    }
}
