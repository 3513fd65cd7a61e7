extension ModelContext {
    /// Deletes an object with the next save, and carries out its relationships' deletion rules at once.
    ///
    /// Cascade deletes the destinations too, nullify takes the object out of them, deny lets the save fail while any
    /// destination is left. An object that was never saved leaves the context.
    public func delete(_ model: some PersistentModel) {
        deleteObject(model)
    }

    func deleteObject(_ object: ManagedObject) {
        guard object.record.context === self, object.liveContext != nil else {
            if object.record.context !== self, object.record.context != nil {
                recordError(ContextError.objectOfAnotherContext(entity: object.entity.name))
            }
            return
        }
        let wasInserted = object.record.state == .inserted
        let relationships = object.entity.relationships
        // The members are read while the object still counts as a member itself, and before anything changes.
        let destinations = relationships.indices.map { number in
            relationships[number].isToMany
                ? memberObjects(of: object, number) : toOne(object, number).map { [$0] } ?? []
        }
        object.record.state = .deleted
        for (number, relationship) in relationships.enumerated() {
            for destination in destinations[number] where destination.record.state != .deleted {
                switch relationship.deletionRule {
                case .cascade: deleteObject(destination)
                case .nullify: break
                case .deny, .noAction: continue
                }
                detach(object, number, relationship, from: destination)
            }
        }
        if wasInserted {
            map(for: object.entity.number.root).remove(object.record.rowID)
            object.record.context = nil
            object.record.state = .detached
        } else {
            deleted.append(object)
        }
    }

    /// Takes a deleted object out of the other side of a relationship.
    private func detach(
        _ object: ManagedObject, _ number: Int, _ relationship: RelationshipDescription,
        from destination: ManagedObject
    ) {
        guard let inverse = relationship.inverse else { return }
        switch relationship.storage {
        case .column:
            removeMember(
                object.record.rowID, from: destination.identifier, inverse, destination.entity.relationships[inverse])
        case .inverseColumn(let column, _):
            guard destination.liveContext === self else { return }
            destination._ashlarWillChange(ManagedObject.bit(of: column))
            destination._ashlarSetIdentifier(column, nil)
        case .joinTable:
            unlink(object, number, relationship, destination)
        }
    }

    /// The relationship of a deleted object that denies its deletion.
    func denyingRelationship(of object: ManagedObject) -> RelationshipDescription? {
        for (number, relationship) in object.entity.relationships.enumerated()
        where relationship.deletionRule == .deny {
            let left =
                relationship.isToMany
                ? memberObjects(of: object, number) : toOne(object, number).map { [$0] } ?? []
            if left.contains(where: { $0.record.state != .deleted }) { return relationship }
        }
        return nil
    }
}
