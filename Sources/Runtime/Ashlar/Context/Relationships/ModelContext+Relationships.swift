/// Relationships in memory: setting either side changes both immediately.
extension ModelContext {
    private func isUsable(_ object: ManagedObject) -> Bool {
        if object.record.state == .deleted || object.record.state == .gone {
            errors.note(ContextError.deletedObject(entity: object.entity.name))
            return false
        }
        if object.isIn(self) { return true }
        if object.record.state == .detached, object.record.context == nil {
            // Relating a new object to one in a context inserts it, as in SwiftData.
            insertObject(object)
            return object.isIn(self)
        }
        errors.note(ContextError.objectOfAnotherContext(entity: object.entity.name))
        return false
    }

    // MARK: To-one

    func toOne(_ object: ManagedObject, _ number: RelationshipNumber) -> ManagedObject? {
        let relationship = object.traits.pointee[number]
        switch relationship.pointee.place {
        case .column:
            let column = relationship.pointee.column
            guard let identifier = object.identifier(inColumn: column) else { return nil }
            return destination(identifier, of: object, column: column)
        case .inverseColumn, .joinTable:
            // Another save may have given the object another partner, which is a conflict. The last one is this
            // context's.
            return memberObjects(of: object, number).last
        }
    }

    func setToOne(_ object: ManagedObject, _ number: RelationshipNumber, _ target: ManagedObject?) {
        guard isUsable(object), target.map(isUsable) ?? true else { return }
        let relationship = object.traits.pointee[number]
        guard relationship.pointee.place == .column else {
            setHeldByOther(object, number, relationship.pointee.inverse, target)
            return
        }
        let column = relationship.pointee.column
        let old = object.identifier(inColumn: column)
        let new = target?.identifier
        let inverse = relationship.pointee.inverse
        if old == new {
            // Setting the same destination again resolves a conflict with another save.
            if let target, let inverse, mayHaveSeveralPartners(target, inverse) {
                releasePartners(of: target, inverse, number, besides: object)
            }
            return
        }
        if let target, let inverse, !target.traits.pointee[inverse].pointee.isToMany {
            releasePartners(of: target, inverse, number, besides: object)
        }
        let destination = destinationTraits(of: object, number)
        let other = inverse.flatMap { destination?.pointee[$0] }
        if let inverse, let other, !isUndoing, isOrderKept(other), willMove(from: old, to: target, inverse, other) {
            // A callback may have changed the relationship meanwhile.
            return setToOne(object, number, target)
        }
        let isOwnInverse = other?.pointee.place == .column
        let previous = isOwnInverse ? toOne(object, number) : nil
        object._ashlarWillChange(ManagedObject.bit(of: column))
        object.setIdentifier(new, inColumn: column)
        guard let inverse, let other else { return }
        if isOwnInverse {
            // A relationship that is its own inverse has a column at both ends.
            releaseDeletedHolder(of: object, number, number)
            if let previous, previous !== object { setToOne(previous, number, nil) }
            if let target { setToOne(target, number, object) }
            return
        }
        if let old { removeMember(object.record.rowID, from: old, inverse, other) }
        if let new { addMember(object.record.rowID, to: new, inverse, other) }
    }

    /// Sets a one-to-one relationship from the side that does not hold the foreign key.
    private func setHeldByOther(
        _ object: ManagedObject, _ number: RelationshipNumber, _ inverse: RelationshipNumber?, _ target: ManagedObject?
    ) {
        guard let inverse else { return }
        releaseDeletedHolder(of: object, number, inverse)
        if let target { return setToOne(target, inverse, object) }
        releasePartners(of: object, number, inverse, besides: nil)
    }

    /// Removes an object from its partners.
    private func releasePartners(
        of object: ManagedObject, _ number: RelationshipNumber, _ inverse: RelationshipNumber,
        besides kept: ManagedObject?
    ) {
        releaseDeletedHolder(of: object, number, inverse)
        let partners =
            object.traits.pointee[number].pointee.place == .column
            ? toOne(object, number).map { [$0] } ?? [] : memberObjects(of: object, number)
        for partner in partners where partner !== kept { setToOne(partner, inverse, nil) }
    }

    /// Returns whether an object may have two partners: one from another save, and one from this context.
    private func mayHaveSeveralPartners(_ object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        if object.traits.pointee[number].pointee.isToMany { return false }
        if let members = object.loadedMembers(number) { return members.count > 1 }
        return pending.links[LinkKey(object, number)]?.added.isEmpty == false
    }

    /// Clears the foreign key of a deleted object that still has it because it denies the deletion.
    private func releaseDeletedHolder(
        of object: ManagedObject, _ number: RelationshipNumber, _ inverse: RelationshipNumber
    ) {
        if pending.deleted.isEmpty { return }
        guard let holding = destination(of: object, number)?.relationships[inverse],
            holding.deletionRule == .deny, case .column(let column) = holding.storage
        else { return }
        for holder in pending.deleted
        where holder.record.state == .deleted && holder.entity.relationships.contains(inverse) {
            guard holder.entity.relationships[inverse] == holding,
                holder.identifier(inColumn: column) == object.identifier
            else { continue }
            holder._ashlarWillChange(ManagedObject.bit(of: column))
            holder.setIdentifier(nil, inColumn: column)
        }
    }

    // MARK: To-many

    func add(_ member: ManagedObject, to owner: ManagedObject, _ number: RelationshipNumber) {
        guard isUsable(owner), isUsable(member) else { return }
        let relationship = owner.traits.pointee[number]
        switch relationship.pointee.place {
        case .inverseColumn:
            if let inverse = relationship.pointee.inverse { setToOne(member, inverse, owner) }
        case .joinTable:
            link(owner, number, relationship, member)
        case .column:
            setToOne(owner, number, member)
        }
    }

    func remove(_ member: ManagedObject, from owner: ManagedObject, _ number: RelationshipNumber) {
        // Objects in no context and deleted objects are not members here.
        guard owner.isLive(in: self), member.isLive(in: self) else { return }
        let relationship = owner.traits.pointee[number]
        switch relationship.pointee.place {
        case .inverseColumn:
            if let inverse = relationship.pointee.inverse,
                member.identifier(inColumn: relationship.pointee.column) == owner.identifier
            {
                setToOne(member, inverse, nil)
            }
        case .joinTable:
            unlink(owner, number, relationship, member)
        case .column:
            if toOne(owner, number) === member { setToOne(owner, number, nil) }
        }
    }

    private func link(
        _ owner: ManagedObject, _ number: RelationshipNumber, _ relationship: UnsafePointer<RelationshipTraits>,
        _ member: ManagedObject
    ) {
        guard isUndoing || isChange(owner, number, member, isAddition: true) else { return }
        noteLink(owner, number, member, isAddition: true)
        addMember(member.record.rowID, to: owner.identifier, number, relationship)
        noteLinkChange(owner)
        guard let inverse = relationship.pointee.inverse else { return }
        if inverse == number, owner === member { return }
        addMember(owner.record.rowID, to: member.identifier, inverse, member.traits.pointee[inverse])
        noteLinkChange(member)
    }

    func unlink(
        _ owner: ManagedObject, _ number: RelationshipNumber, _ relationship: UnsafePointer<RelationshipTraits>,
        _ member: ManagedObject
    ) {
        guard isUndoing || isChange(owner, number, member, isAddition: false) else { return }
        noteLink(owner, number, member, isAddition: false)
        removeMember(member.record.rowID, from: owner.identifier, number, relationship)
        noteLinkChange(owner)
        guard let inverse = relationship.pointee.inverse else { return }
        if inverse == number, owner === member { return }
        removeMember(owner.record.rowID, from: member.identifier, inverse, member.traits.pointee[inverse])
        noteLinkChange(member)
    }

    /// Marks an object as changed because a relationship without a column changed.
    func noteLinkChange(_ object: ManagedObject) {
        if object.record.original.isEmpty, object.record.state == .persisted {
            object.original = object.snapshot()
        }
        noteChange(of: object)
    }

    /// Replaces all members, in the given order.
    func setMembers(_ members: [ManagedObject], of owner: ManagedObject, _ number: RelationshipNumber) {
        guard isUsable(owner) else { return }
        let current = memberObjects(of: owner, number)
        let wanted = Set(members.map(ObjectIdentifier.init))
        for member in current where !wanted.contains(ObjectIdentifier(member)) { remove(member, from: owner, number) }
        let present = Set(current.map(ObjectIdentifier.init))
        for member in members where !present.contains(ObjectIdentifier(member)) { add(member, to: owner, number) }
        if owner.traits.pointee[number].pointee.isOrdered {
            let order = members.filter { $0.isLive(in: self) }.map(\.record.rowID).withoutRepeats()
            if livingMembers(of: owner, number) != order { setOrder(order, of: owner, number) }
        }
    }

    /// Sets the order of the members of an ordered relationship.
    func setOrder(_ rowIDs: [Int64], of owner: ManagedObject, _ number: RelationshipNumber) {
        let relationship = owner.traits.pointee[number]
        willReorder(owner, number, relationship)
        noteMutation(owner, relationship: number)
        owner.makeLinks(number).rowIDs = rowIDs.withoutRepeats()
        pending.reorder(LinkKey(owner, number), of: owner, relationship, isRearranged: true)
        noteLinkChange(owner)
    }
}
