/// The objects that a context has: one for each row.
extension ModelContext {
    /// Returns the object of an identifier if the context has it, without reading the store.
    ///
    /// Use ``model(for:)->Model`` to read it from the store if necessary.
    ///
    ///     let loaded: Post? = context.registeredModel(for: identifier)
    ///
    /// - Parameter identifier: The object's identifier.
    /// - Returns: Nil if the context does not have the object.
    /// - Complexity: O(1).
    public func registeredModel<Model: PersistentModel>(for identifier: PersistentIdentifier) -> Model? {
        registry.object(laterIdentifier(identifier) ?? identifier) as? Model
    }

    /// The objects that the context holds at present, including inserted and deleted ones, in no particular order.
    ///
    /// Objects without changes that nothing else refers to may be missing, because the context may release them. Core
    /// Data's counterpart is `registeredObjects`.
    ///
    ///     let posts = context.registeredModels.compactMap { $0 as? Post }
    public var registeredModels: [any PersistentModel] {
        registry.objects.compactMap { $0 as? any PersistentModel }
    }

    /// Whether the context keeps every object that it loaded, until ``reset()``.
    ///
    /// It defaults to false: the context releases objects without changes that nothing else refers to, some time after
    /// their last use. Core Data has a property of the same name.
    ///
    ///     context.retainsRegisteredObjects = true
    public var retainsRegisteredObjects: Bool {
        get { registry.retainsObjects }
        set { registry.retainsObjects = newValue }
    }
}
