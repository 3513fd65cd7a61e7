import StoreDescription

extension ModelDescription {
    /// Returns the storage of each version, from the oldest on; nil if the generated code does not contain it.
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
