import Containers

/// Reading relationships: their members as rowids and as objects, loaded on demand.
extension ModelContext {
    /// Returns the rowids of a relationship's members, with the pending changes, loading them if necessary.
    func members(of object: ManagedObject, _ number: RelationshipNumber) -> [Int64] {
        loadedLinks(of: object, number)?.rowIDs ?? []
    }

    /// Returns whether an object that was never saved has no members. This needs no allocation.
    private func hasNoMembers(_ object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        guard object.record.state == .inserted, !object.hasLoaded(number) else { return false }
        if pending.links.isEmpty { return true }
        // The key is made first, because the call below would otherwise count a reference.
        let key = LinkKey(object, number)
        return !pending.links.contains(key)
    }

    /// Returns a relationship's members in memory, loading them if necessary; nil if they cannot be loaded.
    private func loadedLinks(of object: ManagedObject, _ number: RelationshipNumber) -> RelationshipLinks? {
        if let links = object.links(number), links.isLoaded { return links }
        if object.record.state == .inserted {
            // The store has no members of a new object.
            let links = object.makeLinks(number)
            links.load(OrderedRowIDs(), pending.links[LinkKey(object, number)])
            return links
        }
        loadMembers(of: object, number)
        return object.links(number).flatMap { $0.isLoaded ? $0 : nil }
    }

    /// Returns whether a row is a member of a relationship, loading the members if necessary.
    func isMember(_ rowID: Int64, of object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        loadedLinks(of: object, number)?.members?.contains(rowID) ?? false
    }

    /// Returns the objects of a relationship, in its order.
    func memberObjects(of object: ManagedObject, _ number: RelationshipNumber) -> [ManagedObject] {
        var found: [ManagedObject] = []
        visitMembers(of: object, number) {
            found.reserveCapacity($0)
        } _: {
            found.append($0)
        }
        return found
    }

    /// Calls a closure with the objects of a relationship, in its order, after another one receives the largest
    /// possible number of them. The closure must retain the objects: loading later ones may start a sweep that releases
    /// others.
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
        // Usually all objects are registered.
        if position == count { return }
        for object in loadedObjects(members, from: position, destination.pointee.entity) { visit(object) }
    }

    /// Returns the objects of members from a position on, loading those that are not registered.
    @inline(never)
    private func loadedObjects(
        _ members: OrderedRowIDs, from position: Int, _ destination: EntityDescription
    ) -> [ManagedObject] {
        let rowIDs = Array(members.array[position...])
        let map = registry.map(for: destination.number.root)
        // Held while the others are loaded, so that a sweep does not release them.
        var objects = rowIDs.map { map[$0] }
        let missing = zip(rowIDs, objects).compactMap { $0.1 == nil ? $0.0 : nil }
        if !missing.isEmpty {
            loadObjects(destination, missing)
            for index in objects.indices where objects[index] == nil { objects[index] = map[rowIDs[index]] }
        }
        return objects.compactMap { $0.flatMap { $0.record.state == .deleted ? nil : $0 } }
    }

    /// Returns the rowids of a relationship's members, except those that were deleted here or elsewhere.
    func livingMembers(of object: ManagedObject, _ number: RelationshipNumber) -> [Int64] {
        livingLinks(of: object, number)?.rowIDs ?? []
    }

    /// Returns a relationship's members in memory, loading them if necessary, except those that were deleted here or
    /// elsewhere.
    func livingLinks(of object: ManagedObject, _ number: RelationshipNumber) -> RelationshipLinks? {
        guard let links = loadedLinks(of: object, number), let destination = destinationTraits(of: object, number)
        else { return nil }
        let root = destination.pointee.number.root
        // Another context may have deleted objects that were swept since.
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

    /// Returns the traits of the destination entity of a relationship; nil if the model has no such entity.
    @inline(__always)
    func destinationTraits(of object: ManagedObject, _ number: RelationshipNumber) -> UnsafePointer<EntityTraits>? {
        // Read first, because the model would otherwise be retained meanwhile.
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
