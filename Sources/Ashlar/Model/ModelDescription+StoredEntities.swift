import StoreDescription

extension ModelDescription {
    /// What each version stores, from the oldest on; nil where the generated code does not say it.
    package func storedEntities() -> [[StoredEntity]]? {
        var result: [[StoredEntity]] = []
        for version in versions {
            guard let entities = StoredEntity.entities(after: result.last ?? [], version.storedEntities),
                Set(entities.map(\.name)) == Set(ModelDescription.Version.names(version.entityHashes))
            else { return nil }
            result.append(entities)
        }
        return result
    }
}
