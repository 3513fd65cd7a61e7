/// Objects that were deleted, and are not to be any more.
extension ModelContext {
    /// An object that was to be deleted is not, and is a member again of what it refers to.
    func takeBackDeletion(of object: ManagedObject) {
        object.record.state = .persisted
        pending.removeDeleted(object)
        if object.changes != 0 || !object.record.original.isEmpty { noteChange(of: object) }
        for number in object.traits.pointee.numbers { regainMembers(of: object, number) }
        for (relationship, inverse, other) in heldReferences(of: object) {
            guard let target = object.identifier(inColumn: relationship) else { continue }
            let owner = registry.object(target)
            if owner == nil, object.changes & ManagedObject.bit(of: relationship) == 0 {
                // The store has it where it was, and that is read when somebody asks.
                pending.links[LinkKey(target, inverse)]?.forget(object.record.rowID)
                continue
            }
            // An object that was deleted at the same time kept its members.
            let known = owner?.links(inverse)
            if known?.members?.contains(object.record.rowID) != true {
                addMember(object.record.rowID, to: target, inverse, other)
            }
        }
        listeners.event?.inserted.append(object)
    }

    /// The members that an object was left by while it was deleted are no members any more.
    private func regainMembers(of object: ManagedObject, _ number: RelationshipNumber) {
        let relationship = object.traits.pointee[number]
        guard relationship.pointee.place == .inverseColumn, relationship.pointee.isToMany,
            let destination = destination(of: object, number)
        else { return }
        let column = relationship.pointee.column
        let key = LinkKey(object, number)
        for rowID in pending.links[key]?.added ?? [] {
            let member = registry.map(for: destination.number.root)[rowID]
            if member?.identifier(inColumn: column) != object.identifier { pending.links[key]?.remove(rowID) }
        }
        for member in pending.changed where member.rootNumber == destination.number.root {
            guard let original = member.original, member.entity.referenceColumns.contains(column),
                member.identifier(inColumn: column) != object.identifier
            else { continue }
            let before = copy(of: member)
            before.restore(original)
            if before.identifier(inColumn: column) == object.identifier {
                pending.links(key, relationship).remove(member.record.rowID)
            }
        }
        object.links(number)?.members = nil
    }

    /// Takes an object out of the relationships that its own references are the other side of.
    func leaveOtherSides(_ object: ManagedObject) {
        for (column, inverse, other) in heldReferences(of: object) {
            guard let target = object.identifier(inColumn: column) else { continue }
            removeMember(object.record.rowID, from: target, inverse, other)
        }
    }

    /// The foreign keys of an object whose other side keeps members: the column, the number of the other side, and that.
    func heldReferences(
        of object: ManagedObject
    ) -> [(Int, RelationshipNumber, UnsafePointer<RelationshipTraits>)] {
        object.traits.pointee.numbers.compactMap { number in
            let relationship = object.traits.pointee[number]
            guard relationship.pointee.place == .column, let inverse = relationship.pointee.inverse,
                let other = destinationTraits(of: object, number)?.pointee[inverse], other.pointee.place != .column
            else { return nil }
            return (relationship.pointee.column, inverse, other)
        }
    }
}
