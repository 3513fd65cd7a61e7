/// Access to single members of relationships, at a cost independent of the number of members.
extension ModelContext {
    /// Inserts an object at a position of a relationship, or moves it there. Positions after the end mean the end.
    func insert(_ member: ManagedObject, into owner: ManagedObject, _ number: RelationshipNumber, at position: Int) {
        guard owner.isLive(in: self) else { return add(member, to: owner, number) }
        let relationship = owner.traits.pointee[number]
        var links = livingLinks(of: owner, number)
        if !member.isIn(self) || links?.members?.contains(member.record.rowID) != true {
            add(member, to: owner, number)
            links = livingLinks(of: owner, number)
        }
        guard let links, relationship.pointee.isOrdered, member.isLive(in: self) else { return }
        if let members = links.members, !members.isEmpty,
            members[min(position, members.count - 1)] == member.record.rowID
        {
            return
        }
        willReorder(owner, number, relationship)
        noteMutation(owner, relationship: number)
        guard links.members?.move(member.record.rowID, to: position) == true else { return }
        pending.reorder(LinkKey(owner, number), of: owner, relationship, isRearranged: true)
        noteLinkChange(owner)
    }

    /// Returns whether a relationship has members. If it is not loaded and has no pending changes, the store is
    /// queried.
    func hasMembers(_ object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        if isToAsk(object, number), let found = ask(object, number, nil) { return found }
        return livingLinks(of: object, number)?.members?.isEmpty == false
    }

    /// Returns whether an object is a member of a relationship. Members of join tables may be loaded for it.
    func hasMember(_ member: ManagedObject, of owner: ManagedObject, _ number: RelationshipNumber) -> Bool {
        guard member.isLive(in: self), owner.isIn(self) else { return false }
        switch owner.entity.relationships[number].storage {
        case .inverseColumn(let column, _):
            guard destination(of: owner, number)?.number.root == member.rootNumber,
                member.entity.columns.count > column
            else { return false }
            return member.identifier(inColumn: column) == owner.identifier
        case .joinTable:
            if member.record.state == .persisted, isToAsk(owner, number),
                let found = ask(owner, number, member.record.rowID)
            {
                return found
            }
            return isMember(member.record.rowID, of: owner, number)
        case .column:
            return toOne(owner, number) === member
        }
    }

    /// Returns whether to query the store for an object's members instead of loading them: the first time that an
    /// object of its fetch needs them, if no pending change affects them. Later accesses load the members.
    private func isToAsk(_ object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        object.record.state == .persisted && parent == nil && object.links(number)?.isLoaded != true
            && pending.links[LinkKey(object, number)] == nil
            && (pending.deleted.isEmpty || !mayListDeleted(object, number))
            && asksAlone(object, number)
    }

    private func asksAlone(_ object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        switch relationshipLoading {
        case .automatic: earlierAccess(to: .members(number), of: object) == .none
        case .object: true
        case .siblings: false
        }
    }

    private func mayListDeleted(_ object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        destinationTraits(of: object, number).map { container.model.mayBeListedWhenDeleted($0.pointee.number.root) }
            ?? true
    }

    /// Returns whether the store has members of an object, or a particular one; nil if the query fails.
    private func ask(_ object: ManagedObject, _ number: RelationshipNumber, _ member: Int64?) -> Bool? {
        let relationship = object.entity.relationships[number]
        guard let (table, owner, other) = destination(of: object, number).flatMap(relationship.memberColumns) else {
            return nil
        }
        let sql =
            "SELECT 1 FROM \(table.quotedIdentifier) WHERE \(owner.quotedIdentifier) = ?1"
            + (member == nil ? "" : " AND \(other.quotedIdentifier) = ?2") + " LIMIT 1"
        do {
            return try read("looking for \(relationship.name)") { connection -> Bool in
                let statement = try connection.statement(sql)
                defer { statement.reset() }
                statement.bind(object.record.rowID, 1)
                if let member { statement.bind(member, 2) }
                return try statement.step()
            }
        } catch {
            errors.note(error)
            return false
        }
    }
}
