/// Inserting objects, and recording the first change of others.
extension ModelContext {
    /// Adds an object, and all objects that it refers to, to the context; the next ``save()`` saves them.
    ///
    ///     context.insert(Post(timestamp: .now, title: "Great Wall"))
    ///     try context.save()
    ///
    /// An object that is already in the context stays as it is. If an object belongs to another context, it stays
    /// there, and the next throwing call of this context throws ``ContextError/objectOfAnotherContext(entity:)``. The
    /// counterparts are the methods of the same name of SwiftData and Core Data.
    ///
    /// - Parameter model: A new object.
    public func insert(_ model: some PersistentModel) {
        checked { insertObject(model) }
    }

    /// - Parameter isNew: Whether to call the object's insertion callback, which is called once in its life.
    func insertObject(_ object: ManagedObject, isNew: Bool = true) {
        if object.record.state == .deleted, object.isIn(self) {
            takeBackDeletion(of: object)
            return
        }
        // An object whose deletion was saved becomes a new object, because its row does not come back.
        if object.record.state == .gone { renew(object) }
        guard object.record.state == .detached else {
            if !object.isIn(self) {
                errors.note(ContextError.objectOfAnotherContext(entity: object.entity.name))
            }
            return
        }
        guard container.model.contains(object.entity) else {
            errors.note(ContextError.entityOfAnotherModel(entity: object.entity.name))
            return
        }
        if object.entity.isAbstract {
            errors.note(ContextError.abstractEntity(object.entity.name))
            return
        }
        guard container.storeNumber(of: object.rootNumber) != 0 else {
            errors.note(StoreError.entityWithoutStore(object.entity.name))
            return
        }
        if object.record.links == nil, !hooks.areUsed { return register(inserted: object) }
        var waiting = [object]
        var linked: [(ManagedObject, [RelationshipLinks])] = []
        var awaking: [any ManagedObjectLifecycle] = []
        while let next = waiting.popLast() {
            guard next.record.state == .detached else { continue }
            let links = next.allLinks
            // From now on, the pending links determine the members.
            for links in links { links.members = nil }
            register(inserted: next)
            if next.entity.hasLifecycle, isNew || next !== object, let model = next as? any ManagedObjectLifecycle {
                awaking.append(model)
            }
            if links.isEmpty { continue }
            linked.append((next, links))
            for links in links { waiting += links.objects }
        }
        for (owner, links) in linked {
            for links in links where !links.objects.isEmpty { link(owner, links.relationship, links.objects) }
        }
        for model in awaking { model.awakeFromInsert() }
    }

    /// Resets an object whose deletion was saved, as if it was never saved.
    private func renew(_ object: ManagedObject) {
        (object.record.state, object.record.version) = (.detached, 0)
        // A parent context still has the deleted object under this temporary rowid.
        guard object.record.rowID < 0 else { return }
        let rowID = TemporaryRowID.next()
        noteLaterRowID(of: object, rowID)
        object.record.rowID = rowID
    }

    /// Relates a newly inserted object to the objects that it referred to before.
    private func link(_ owner: ManagedObject, _ number: RelationshipNumber, _ targets: [ManagedObject]) {
        let relationship = owner.entity.relationships[number]
        for target in targets {
            if relationship.isToMany {
                add(target, to: owner, number)
            } else {
                setToOne(owner, number, target)
            }
        }
        // The other sides were linked in the order in which they were found, which may differ.
        if relationship.isOrdered {
            let members = Set(members(of: owner, number))
            setOrder(targets.map(\.record.rowID).filter(members.contains), of: owner, number)
        }
    }

    /// Registers an object that the next save inserts. An object of a child context keeps its rowid.
    func register(inserted object: ManagedObject, keepsRowID: Bool = false) {
        // References from an earlier context are useless in this one.
        if object.record.rowID != 0 { clearReferences(of: object) }
        if object.record.rowID >= 0, !keepsRowID {
            let rowID = TemporaryRowID.next()
            // Undo entries for the row apply to the new object, unless the row still exists or is in another store.
            if object.record.rowID > 0, object.record.version <= 0,
                object.record.storeNumber == container.storeNumber(of: object.rootNumber)
            {
                noteLaterRowID(of: object, rowID)
            }
            object.record.rowID = rowID
        }
        object.record.state = .inserted
        object.record.version = 0
        object.record.context = self
        object.changes = .max
        object.record.original = .none
        object.record.links = nil
        object.record.isListed = false
        object.record.isObserved = listeners.observesObjects
        registry.insert(object)
        pending.insert(object)
        if autosaving.isOn { scheduleAutosave() }
        if let event = listeners.event {
            event.inserted.append(object)
            object.record.isWatched = true
        }
    }

    /// Removes an inserted object from the context.
    func forget(_ object: ManagedObject) {
        registry.remove(object)
        pending.forget(object)
        object.detach(.detached)
        clearReferences(of: object)
    }

    private func clearReferences(of object: ManagedObject) {
        for column in object.traits.pointee.referenceColumns where object.identifier(inColumn: column) != nil {
            object.setIdentifier(nil, inColumn: column)
        }
    }

    /// Records that an object has changes; called before the first change of each column.
    ///
    /// - Parameters:
    ///   - columns: The bits of the columns that are about to change; 0 if the row stays as it is.
    ///   - isFirst: Whether the object's original values, if any, were kept just now for the same change.
    func noteChange(of object: ManagedObject, columns: UInt64 = 0, isFirst: Bool = false) {
        checked { noteCheckedChange(of: object, columns, isFirst) }
    }

    private func noteCheckedChange(of object: ManagedObject, _ columns: UInt64, _ isFirst: Bool) {
        listeners.withEvent { event in
            event.touch(object, columns: columns, isFirst: isFirst)
            object.record.isWatched = true
        }
        if autosaving.isOn { scheduleAutosave() }
        pending.list(object)
    }
}
