extension PersistentHistoryChangeRequest {
    /// Returns the request, restricted to changes of an entity's objects, and optionally to updates of certain
    /// properties.
    ///
    /// Several calls are alternatives. Transactions without such a change are left out. Insertions and deletions always
    /// match, because they have no changed properties.
    ///
    ///     let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
    ///         .changing(Post.self, ["title"])
    ///         .changing(Author.self)
    ///
    /// - Parameters:
    ///   - type: The entity's class.
    ///   - properties: The names of properties in the model; nil for all. A property of a composite has the composite's
    ///     name.
    ///   - includesSubentities: Whether objects of subentities match.
    public func changing(
        _ type: any PersistentModel.Type, _ properties: Set<String>? = nil, includesSubentities: Bool = true
    ) -> Self {
        var request = self
        request.changeFilters.append(
            ChangeFilter(
                entity: type._ashlarEntity.name, includesSubentities: includesSubentities, properties: properties))
        return request
    }
}
