/// The objects for which a context loads a relationship when it is first read.
///
/// Set it with ``ModelContext/relationshipLoading``. If you know the objects beforehand, `FetchDescriptor.prefetch` or
/// `ModelContext.prefetch(_:of:)` loads all at once, whatever this setting is.
///
///     context.relationshipLoading = .object
public enum RelationshipLoading: Sendable {
    /// Loads the relationship for one object, and from the second object of the same fetch on, for others of that fetch
    /// too.
    ///
    /// A loop over many objects thus needs few statements. The number of others depends on the relationship:
    ///
    /// - To-many: up to 1,000 objects the first time, ending after 20,000 rows. If the loop continues, up to 16,000
    ///   objects at a time, ending after 50,000 rows.
    /// - To-one: all objects, up to 20,000 rows at a time.
    case automatic
    /// Loads the relationship for the object and others of its fetch at once, as many as ``automatic`` from the second
    /// object on.
    case siblings
    /// Loads the relationship for that object alone.
    case object
}

extension ModelContext {
    /// Loads the members of a to-many relationship of several objects with few statements.
    ///
    /// Members that are already loaded stay as they are. For objects that you are about to fetch, use
    /// `FetchDescriptor.prefetch`.
    ///
    ///     let posts = try context.fetch(Post.order { $0.timestamp.ascending })
    ///     try context.prefetch({ $0.comments }, of: posts)
    ///
    /// - Parameters:
    ///   - path: The relationship, and the to-one relationships that lead to it.
    ///   - models: Objects of this context.
    /// - Throws: ``ContextError/objectOfAnotherContext(entity:)``, or ``StoreError`` if the store cannot be read.
    public func prefetch<Model: PersistentModel, Destination>(
        _ path: (Columns<Model>) -> RelatedColumns<Destination>, of models: some Sequence<Model>
    ) throws {
        let rows = path(Model._ashlarColumns).rows
        try prefetch([PrefetchedRelationship(rows)], of: own(models))
    }

    /// Loads the destinations of a to-one relationship of several objects with few statements.
    ///
    /// Destinations that are already loaded stay as they are.
    ///
    ///     let posts = try context.fetch(Post.all)
    ///     try context.prefetch({ $0.author }, of: posts)
    ///
    /// - Parameters:
    ///   - path: The relationship, and the to-one relationships that lead to it.
    ///   - models: Objects of this context.
    /// - Throws: ``ContextError/objectOfAnotherContext(entity:)``, or ``StoreError`` if the store cannot be read.
    public func prefetch<Model: PersistentModel, Destination>(
        _ path: (Columns<Model>) -> Columns<Destination>, of models: some Sequence<Model>
    ) throws {
        let steps = path(Model._ashlarColumns)._ashlarPath.steps
        try prefetch([PrefetchedRelationship(steps: steps, toMany: nil)], of: own(models))
    }

    /// Returns the objects without those in no context. An object of another context would get members of this
    /// context's rows.
    private func own(_ models: some Sequence<some PersistentModel>) throws -> [ManagedObject] {
        try models.filter { model in
            if !model.isIn(self), model.record.context != nil {
                throw ContextError.objectOfAnotherContext(entity: model.entity.name)
            }
            return model.isIn(self)
        }
    }
}
