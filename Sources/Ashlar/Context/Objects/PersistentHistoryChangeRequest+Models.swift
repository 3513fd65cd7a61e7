extension PersistentHistoryChangeRequest {
    /// Only changes of an entity's objects, and of updates only those that changed one of some properties.
    ///
    /// Several of these make alternatives. Transactions without such a change are left out. Insertions and deletions
    /// have no changed properties, and always count.
    ///
    /// - Parameters:
    ///   - type: The entity's class.
    ///   - properties: Names of properties in the model; nil for all. A property of a composite is called by the
    ///     composite's name.
    ///   - includesSubentities: Whether objects of entities below count.
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
