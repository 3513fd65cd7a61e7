public import Ashlar

extension ModelContext {
    /// Fetches objects of an entity whose name is known only at run time, with a condition as a format string.
    ///
    ///     let newest = try context.fetch(
    ///         entityNamed: "Post", format: "likes > %@", arguments: [10],
    ///         orderedBy: [("timestamp", false)], limit: 20)
    ///     let posts = newest.compactMap { $0 as? Post }
    ///
    /// The result includes the context's unsaved changes. Core Data's counterpart is `NSFetchRequest(entityName:)`.
    ///
    /// - Parameters:
    ///   - name: The entity's name in the model.
    ///   - format: The condition; nil fetches all objects.
    ///   - arguments: The arguments of the format string.
    ///   - orders: The names of the properties to order by, and whether the least values come first; see
    ///     ``FetchDescriptor/order(named:ascending:comparing:)``.
    ///   - limit: The maximum number of objects.
    /// - Throws: ``FetchError/unknownEntityName(_:)`` if the model has no such entity, another ``FetchError`` if the
    ///   condition or order is invalid, or ``StoreError`` if the store cannot be read.
    public func fetch(
        entityNamed name: String, format: String?, arguments: [(any PredicateArgument)?] = [],
        orderedBy orders: [(name: String, ascending: Bool)] = [], limit: Int? = nil
    ) throws -> [any PersistentModel] {
        try fetch(entityNamed: name, orderedBy: orders, limit: limit) { type in
            try format.map { try Condition(for: type, format: $0, arguments: arguments) }
        }
    }
}
