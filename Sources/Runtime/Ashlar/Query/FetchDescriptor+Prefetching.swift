/// A relationship whose objects are loaded together with the results of a fetch.
///
/// ``FetchDescriptor/prefetchedRelationships`` contains those of a descriptor.
public struct PrefetchedRelationship: Sendable, Hashable {
    /// The to-one relationships of the path.
    var steps: [ColumnPath.Step]
    /// The cast of the objects at the end of these relationships.
    var cast: EntityCast?
    /// The number of the to-many relationship at the end of the path.
    var toMany: RelationshipNumber?
}

extension FetchDescriptor {
    /// Returns the descriptor with a to-one relationship whose objects are loaded together with the results.
    ///
    /// The relationships that lead to it are loaded too. Use it if a loop follows the relationship.
    ///
    ///     let posts = try context.fetch(Post.all.prefetch { $0.author })
    ///
    /// Core Data's counterpart is `relationshipKeyPathsForPrefetching`.
    ///
    /// - Parameter path: The relationship, also through other to-one relationships.
    /// - Complexity: One statement for each relationship, however many objects there are.
    public func prefetch<Destination>(_ path: (Columns<Model>) -> Columns<Destination>) -> Self {
        let steps = path(Model._ashlarColumns)._ashlarPath.steps
        return prefetching(PrefetchedRelationship(steps: steps, toMany: nil))
    }

    fileprivate func prefetching(_ relationship: PrefetchedRelationship) -> Self {
        var result = self
        result.prefetchedRelationships.append(relationship)
        return result
    }
}

extension PrefetchedRelationship {
    /// Creates a path to a to-many relationship.
    init(_ rows: RelatedRows) { self.init(steps: rows.owner.steps, cast: rows.owner.cast, toMany: rows.number) }
}

/// Paths that end with a to-many relationship.
extension FetchDescriptor {
    /// Returns the descriptor with a to-many relationship whose objects are loaded together with the results.
    ///
    /// The relationships that lead to it are loaded too. Use it if a loop follows the relationship.
    ///
    ///     let posts = try context.fetch(Post.all.prefetch { $0.comments })
    ///
    /// - Parameter path: The relationship, also through to-one relationships.
    public func prefetch<Destination>(_ path: (Columns<Model>) -> RelatedColumns<Destination>) -> Self {
        let rows = path(Model._ashlarColumns).rows
        return prefetching(PrefetchedRelationship(rows))
    }
}

extension ModelContext {
    /// Loads the objects of relationships together with the results of a descriptor.
    func prefetch(_ relationships: [PrefetchedRelationship], of objects: [ManagedObject]) throws {
        for relationship in relationships {
            var current = objects
            for step in relationship.steps { current = prefetch(step, of: current.cast(by: step.cast)) }
            current = current.cast(by: relationship.cast)
            if let number = relationship.toMany { loadMembers(ofAll: current, number) }
        }
        try throwDeferredError()
    }

    /// Returns the objects of a to-one relationship, loaded by one statement.
    private func prefetch(_ step: ColumnPath.Step, of objects: [ManagedObject]) -> [ManagedObject] {
        if step.column < 0 {
            loadMembers(ofAll: objects, step.number)
            return unique(objects.flatMap { $0.memberObjects(step.number) })
        }
        let identifiers = Set(objects.compactMap { $0.identifier(inColumn: step.column) })
        guard let root = identifiers.first?.number.root else { return [] }
        let map = registry.map(for: root)
        let missing = identifiers.map(\.rowID).filter { $0 > 0 && map[$0] == nil }
        if !missing.isEmpty { loadObjects(container.model.entity(root), missing.sorted()) }
        return identifiers.map(\.rowID).sorted().compactMap { map[$0] }.filter { $0.record.state != .deleted }
    }

    private func unique(_ objects: [ManagedObject]) -> [ManagedObject] {
        var known: Set<ObjectIdentifier> = []
        return objects.filter { known.insert(ObjectIdentifier($0)).inserted }
    }
}

extension [ManagedObject] {
    /// Returns the objects that belong to the entity of a cast.
    fileprivate func cast(by cast: EntityCast?) -> [ManagedObject] { cast.map { filter($0.includes) } ?? self }
}
