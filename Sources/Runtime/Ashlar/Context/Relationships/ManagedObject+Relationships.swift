/// Access to an object's relationships, with or without a context, for generated accessors and ``ToMany``.
extension ManagedObject {
    /// Returns the destination of a to-one relationship, by its number and the identifier in the object's row;
    /// generated accessors call it.
    @_spi(Generated) public final func _ashlarToOne<Model: PersistentModel>(
        _ relationship: RelationshipNumber, _ identifier: PersistentIdentifier?
    ) -> Model? {
        guard let context = record.context else {
            return detachedObjects(relationship, isKnownEmpty: identifier == nil).first as? Model
        }
        if record.isObserved { noteAccess(toOne: relationship) }
        guard let identifier else { return nil }
        return context.destination(identifier, of: self, column: foreignKeyColumn(of: relationship)) as? Model
    }

    /// Returns the column of a relationship that has one.
    @inline(never)
    private func foreignKeyColumn(of relationship: RelationshipNumber) -> Int {
        guard case .column(let column) = entity.relationships[relationship].storage else { return 0 }
        return column
    }

    /// Returns the destination of a to-one relationship whose foreign key is on the other side, by its number;
    /// generated accessors call it.
    @_spi(Generated) public final func _ashlarToOne<Model: PersistentModel>(_ relationship: RelationshipNumber)
        -> Model?
    {
        if let context = record.context {
            noteAccess(toOne: relationship)
            return context.toOne(self, relationship) as? Model
        }
        return detachedObjects(relationship).first as? Model
    }

    /// Sets a to-one relationship and its inverse; generated accessors call it.
    @_spi(Generated) public final func _ashlarSetToOne(_ relationship: RelationshipNumber, _ target: ManagedObject?) {
        if let context = liveContext ?? target?.liveContext {
            context.setToOne(self, relationship, target)
            return
        }
        guard record.state == .detached, target?.record.state ?? .detached == .detached else { return }
        let old = links(relationship)?.objects.first
        if old === target { return }
        let inverse = entity.relationships[relationship].inverse
        if let old {
            links(relationship)?.objects = []
            if let inverse { old.links(inverse)?.objects.removeAll { $0 === self } }
        }
        guard let target else { return }
        if let inverse, !target.entity.relationships[inverse].isToMany,
            let partner = target.links(inverse)?.objects.first
        {
            partner.links(relationship)?.objects = []
            target.links(inverse)?.objects = []
        }
        makeLinks(relationship).objects = [target]
        if let inverse { target.makeLinks(inverse).objects.append(self) }
    }

    /// Returns the destination of a to-one relationship.
    package final func toOneDestination(_ relationship: RelationshipNumber) -> ManagedObject? {
        record.context?.toOne(self, relationship) ?? links(relationship)?.objects.first
    }

    package final func memberObjects(_ relationship: RelationshipNumber) -> [ManagedObject] {
        noteAccess(relationship: relationship)
        if let context = record.context { return context.memberObjects(of: self, relationship) }
        return detachedObjects(relationship)
    }

    /// Calls a closure with the objects of a relationship, after another one receives the largest possible number of
    /// them.
    final func visitMembers(
        _ relationship: RelationshipNumber, _ reserve: (Int) -> Void, _ visit: (ManagedObject) -> Void
    ) {
        noteAccess(relationship: relationship)
        if let context = record.context { return context.visitMembers(of: self, relationship, reserve, visit) }
        for object in detachedObjects(relationship) { visit(object) }
    }

    /// Returns the destinations of a relationship of an object in no context.
    @inline(never)
    private final func detachedObjects(_ relationship: RelationshipNumber, isKnownEmpty: Bool = false)
        -> [ManagedObject]
    {
        let objects = links(relationship)?.objects ?? []
        if objects.isEmpty, !isKnownEmpty, record.state == .detached, record.rowID > 0, record.version > 0 {
            LostRelationships.report(relationship, of: self)
        }
        return objects
    }

    final func member(_ relationship: RelationshipNumber, at position: Int) -> ManagedObject? {
        noteAccess(relationship: relationship)
        guard let context = record.context else { return links(relationship)?.objects[position] }
        guard let rowID = context.livingLinks(of: self, relationship)?.members?[position] else { return nil }
        return context.object(of: self, relationship, rowID: rowID)
    }

    final func memberCount(_ relationship: RelationshipNumber) -> Int {
        noteAccess(relationship: relationship)
        if let context = record.context {
            return context.livingLinks(of: self, relationship)?.members?.count ?? 0
        }
        return detachedObjects(relationship).count
    }

    final func memberPosition(_ member: ManagedObject, _ relationship: RelationshipNumber) -> Int? {
        noteAccess(relationship: relationship)
        guard let context = record.context else { return links(relationship)?.objects.firstIndex { $0 === member } }
        guard member.liveContext === context else { return nil }
        return context.livingLinks(of: self, relationship)?.members?.position(of: member.record.rowID)
    }

    final func hasMember(_ member: ManagedObject, _ relationship: RelationshipNumber) -> Bool {
        noteAccess(relationship: relationship)
        guard let context = record.context else {
            return detachedObjects(relationship).contains { $0 === member }
        }
        return context.hasMember(member, of: self, relationship)
    }

    final func insertMember(_ member: ManagedObject, _ relationship: RelationshipNumber, at position: Int) {
        guard let context = liveContext ?? member.liveContext else {
            var objects = links(relationship)?.objects ?? []
            objects.removeAll { $0 === member }
            objects.insert(member, at: min(position, objects.count))
            return setMembers(objects, relationship)
        }
        if record.state == .detached { context.insertObject(self) }
        context.insert(member, into: self, relationship, at: position)
    }

    final func hasMembers(_ relationship: RelationshipNumber) -> Bool {
        noteAccess(relationship: relationship)
        guard let context = record.context else { return !detachedObjects(relationship).isEmpty }
        return context.hasMembers(self, relationship)
    }

    final func addMember(_ member: ManagedObject, _ relationship: RelationshipNumber) {
        if let context = liveContext ?? member.liveContext {
            context.add(member, to: self, relationship)
            return
        }
        guard record.state == .detached, member.record.state == .detached else { return }
        let description = entity.relationships[relationship]
        if let inverse = description.inverse, !member.entity.relationships[inverse].isToMany {
            member._ashlarSetToOne(inverse, self)
            return
        }
        if links(relationship)?.objects.contains(where: { $0 === member }) == true { return }
        makeLinks(relationship).objects.append(member)
        if let inverse = description.inverse, inverse != relationship || member !== self {
            member.makeLinks(inverse).objects.append(self)
        }
    }

    final func removeMember(_ member: ManagedObject, _ relationship: RelationshipNumber) {
        if let context = liveContext {
            context.remove(member, from: self, relationship)
            return
        }
        links(relationship)?.objects.removeAll { $0 === member }
        if let inverse = entity.relationships[relationship].inverse {
            member.links(inverse)?.objects.removeAll { $0 === self }
        }
    }

    final func setMembers(_ members: [ManagedObject], _ relationship: RelationshipNumber) {
        if let context = liveContext ?? members.lazy.compactMap(\.liveContext).first {
            if record.state == .detached { context.insertObject(self) }
            context.setMembers(members, of: self, relationship)
            return
        }
        for member in links(relationship)?.objects ?? [] { removeMember(member, relationship) }
        for member in members { addMember(member, relationship) }
    }
}
