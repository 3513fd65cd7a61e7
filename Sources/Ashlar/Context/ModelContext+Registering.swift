/// The objects that a context has: one for each row.
extension ModelContext {
    func map(for root: UInt16) -> IdentityMap {
        if let map = maps[Int(root)] { return map }
        let map = IdentityMap()
        map.retainsObjects = retainsObjects
        maps[Int(root)] = map
        return map
    }

    /// The object of an identifier, when the context has it; this never reads the store.
    public func registeredModel<Model: PersistentModel>(for identifier: PersistentIdentifier) -> Model? {
        registeredObject(identifier) as? Model
    }

    /// The objects that the context has, inserted and deleted ones included, without those that nothing else holds and
    /// that it was free to let go. In no particular order. Core Data's `registeredObjects`.
    public var registeredModels: [any PersistentModel] {
        maps.flatMap { $0?.objects.compactMap { $0 as? any PersistentModel } ?? [] }
    }

    /// Whether the context keeps every object that it ever had, until ``reset()``.
    ///
    /// False at first: it then lets go of objects without changes that nothing else holds, some time after they were
    /// last used. Core Data's property of the same name.
    public var retainsRegisteredObjects: Bool {
        get { retainsObjects }
        set {
            retainsObjects = newValue
            for map in maps { map?.retainsObjects = newValue }
        }
    }

    func registeredObject(_ identifier: PersistentIdentifier) -> ManagedObject? {
        let root = identifier.number.root
        guard Int(root) < maps.count, identifier.store == container.storeNumber(of: root) || identifier.isTemporary
        else { return nil }
        return maps[Int(root)]?[identifier.rowID]
    }
}
