/// The members of relationships in memory, and their pending changes.
extension ModelContext {
    /// Records a link before it is added or removed, if an undo needs it. Links that do not change are not recorded.
    func noteLink(_ owner: ManagedObject, _ number: RelationshipNumber, _ member: ManagedObject, isAddition: Bool) {
        guard listeners.keepsValues, let event = listeners.event,
            isMember(member.record.rowID, of: owner, number) != isAddition
        else { return }
        event.note(.init(owner: owner, relationship: number, member: member, isAddition: isAddition))
    }

    /// Returns whether adding or removing a member changes a relationship.
    ///
    /// Members are loaded only for an undo manager, which would otherwise record an undo without effect. Without an
    /// undo manager, a relationship that is not loaded counts as changed.
    func isChange(_ owner: ManagedObject, _ number: RelationshipNumber, _ member: ManagedObject, isAddition: Bool)
        -> Bool
    {
        let isKnown = owner.hasLoaded(number) || listeners.keepsValues && listeners.event != nil
        return !isKnown || isMember(member.record.rowID, of: owner, number) != isAddition
    }

    /// Records the order of members before it changes, if an undo needs it.
    func willReorder(
        _ owner: ManagedObject, _ number: RelationshipNumber, _ relationship: UnsafePointer<RelationshipTraits>
    ) {
        guard isOrderKept(relationship), let event = listeners.event else { return }
        event.willReorder(owner, number, members(of: owner, number))
    }

    /// Returns whether the order of a relationship's members must be recorded before it changes, because an undo needs
    /// it.
    @inline(__always)
    func isOrderKept(_ relationship: UnsafePointer<RelationshipTraits>) -> Bool {
        relationship.pointee.isOrdered && listeners.keepsValues && listeners.event != nil
    }

    /// Records the orders of the relationship that a member is about to leave, and of the one that it joins.
    ///
    /// - Returns: Whether the former owner had to be read, so that callbacks may have run.
    func willMove(
        from old: PersistentIdentifier?, to new: ManagedObject?, _ number: RelationshipNumber,
        _ relationship: UnsafePointer<RelationshipTraits>
    ) -> Bool {
        if let new { willReorder(new, number, relationship) }
        guard let old else { return false }
        if let known = registry.object(old) {
            willReorder(known, number, relationship)
            return false
        }
        do {
            // The owner's values are not needed here. If they cannot be read, the call that needs them reports it.
            guard let owner = try errors.ignoringInvalidValues({ try existingObject(old) }) else { return false }
            willReorder(owner, number, relationship)
            return true
        } catch {
            errors.note(error)
            return false
        }
    }

    func addMember(
        _ rowID: Int64, to owner: PersistentIdentifier, _ number: RelationshipNumber,
        _ relationship: UnsafePointer<RelationshipTraits>
    ) {
        let object = registry.object(owner)
        if let object { willReorder(object, number, relationship) }
        let key = LinkKey(owner, number)
        pending.links(key, relationship).add(rowID)
        guard let object else { return }
        noteMutation(object, relationship: number)
        noteMembersChange(of: object)
        if let links = object.links(number) {
            // Only a link in a join table can be added twice; a foreign key was compared before. An object that an undo
            // restores may still be a member of an object that was deleted with it.
            if relationship.pointee.place == .joinTable || isUndoing, links.members?.contains(rowID) == true { return }
            links.members?.append(rowID)
        }
        if relationship.pointee.isOrdered {
            pending.reorder(key, of: object, relationship, isRearranged: false)
        }
    }

    func removeMember(
        _ rowID: Int64, from owner: PersistentIdentifier, _ number: RelationshipNumber,
        _ relationship: UnsafePointer<RelationshipTraits>
    ) {
        let object = registry.object(owner)
        if let object { willReorder(object, number, relationship) }
        removeMember(rowID, from: owner, object, number, relationship)
    }

    /// Removes a member without recording the change for undo.
    ///
    /// - Parameter object: The object of the owner, if it is registered.
    func removeMember(
        _ rowID: Int64, from owner: PersistentIdentifier, _ object: ManagedObject?, _ number: RelationshipNumber,
        _ relationship: UnsafePointer<RelationshipTraits>
    ) {
        let key = LinkKey(owner, number)
        pending.links(key, relationship).remove(rowID, mayBeStored: rowID > 0 || parent != nil)
        guard let object else { return }
        noteMutation(object, relationship: number)
        noteMembersChange(of: object)
        object.links(number)?.members?.remove(rowID)
    }

    /// Makes both former and new destination load their members again, because another context saved a different
    /// reference.
    func referenceChanged(
        of object: ManagedObject, _ relationship: RelationshipDescription, from old: PersistentIdentifier?,
        to new: PersistentIdentifier?
    ) {
        guard old != new, let inverse = relationship.inverse else { return }
        let rowID = object.record.rowID
        for end in [old, new] {
            if let end {
                pending.links[LinkKey(end, inverse)]?.forget(rowID)
            }
            guard let end, let links = registry.object(end)?.links(inverse), links.isLoaded
            else { continue }
            if let owner = registry.object(end) { noteMutation(owner, relationship: inverse) }
            let key = LinkKey(end, inverse)
            if pending.reordered[key] == nil {
                links.members = nil
            } else {
                // The order that was set here is stored nowhere else.
                links.members?.remove(rowID)
                if end == new { links.members?.append(rowID) }
            }
        }
    }

    /// Marks an object as changed because it gained or lost members, although its row stays as it is.
    @inline(__always)
    private func noteMembersChange(of object: ManagedObject) {
        // Usually the object is already listed, because it has many members.
        if object.record.isListed, listeners.event == nil { return }
        if object.record.state == .persisted || (listeners.event != nil && object.record.state == .inserted) {
            noteChange(of: object)
        }
    }
}
