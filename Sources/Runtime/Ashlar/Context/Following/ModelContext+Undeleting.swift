/// Taking back deletions that were not saved.
extension ModelContext {
    /// Takes back the deletion of an object, and adds it to the inverses of its references again.
    func takeBackDeletion(of object: ManagedObject) {
        object.record.state = .persisted
        pending.removeDeleted(object)
        if object.changes != 0 || !object.record.original.isEmpty { noteChange(of: object) }
        for number in object.traits.pointee.numbers { regainMembers(of: object, number) }
        for (relationship, inverse, other) in heldReferences(of: object) {
            guard let target = object.identifier(inColumn: relationship) else { continue }
            let owner = registry.object(target)
            if owner == nil, object.changes & ManagedObject.bit(of: relationship) == 0 {
                // The store still has it as a member, which is read on demand.
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

    /// Removes from an object the members that left it while it was deleted.
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

    /// Removes an object from the inverses of its own references.
    func leaveOtherSides(_ object: ManagedObject) {
        for (column, inverse, other) in heldReferences(of: object) {
            guard let target = object.identifier(inColumn: column) else { continue }
            removeMember(object.record.rowID, from: target, inverse, other)
        }
    }

    /// Returns the foreign keys of an object whose inverse relationship has members: the column, the number of the
    /// inverse, and the inverse.
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
