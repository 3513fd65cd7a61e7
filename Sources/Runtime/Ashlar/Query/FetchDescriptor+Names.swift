/// Entities and properties whose names are known only at run time.
extension FetchDescriptor {
    /// Returns the descriptor with a further order by a property whose name is known only at run time.
    ///
    /// Use it in code that is generic over entities, and for orders that people choose. It applies to objects that are
    /// equal in the orders before it.
    ///
    ///     func newest<Model: PersistentModel>(_ type: Model.Type) throws -> FetchDescriptor<Model> {
    ///         try Model.all.order(named: "createdDate", ascending: false)
    ///     }
    ///
    /// Core Data's counterpart is `NSSortDescriptor(key:ascending:)`.
    ///
    /// - Parameters:
    ///   - name: The name in the model of an attribute or a to-one relationship. It may be a path through to-one
    ///     relationships and composites: `author.name`, `home.street`.
    ///   - ascending: Whether the least values come first.
    ///   - collation: The comparison of texts; nil compares their bytes.
    /// - Throws: ``FetchError/unknownProperty(entity:property:)`` if the entity has no such property.
    public func order(
        named name: String, ascending: Bool = true, comparing collation: TextCollation? = nil
    ) throws(FetchError) -> Self {
        let entity = Model._ashlarEntity
        guard let model = entity.model?.modelDescription else {
            throw .unknownProperty(entity: entity.name, property: name)
        }
        let value = try model.value(at: name, of: entity)
        var result = self
        result.sortOrders.append(
            ColumnOrder(expression: value.expression, isAscending: ascending, collation: collation))
        return result
    }
}

extension ModelDescription {
    /// Returns the class of an entity by the entity's name, or nil if the model has no such entity.
    ///
    /// Call a generic function with the result:
    ///
    ///     func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int { try context.fetchCount(Model.all) }
    ///     let posts = try container.model.modelType(named: "Post").map { try count($0) }
    ///
    /// - Parameter name: The entity's name in the model.
    public func modelType(named name: String) -> (any PersistentModel.Type)? {
        entity(named: name)?.modelClass as? any PersistentModel.Type
    }
}

extension ModelContext {
    /// Fetches objects of an entity whose name is known only at run time, including the context's unsaved changes.
    ///
    ///     let newest = try context.fetch(entityNamed: "Post", orderedBy: [("timestamp", false)], limit: 20)
    ///     let posts = newest.compactMap { $0 as? Post }
    ///
    /// For other options of a descriptor, call a generic function with ``ModelDescription/modelType(named:)``. Core
    /// Data's counterpart is `NSFetchRequest(entityName:)`.
    ///
    /// - Parameters:
    ///   - name: The entity's name in the model.
    ///   - orders: The names of the properties to order by, and whether the least values come first; see
    ///     ``FetchDescriptor/order(named:ascending:comparing:)``.
    ///   - limit: The maximum number of objects.
    /// - Throws: ``FetchError/unknownEntityName(_:)`` if the model has no such entity, another ``FetchError`` if an
    ///   order is invalid, or ``StoreError`` if the store cannot be read.
    public func fetch(
        entityNamed name: String, orderedBy orders: [(name: String, ascending: Bool)] = [], limit: Int? = nil
    ) throws -> [any PersistentModel] {
        try fetch(entityNamed: name, orderedBy: orders, limit: limit) { _ in nil }
    }

    /// Fetches objects of an entity by its name, with a condition on the entity's columns.
    package func fetch(
        entityNamed name: String, orderedBy orders: [(name: String, ascending: Bool)], limit: Int?,
        condition: (any PersistentModel.Type) throws -> Condition?
    ) throws -> [any PersistentModel] {
        guard let type = container.model.modelType(named: name) else { throw FetchError.unknownEntityName(name) }
        func fetch<Model: PersistentModel>(_ type: Model.Type) throws -> [any PersistentModel] {
            var descriptor = FetchDescriptor<Model>()
            descriptor.condition = try condition(type)
            for order in orders { descriptor = try descriptor.order(named: order.name, ascending: order.ascending) }
            descriptor.fetchLimit = limit
            return try self.fetch(descriptor)
        }
        return try fetch(type)
    }
}
