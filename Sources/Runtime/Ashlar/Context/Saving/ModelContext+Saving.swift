extension ModelContext {
    /// Saves all pending changes in one transaction.
    ///
    /// New objects get their permanent identifiers. ``mergePolicy`` resolves conflicts with others. The save of a child
    /// context changes its parent instead of the store.
    ///
    ///     do {
    ///         try context.save()
    ///     } catch SaveError.validation(let failures) {
    ///         for failure in failures { print(failure) }
    ///     }
    ///
    /// After an error, the store and the context are as they were, except for changes by observers and by
    /// ``ManagedObjectLifecycle/willSave()``.
    ///
    /// - Throws: ``SaveError`` if an object is invalid, a conflict remains, or the store cannot be written.
    ///   ``StoreError/locked(_:waited:doing:)`` if another process writes for longer than the busy timeout.
    ///   ``ContextError/nestedSave`` if it is called within a save. A deferred error, which a lazy load could not
    ///   throw.
    public func save() throws {
        do {
            try saveUnreported()
        } catch SaveError.conflict(let conflicts) {
            noteReport(of: conflicts)
            throw SaveError.conflict(conflicts)
        }
    }

    /// Saves without recording a thrown conflict as reported to the program.
    func saveUnreported() throws {
        try checked { try saveChecked() }
        guard subscription.isOn else { return }
        do {
            try mergeWaitingChanges()
        } catch {
            // Everything is saved.
            errors.note(error)
        }
    }

    private func saveChecked() throws {
        if activity.isSaving { throw ContextError.nestedSave }
        // The saves of others are merged only after this save has compared versions, which a merge would change.
        try errors.throwFirst()
        try followRenumberedRows()
        guard hasChanges || !pending.conflictDetections.isEmpty else { return }
        if let unknownOutcome = errors.unknownOutcome { throw SaveError.unknownOutcome(unknownOutcome) }
        activity.beginSave()
        defer { activity.endSave() }
        let ancestors = try mergedAncestors()
        for ancestor in ancestors { ancestor.activity.beginSaveOfChild() }
        defer { for ancestor in ancestors { ancestor.activity.endSaveOfChild() } }
        let changes: PendingSave
        var taken: [TakenAlong] = []
        do {
            changes = try writeChanges(&taken)
        } catch {
            for members in taken.reversed() { takeBack(members) }
            throw error
        }
        for members in taken { undoManager?.join(members.group, deletedWith: members.owners) }
        finish(changes)
    }

    /// Returns the contexts above this one, the outermost first, after each has merged its waiting saves.
    private func mergedAncestors() throws -> [ModelContext] {
        guard let parent else { return [] }
        var ancestors = try parent.mergedAncestors()
        try parent.throwDeferredError()
        ancestors.append(parent)
        return ancestors
    }

    /// Writes the pending changes, with the effects of deletions on new members.
    private func writeChanges(_ taken: inout [TakenAlong]) throws -> PendingSave {
        var attempts = 10
        var unreadableMembers: Set<RowKey> = []
        while true {
            let changes = try gatherChanges(isFirst: attempts == 10)
            changes.unreadableMembers = unreadableMembers
            do {
                try write(changes)
                return changes
            } catch let found as NewMembersGo {
                if attempts == 0 { throw SaveError.conflict(found.conflicts) }
                attempts -= 1
                unreadableMembers = changes.unreadableMembers
                try withNewestGeneration { try takeAlong(changes.newMembers, &taken) }
            }
        }
    }

    /// Returns the changes to write, after observers and callbacks made theirs.
    ///
    /// - Parameter isFirst: Whether objects and observers are yet to be notified of the save.
    private func gatherChanges(isFirst: Bool) throws -> PendingSave {
        if isFirst { try prepareSave() }
        // The clearing joins the present undo group, if that has changes.
        if listeners.event?.isEmpty == false { clearReferencesToNothing() }
        endEvent()
        // Listeners of the first event may have changed objects. Their changes are saved too, and are therefore
        // reported and recorded for undo.
        endEvent()
        clearReferencesToNothing()
        let changes = PendingSave(saveSurroundings)
        try changes.validate()
        // The transaction must not read through the context, so all required objects are loaded before.
        try loadReordered()
        try throwDeferredError()
        return changes
    }

    private func write(_ changes: PendingSave) throws {
        if let parent { return try push(changes, to: parent) }
        if container.isReadOnly { throw SaveError.readOnly }
        do {
            try withNewestGeneration { try changes.run() }
        } catch {
            if !changes.committedRoots.isEmpty { finishCommittedPart(of: changes) }
            throw error
        }
        container.limitPinnedLog()
    }

    // MARK: Before

    /// Notifies observers and objects that they are about to be saved, until none of them changes anything.
    private func prepareSave() throws {
        notify(.willSave, pendingChanges)
        guard hooks.areUsed else { return }
        // The values of each object before its callback, which is called again if they change.
        var asked: [ObjectIdentifier: ValuesBox] = [:]
        hooks.beginSettling()
        defer { hooks.endSettling() }
        var asking: [ManagedObject] = []
        for _ in 0..<1000 {
            asking = (pending.inserted + pending.changed.filter { $0.record.state != .deleted } + pending.deleted)
                .filter { object in
                    guard object.entity.hasLifecycle, object.isIn(self) else { return false }
                    guard let values = asked[ObjectIdentifier(object)] else { return true }
                    // Columns that were set without notifications do not count.
                    return object.changes(since: values, in: ~hooks.settledPrimitives(of: object)) != 0
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
            inserted: pending.inserted.filter { $0.record.state == .inserted },
            updated: pending.changed.filter { $0.record.state == .persisted }, deleted: Array(pending.deleted))
    }

    /// Loads the members of relationships whose order is to be written.
    private func loadReordered() throws {
        for (key, var entry) in pending.reordered {
            var owner = entry.owner
            if !owner.isLive(in: self) {
                // Others deleted its row, which may have been inserted again since.
                let identifier = PersistentIdentifier(
                    rowID: key.rowID, store: container.storeNumber(of: key.root), entity: owner.entity.number)
                guard key.rowID > 0, let returned = try existingObject(identifier) else { continue }
                owner = returned
                entry.owner = returned
                pending.reorder(key, entry)
            }
            _ = members(of: owner, key.relationship)
        }
    }

    /// Clears references without an inverse to objects that this save deletes, or that were never saved.
    private func clearReferencesToNothing() {
        guard pending.hasForgottenObjects || !pending.deleted.isEmpty else { return }
        for object in pending.inserted + pending.changed where object.liveContext != nil {
            for relationship in object.entity.relationships {
                guard case .column(let column) = relationship.storage,
                    let identifier = object.identifier(inColumn: column)
                else { continue }
                let target = registry.object(identifier) ?? parent?.registry.object(identifier)
                let hasNoRow = !pending.hasRow(identifier.rowID, identifier.number.root)
                let isGone = hasNoRow ? target == nil : target?.record.state == .deleted
                guard isGone, hasNoRow || !keepsReferences(relationship) else { continue }
                object._ashlarWillChange(ManagedObject.bit(of: column))
                object.setIdentifier(nil, inColumn: column)
            }
        }
    }

    /// Returns whether the deletion of the destination keeps references to it, or is denied by them.
    private func keepsReferences(_ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse,
            let destination = container.model.entity(named: relationship.destination)
        else { return false }
        return [.noAction, .deny].contains(destination.relationships[inverse].deletionRule)
    }
}
