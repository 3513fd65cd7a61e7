/// The objects that a context has: one for each row.
extension ModelContext {
    /// The object of an identifier, when the context has it; this never reads the store.
    public func registeredModel<Model: PersistentModel>(for identifier: PersistentIdentifier) -> Model? {
        registry.object(identifier) as? Model
    }

    /// The objects that the context has, inserted and deleted ones included, without those that nothing else holds and
    /// that it was free to let go. In no particular order. Core Data's `registeredObjects`.
    public var registeredModels: [any PersistentModel] {
        registry.objects.compactMap { $0 as? any PersistentModel }
    }

    /// Whether the context keeps every object that it ever had, until ``reset()``.
    ///
    /// False at first: it then lets go of objects without changes that nothing else holds, some time after they were
    /// last used. Core Data's property of the same name.
    public var retainsRegisteredObjects: Bool {
        get { registry.retainsObjects }
        set { registry.retainsObjects = newValue }
    }
}
