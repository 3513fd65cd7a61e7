import StoreDescription

extension CoreDataSchema {
    /// The store with a version's names of the entities, if Core Data renamed some in place.
    ///
    /// Such a migration renames the hashes in the metadata, but the table of entities keeps an old name with its
    /// number. The store is left as it is unless the hashes have exactly the version's names. An entity is found by its
    /// former name in the store's own model, else by its renaming identifiers, else as the only one left below the same
    /// entity.
    ///
    /// - Parameters:
    ///   - earlier: The versions before, from the oldest on, whose identifiers lead further back.
    ///   - formerNames: The former names by the model that the store keeps.
    func renamed(
        to entities: [StoredEntity], _ metadata: CoreDataMetadata, earlier: ArraySlice<[StoredEntity]>,
        formerNames: () -> [String: String]
    ) -> CoreDataSchema {
        let names = Set(entities.map(\.name))
        guard metadata.entityNames == names, names != Set(self.entities.keys), names.count == self.entities.count else {
            return self
        }
        var result = self
        let formerNames = formerNames()
        for entity in Self.fromRootsDown(entities) where result.entities[entity.name] == nil {
            let parent = entity.parent.map { result.entities[$0]?.number }
            let candidates = result.entities.values.filter {
                !names.contains($0.name) && $0.parentNumber == (parent ?? 0)
            }
            let earlierNames = Self.earlierNames(of: entity, earlier)
            let named =
                candidates.first { $0.name == formerNames[entity.name] }
                ?? candidates.first { earlierNames.contains($0.name) }
            guard var renamed = named ?? (candidates.count == 1 ? candidates.first : nil) else { return self }
            result.entities[renamed.name] = nil
            renamed.name = entity.name
            result.entities[entity.name] = renamed
        }
        return result
    }

    private static func fromRootsDown(_ entities: [StoredEntity]) -> [StoredEntity] {
        let parents = Dictionary(entities.map { ($0.name, $0.parent) }) { first, _ in first }
        func depth(_ entity: StoredEntity) -> Int {
            var (depth, name) = (0, entity.parent)
            while let parent = name, depth < entities.count { (depth, name) = (depth + 1, parents[parent] ?? nil) }
            return depth
        }
        return entities.sorted { (depth($0), $0.name) < (depth($1), $1.name) }
    }

    /// The names that an entity had in earlier versions, by its renaming identifier and those of the entities of that
    /// name.
    private static func earlierNames(of entity: StoredEntity, _ earlier: ArraySlice<[StoredEntity]>) -> Set<String> {
        guard var name = entity.renamingIdentifier else { return [] }
        var names: Set = [name]
        for version in earlier.reversed() {
            guard let identifier = version.first(where: { $0.name == name })?.renamingIdentifier else { continue }
            name = identifier
            names.insert(name)
        }
        return names
    }
}
