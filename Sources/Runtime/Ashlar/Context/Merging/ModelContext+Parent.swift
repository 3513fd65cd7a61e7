import Containers

/// Contexts that read and save through another context.
extension ModelContext {
    /// Creates a context that reads and saves through another context.
    ///
    /// Use it for work that is kept or discarded as a whole, such as an editor. The child sees the parent's unsaved
    /// changes. Its save changes the parent, and the parent's save writes to the store. Release the child to discard
    /// its changes.
    ///
    ///     let child = ModelContext(parent: context)
    ///     let copy: Post = try child.model(for: post.persistentModelID)
    ///     copy.title = "Alps"
    ///     try child.save()
    ///     try context.save()
    ///
    /// A child belongs to the same task or actor as its parent. Each save checks the rules of the model. Conflicts and
    /// unique values are resolved when the parent saves, and derived attributes are updated then. If both changed a
    /// property, the child's save overwrites the parent's value. New objects keep a temporary identifier until the
    /// outermost parent saves. The counterpart is a Core Data context with a `parent`.
    ///
    /// - Parameter parent: The context to read and save through.
    public convenience init(parent: ModelContext) {
        self.init(parent.container)
        self.parent = parent
        parent.children.removeAll { $0.context == nil }
        parent.children.append(Child(context: self))
    }

    /// A weak reference to a child context.
    struct Child {
        weak var context: ModelContext?
    }

    /// Returns the parent's object of an identifier, which the parent loads if necessary.
    func parentObject(_ identifier: PersistentIdentifier, _ parent: ModelContext) throws -> ManagedObject? {
        try parent.throwDeferredError()
        return try parent.existingObject(identifier)
    }

    /// Returns this context's object for an object of the parent.
    func object(of other: ManagedObject) -> ManagedObject? {
        let map = registry.map(for: other.rootNumber)
        if let known = map[other.record.rowID] {
            refresh(known, from: other)
            return known
        }
        guard other.liveContext === parent else { return nil }
        let object = type(of: other).object(of: other.snapshot())
        object.record.rowID = other.record.rowID
        object.record.version = other.record.version
        object.record.changes = 0
        object.record.state = .persisted
        object.record.context = self
        object.record.isObserved = listeners.observesObjects
        map.insert(object, rowID: other.record.rowID)
        hooks.noteFetch(of: object)
        return object
    }

    /// Updates an object without changes from the parent's object.
    private func refresh(_ object: ManagedObject, from other: ManagedObject) {
        takeDerivedValues(of: other)
        if object.record.state == .persisted, object.record.links != nil { forgetPairs(of: object, unlike: other) }
        guard object.record.state == .persisted, !object.record.isListed || object.keepsRow else { return }
        let values = other.snapshot()
        if object.changes(since: values, in: .max) == 0 { return }
        let before = ObjectState(object)
        object.forgetPrimitiveChanges()
        object.restore(values)
        object.record.links = nil
        object.record.version = other.record.version
        referencesChanged(since: before)
        noteMutationOfAll(object)
    }

    /// Forgets an object's members in join tables if the parent's object has others. No value of the object shows the
    /// difference.
    private func forgetPairs(of object: ManagedObject, unlike other: ManagedObject) {
        for number in object.loadedRelationships where object.traits.pointee[number].pointee.place == .joinTable {
            let key = LinkKey(object, number)
            if pending.links[key] == nil, pending.reordered[key] == nil, let members = other.links(number)?.rowIDs,
                members == object.links(number)?.rowIDs
            {
                continue
            }
            forgetMembers(of: object, number)
            noteMutation(object, relationship: number)
        }
    }

    /// Registers the objects of rows, or of objects that the parent has not saved yet.
    func fetchObjects(_ entity: EntityDescription, _ rowIDs: [Int64], from parent: ModelContext) throws {
        let map = parent.registry.map(for: entity.number.root)
        parent.loadObjects(entity, rowIDs.filter { $0 > 0 && map[$0] == nil })
        // The objects that could be read are registered in any case.
        let loading = Result { try parent.throwDeferredError() }
        for rowID in rowIDs {
            if let other = map[rowID] { _ = object(of: other) }
        }
        awakeFetchedObjects()
        try loading.get()
    }

    /// Returns the objects that the parent finds, except those of some rows.
    func fetch<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, from parent: ModelContext, excluding rowIDs: [Int64]
    ) throws -> [Model] {
        let excluded = Set(rowIDs)
        let root = Model._ashlarEntity.number.root
        for rowID in rowIDs {
            guard let object = registry[rowID, root], object.record.links != nil,
                let other = parent.registry[rowID, root]
            else { continue }
            forgetPairs(of: object, unlike: other)
        }
        let found = try parent.fetch(descriptor).filter { !excluded.contains($0.record.rowID) }
        parent.registry.map(for: root).beginBatch()
        registry.map(for: root).beginBatch()
        let objects = found.compactMap { object(of: $0) as? Model }
        awakeFetchedObjects()
        return objects
    }

    /// Loads the members that a relationship has in the parent.
    func loadMembers(of owner: ManagedObject, _ number: RelationshipNumber, from parent: ModelContext) {
        do {
            // Errors that the parent deferred are recorded here, but do not prevent loading the members.
            do { try parent.throwDeferredError() } catch { errors.note(error) }
            let object = try parent.existingObject(owner.identifier)
            let members = object.map { parent.livingMembers(of: $0, number) } ?? []
            let key = LinkKey(owner, number)
            owner.makeLinks(number).load(OrderedRowIDs(members), pending.links[key])
        } catch {
            errors.note(error)
        }
    }
}
