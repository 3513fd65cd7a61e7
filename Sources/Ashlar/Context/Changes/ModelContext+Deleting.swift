extension ModelContext {
    /// Deletes an object with the next save, and carries out its relationships' deletion rules at once.
    ///
    /// Cascade deletes the destinations too, nullify takes the object out of them, deny lets the save fail while any
    /// destination is left. An object that was never saved leaves the context.
    public func delete(_ model: some PersistentModel) {
        checked { deleteObject(model) }
    }

    func deleteObject(_ object: ManagedObject) {
        guard object.record.context === self, object.liveContext != nil else {
            if object.record.context !== self, object.record.context != nil {
                errors.note(ContextError.objectOfAnotherContext(entity: object.entity.name))
            }
            return
        }
        if autosaving.isOn { scheduleAutosave() }
        // A member whose row cannot be read is no object; the store carries out the rule.
        errors.ignoringInvalidValues {
            // A list rather than recursion: a chain of cascades may be longer than the stack is deep.
            var waiting = deleteAlone(object)
            while !waiting.isEmpty {
                let next = waiting.removeLast()
                if next.isLive(in: self) { waiting += deleteAlone(next) }
            }
        }
    }

    /// Deletes one object, and returns those that its deletion takes along.
    private func deleteAlone(_ object: ManagedObject) -> [ManagedObject] {
        if object.entity.hasLifecycle {
            // Objects that delete each other there are told once each.
            guard hooks.beginPreparingDeletion(of: object) else { return [] }
            defer { hooks.endPreparingDeletion(of: object) }
            (object as? any ManagedObjectLifecycle)?.prepareForDeletion()
        }
        // The object may have been deleted by that.
        guard object.isLive(in: self) else { return [] }
        if container.model.mayBeListedWhenDeleted(object.entity) { registry.noteDisappearance() }
        let event = listeners.event
        event?.touch(object, columns: .max)
        event?.deleted.append(object)
        let entity = object.entity
        let relationships = entity.relationships
        if event != nil {
            for (number, relationship) in relationships.numbered { willReorder(object, number, relationship) }
        }
        let wasInserted = object.record.state == .inserted
        // The members are read while the object still counts as a member itself, and before anything changes.
        var destinations: [(relationship: RelationshipNumber, objects: [ManagedObject])] = []
        var detached: [RelationshipNumber] = []
        var position = 0
        while position < relationships.count {
            let number = RelationshipNumber(position)
            if isDetachedByIdentifier(entity, number) {
                detached.append(number)
            } else {
                let objects = self.destinations(of: object, number, relationships[number])
                if !objects.isEmpty { destinations.append((number, objects)) }
            }
            position &+= 1
        }
        if event != nil { noteLinks(of: object, destinations) }
        object.record.state = .deleted
        position = 0
        while position < detached.count {
            detachByIdentifier(object, entity, detached[position])
            position &+= 1
        }
        var cascaded: [ManagedObject] = []
        for (number, objects) in destinations {
            let relationship = relationships[number]
            for destination in objects where destination.record.state != .deleted {
                switch relationship.deletionRule {
                case .cascade: cascaded.append(destination)
                case .nullify: break
                // An object that was never saved cannot keep another from being without it.
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

    /// Notes what an undo needs and what is not there to be read once the object counts as deleted: the orders at the
    /// other sides, and its links to itself.
    private func noteLinks(
        of object: ManagedObject, _ destinations: [(relationship: RelationshipNumber, objects: [ManagedObject])]
    ) {
        for (number, objects) in destinations {
            let relationship = object.entity.relationships[number]
            guard let inverse = relationship.inverse else { continue }
            for other in objects { willReorder(other, inverse, other.entity.relationships[inverse]) }
            if case .joinTable = relationship.storage, objects.contains(where: { $0 === object }) {
                unlink(object, number, relationship, object)
            }
        }
    }

    func destinations(
        of object: ManagedObject, _ number: RelationshipNumber, _ relationship: RelationshipDescription
    ) -> [ManagedObject] {
        relationship.isToMany ? memberObjects(of: object, number) : toOne(object, number).map { [$0] } ?? []
    }

    /// Takes a deleted object out of the other side of a relationship.
    private func detach(
        _ object: ManagedObject, _ number: RelationshipNumber, _ relationship: RelationshipDescription,
        from destination: ManagedObject
    ) {
        guard let inverse = relationship.inverse else { return }
        switch relationship.storage {
        case .column:
            let other = destination.entity.relationships[inverse]
            if case .column(let column) = other.storage {
                clear(column, of: destination)
            } else {
                removeMember(object.record.rowID, from: destination.identifier, inverse, other)
            }
        case .inverseColumn(let column, _):
            clear(column, of: destination)
        case .joinTable:
            unlink(object, number, relationship, destination)
        }
    }

    /// Whether the identifier of a to-one destination is all that is needed of it when the object goes: it stays, and has
    /// no foreign key of its own. To load it would be of no use.
    private func isDetachedByIdentifier(_ entity: EntityDescription, _ number: RelationshipNumber) -> Bool {
        // An undo needs the destination's order.
        listeners.event == nil && container.model.isDetachedByIdentifier(entity, number)
    }

    private func detachByIdentifier(_ object: ManagedObject, _ entity: EntityDescription, _ number: RelationshipNumber)
    {
        let relationship = entity.relationships[number]
        guard case .column(let column) = relationship.storage, let inverse = relationship.inverse,
            let identifier = object.identifier(inColumn: column),
            registry.object(identifier)?.record.state != .deleted,
            let other = container.model.destination(of: entity, number)?.relationships[inverse]
        else { return }
        removeMember(object.record.rowID, from: identifier, inverse, other)
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
            destinations(of: object, number, entity.relationships[number]).contains { $0.record.state != .deleted }
        }
        return denying.map { entity.relationships[$0] }
    }
}
