/// For which objects a context loads what a relationship leads to, when one of them is asked for it first.
///
/// For the objects of a list that you know beforehand, `FetchDescriptor.prefetch` or `ModelContext.prefetch(_:of:)` loads all
/// at once, whatever this is.
public enum RelationshipLoading: Sendable {
    /// For that object alone, and from the second object on of the same fetch, for others of it that are held. One object costs
    /// what it needs, and a loop over many costs few statements.
    ///
    /// How many others that are depends on the relationship:
    /// - To many, up to 1,000 objects the first time, and no further one after 20,000 rows. If the loop goes on, up to 16,000 at a
    ///   time, and no further one after 50,000 rows.
    /// - To one, all, up to 20,000 rows at a time.
    case automatic
    /// For the object and others of its fetch at once: as many as ``automatic`` loads from the second object on.
    case siblings
    /// For that object alone, always.
    case object
}

extension ModelContext {
    /// Loads the members of a relationship to many of several objects, by few statements, where they are not loaded yet.
    ///
    ///     let posts = try context.fetch(Post.order { $0.timestamp.ascending })
    ///     try context.prefetch({ $0.comments }, of: posts)
    ///
    /// - Parameters:
    ///   - path: The relationship, and those to one that lead to it.
    ///   - models: Objects of this context.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func prefetch<Model: PersistentModel, Destination>(
        _ path: (Columns<Model>) -> RelatedColumns<Destination>, of models: some Sequence<Model>
    ) throws {
        let rows = path(Model._ashlarColumns).rows
        try prefetch([PrefetchedRelationship(rows)], of: Array(models))
    }

    /// Loads the objects that a relationship to one of several objects leads to, by few statements, where they are not loaded
    /// yet.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func prefetch<Model: PersistentModel, Destination>(
        _ path: (Columns<Model>) -> Columns<Destination>, of models: some Sequence<Model>
    ) throws {
        let steps = path(Model._ashlarColumns)._ashlarPath.steps
        try prefetch([PrefetchedRelationship(steps: steps, toMany: nil)], of: Array(models))
    }
}
