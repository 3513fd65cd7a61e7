extension ModelContext {
    /// Deletes an object with the next save, and applies the deletion rules of its relationships immediately.
    ///
    /// Cascade deletes the destinations too. Nullify removes the object from them. Deny makes the save fail while any
    /// destination remains. An object that was never saved leaves the context.
    ///
    ///     context.delete(post)
    ///     try context.save()
    ///
    /// To delete many objects without loading them, use a batch deletion. The counterparts are the methods of the same
    /// name of SwiftData and Core Data.
    ///
    /// - Parameter model: An object of this context.
    public func delete(_ model: some PersistentModel) {
        checked { deleteObject(model) }
    }

    func deleteObject(_ object: ManagedObject) {
        guard object.isLive(in: self) else {
            if !object.isIn(self), object.record.context != nil {
                errors.note(ContextError.objectOfAnotherContext(entity: object.entity.name))
            }
            return
        }
        if autosaving.isOn { scheduleAutosave() }
        // Members whose rows cannot be read are skipped; the store applies the rule to them.
        errors.ignoringInvalidValues {
            // A list rather than recursion: a chain of cascades may be longer than the stack is deep.
            var waiting = deleteAlone(object)
            var cascade = LoadedCascade(self)
            cascade.load(below: waiting)
            while !waiting.isEmpty {
                let next = waiting.removeLast()
                guard next.isLive(in: self) else { continue }
                let members = deleteAlone(next)
                cascade.load(below: members)
                waiting += members
            }
        }
    }

    /// Deletes one object, and returns the objects that its deletion cascades to.
    private func deleteAlone(_ object: ManagedObject) -> [ManagedObject] {
        let traits = object.traits
        if traits.pointee.hasLifecycle {
            // If objects delete each other in the callback, it is called once for each.
            guard hooks.beginPreparingDeletion(of: object) else { return [] }
            defer { hooks.endPreparingDeletion(of: object) }
            (object as? any ManagedObjectLifecycle)?.prepareForDeletion()
        }
        // The callback may have deleted the object.
        guard object.isLive(in: self) else { return [] }
        if container.model.mayBeListedWhenDeleted(object.rootNumber) { registry.noteDisappearance() }
        let event = listeners.event
        event?.touch(object, columns: .max)
        event?.deleted.append(object)
        if event != nil {
            for number in traits.pointee.numbers { willReorder(object, number, traits.pointee[number]) }
        }
        let wasInserted = object.record.state == .inserted
        // The members are read while the object still counts as a member itself, and before anything changes.
        var ends: [(relationship: RelationshipNumber, objects: [ManagedObject])] = []
        var position = 0
        while position < traits.pointee.relationshipCount {
            let number = RelationshipNumber(position)
            position &+= 1
            if isDetachedByIdentifier(object, number) { continue }
            let objects = destinationObjects(of: object, number)
            if !objects.isEmpty { ends.append((number, objects)) }
        }
        if event != nil { noteLinks(of: object, ends) }
        object.record.state = .deleted
        position = 0
        while position < traits.pointee.relationshipCount {
            let number = RelationshipNumber(position)
            if isDetachedByIdentifier(object, number) { detachByIdentifier(object, number) }
            position &+= 1
        }
        var cascaded: [ManagedObject] = []
        for (number, objects) in ends {
            let relationship = traits.pointee[number]
            for destination in objects where destination.record.state != .deleted {
                switch relationship.pointee.deletionRule {
                case .cascade: cascaded.append(destination)
                case .nullify: break
                // If the object was never saved, its destinations lose it under any rule.
                case .deny, .noAction: if !wasInserted { continue }
                }
                detach(object, number, relationship, from: destination)
            }
        }
        if wasInserted {
            pending.removeInserted(object)
            forget(object)
            object.record.version = ManagedObject.unsavedDeletion
        } else {
            pending.delete(object)
        }
        return cascaded
    }

    /// Records the links that an undo needs and that cannot be read once the object counts as deleted: the orders of
    /// the inverse relationships, and the object's links to itself.
    private func noteLinks(
        of object: ManagedObject, _ ends: [(relationship: RelationshipNumber, objects: [ManagedObject])]
    ) {
        for (number, objects) in ends {
            let relationship = object.traits.pointee[number]
            guard let inverse = relationship.pointee.inverse else {
                // Without an inverse, no other change records the removal.
                if relationship.pointee.place == .joinTable, listeners.keepsValues {
                    for other in objects {
                        listeners.event?.note(
                            .init(
                                owner: object, relationship: number, member: other, isAddition: false,
                                goesWithOwner: true))
                    }
                }
                continue
            }
            for other in objects { willReorder(other, inverse, other.traits.pointee[inverse]) }
            if relationship.pointee.place == .joinTable, objects.contains(where: { $0 === object }) {
                unlink(object, number, relationship, object)
            }
        }
    }

    func destinationObjects(of object: ManagedObject, _ number: RelationshipNumber) -> [ManagedObject] {
        object.traits.pointee[number].pointee.isToMany
            ? memberObjects(of: object, number) : toOne(object, number).map { [$0] } ?? []
    }

    /// Removes a deleted object from the other side of a relationship.
    private func detach(
        _ object: ManagedObject, _ number: RelationshipNumber, _ relationship: UnsafePointer<RelationshipTraits>,
        from destination: ManagedObject
    ) {
        guard let inverse = relationship.pointee.inverse else { return }
        switch relationship.pointee.place {
        case .column:
            let other = destination.traits.pointee[inverse]
            if other.pointee.place == .column {
                clear(other.pointee.column, of: destination)
            } else {
                removeMember(object.record.rowID, from: destination.identifier, inverse, other)
            }
        case .inverseColumn:
            clear(relationship.pointee.column, of: destination)
        case .joinTable:
            unlink(object, number, relationship, destination)
        }
    }

    /// Returns whether the identifier of a to-one destination suffices to delete the object: the destination remains,
    /// and has no foreign key of its own. Loading it would be useless.
    @inline(__always)
    func isDetachedByIdentifier(_ object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        // An undo needs the destination's order.
        container.model.lead(object.traits.pointee.number, number).pointee.isDetachedByIdentifier
            && listeners.event == nil
    }

    private func detachByIdentifier(_ object: ManagedObject, _ number: RelationshipNumber) {
        let relationship = object.traits.pointee[number]
        guard let inverse = relationship.pointee.inverse,
            let identifier = object.identifier(inColumn: relationship.pointee.column),
            let destination = destinationTraits(of: object, number)
        else { return }
        let owner = registry.object(identifier)
        if owner?.record.state == .deleted { return }
        removeMember(object.record.rowID, from: identifier, owner, inverse, destination.pointee[inverse])
    }

    private func clear(_ column: Int, of object: ManagedObject) {
        guard object.isLive(in: self) else { return }
        object._ashlarWillChange(ManagedObject.bit(of: column))
        object.setIdentifier(nil, inColumn: column)
    }

    /// The relationship of a deleted object that denies its deletion.
    func denyingRelationship(of object: ManagedObject) -> RelationshipDescription? {
        let entity = object.entity
        if entity.denyingRelationships.isEmpty { return nil }
        let denying = entity.denyingRelationships.first { number in
            destinationObjects(of: object, number).contains { $0.record.state != .deleted }
        }
        return denying.map { entity.relationships[$0] }
    }
}
