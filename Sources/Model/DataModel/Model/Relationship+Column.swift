extension Relationship {
    /// Returns whether of a one-to-one relationship and its inverse this one has the column: the child's, else the
    /// required one's, else the first by the names of entity and relationship.
    package func holdsColumn(of entityName: String, against inverse: Relationship, of inverseEntityName: String) -> Bool
    {
        let isOwner = deletionRule == .cascade
        if isOwner != (inverse.deletionRule == .cascade) { return !isOwner }
        if isOptional != inverse.isOptional { return !isOptional }
        return (entityName, name) <= (inverseEntityName, inverse.name)
    }
}
