import Containers

/// What relationships lead to: their members as rowids and as objects, loaded where they were not yet.
extension ModelContext {
    /// The rowids of a relationship's members, loaded where they were not yet, with the pending changes.
    func members(of object: ManagedObject, _ number: RelationshipNumber) -> [Int64] {
        loadedLinks(of: object, number)?.rowIDs ?? []
    }

    /// Whether an object that was never saved got no members: nothing has to be made to say so.
    private func hasNoMembers(_ object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        guard object.record.state == .inserted, !object.hasLoaded(number) else { return false }
        if pending.links.isEmpty { return true }
        // First, as what follows would count a reference otherwise.
        let key = LinkKey(object, number)
        return !pending.links.contains(key)
    }

    /// What a relationship holds in memory, with its members loaded; nil where they cannot be.
    private func loadedLinks(of object: ManagedObject, _ number: RelationshipNumber) -> RelationshipLinks? {
        if let links = object.links(number), links.isLoaded { return links }
        if object.record.state == .inserted {
            // The store has none of them.
            let links = object.makeLinks(number)
            links.load(OrderedRowIDs(), pending.links[LinkKey(object, number)])
            return links
        }
        loadMembers(of: object, number)
        return object.links(number).flatMap { $0.isLoaded ? $0 : nil }
    }

    /// Whether a row is a member of a relationship, whose members are loaded where they were not yet.
    func isMember(_ rowID: Int64, of object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        loadedLinks(of: object, number)?.members?.contains(rowID) ?? false
    }

    /// The objects of a relationship, in its order.
    func memberObjects(of object: ManagedObject, _ number: RelationshipNumber) -> [ManagedObject] {
        var found: [ManagedObject] = []
        visitMembers(of: object, number) {
            found.reserveCapacity($0)
        } _: {
            found.append($0)
        }
        return found
    }

    /// Calls a closure with the objects of a relationship, in its order, once another one knows how many there are at most. The
    /// closure must hold the objects: some of those that follow may have to be loaded, when a sweep lets go of others.
    func visitMembers(
        of object: ManagedObject, _ number: RelationshipNumber, _ reserve: (Int) -> Void,
        _ visit: (ManagedObject) -> Void
    ) {
        if hasNoMembers(object, number) { return }
        guard let members = object.loadedMembers(number) ?? loadedLinks(of: object, number)?.members else { return }
        let count = members.count
        guard count > 0, let destination = destinationTraits(of: object, number) else { return }
        let root = destination.pointee.number.root
        reserve(count)
        var position = 0
        registry.withMap(for: root) { map in
            while position < count, let object = map.reference(to: members[position]) {
                object._withUnsafeGuaranteedRef { if $0.record.state != .deleted { visit($0) } }
                position &+= 1
            }
        }
        // Mostly all are there.
        if position == count { return }
        for object in loadedObjects(members, from: position, destination.pointee.entity) { visit(object) }
    }

    /// The objects of members from a position on, of which some have to be loaded.
    @inline(never)
    private func loadedObjects(
        _ members: OrderedRowIDs, from position: Int, _ destination: EntityDescription
    ) -> [ManagedObject] {
        let rowIDs = Array(members.array[position...])
        let map = registry.map(for: destination.number.root)
        // Held while the others are loaded, so that a sweep does not let them go.
        var objects = rowIDs.map { map[$0] }
        let missing = zip(rowIDs, objects).compactMap { $0.1 == nil ? $0.0 : nil }
        if !missing.isEmpty {
            loadObjects(destination, missing)
            for index in objects.indices where objects[index] == nil { objects[index] = map[rowIDs[index]] }
        }
        return objects.compactMap { $0.flatMap { $0.record.state == .deleted ? nil : $0 } }
    }

    /// The rowids of a relationship's members without those that are deleted, here or elsewhere.
    func livingMembers(of object: ManagedObject, _ number: RelationshipNumber) -> [Int64] {
        livingLinks(of: object, number)?.rowIDs ?? []
    }

    /// What a relationship holds in memory, with its members loaded, without those that are deleted, here or elsewhere.
    func livingLinks(of object: ManagedObject, _ number: RelationshipNumber) -> RelationshipLinks? {
        guard let links = loadedLinks(of: object, number), let destination = destinationTraits(of: object, number)
        else { return nil }
        let root = destination.pointee.number.root
        // What was swept since may have been deleted by another context.
        if links.checked == registry.disappearances(of: root) { return links }
        let map = registry.map(for: root)
        if let members = links.members, members.allSatisfy(map.holdsLiving) {
            links.checked = registry.disappearances(of: root)
            return links
        }
        let living = memberObjects(of: object, number)
        if living.count != links.members?.count { links.rowIDs = living.map(\.record.rowID) }
        links.checked = registry.disappearances(of: root)
        return links
    }

    func destination(of object: ManagedObject, _ number: RelationshipNumber) -> EntityDescription? {
        destinationTraits(of: object, number)?.pointee.entity
    }

    /// What is asked of the entity to which a relationship leads; nil where the model has none.
    @inline(__always)
    func destinationTraits(of object: ManagedObject, _ number: RelationshipNumber) -> UnsafePointer<EntityTraits>? {
        // First, as the model would be retained meanwhile.
        let entity = object.traits.pointee.number
        return container.model.lead(entity, number).pointee.destination
    }

    func object(of owner: ManagedObject, _ number: RelationshipNumber, rowID: Int64) -> ManagedObject? {
        guard let destination = destinationTraits(of: owner, number) else { return nil }
        let root = destination.pointee.number.root
        if let known = registry[rowID, root] { return known }
        loadObjects(destination.pointee.entity, [rowID])
        return registry[rowID, root]
    }
}
