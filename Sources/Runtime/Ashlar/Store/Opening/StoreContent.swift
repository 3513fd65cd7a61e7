import SystemFoundation

/// The entities of a model that a store holds: all, or those of a configuration.
package struct StoreContent: Sendable {
    package let model: ModelDescription
    /// The names of the entities.
    package let entityNames: Set<String>
    /// Whether these are all entities of the model.
    package let isWhole: Bool

    /// Creates the content of all entities of a model.
    package init(allOf model: ModelDescription) {
        self.model = model
        entityNames = model.entityNames
        isWhole = true
    }

    private init(_ entityNames: Set<String>, of model: ModelDescription) {
        self.model = model
        self.entityNames = entityNames
        isWhole = entityNames.count == model.entityNames.count
    }

    /// Creates the content that a store has when it is opened by itself for a migration, from its metadata.
    ///
    /// - Throws: ``StoreError/dividedMigration(_:from:to:entities:missing:)``.
    init(heldBy metadata: StoreMetadata, at url: URL, of model: ModelDescription) throws(StoreError) {
        self.init(allOf: model)
        let held = metadata.entityNames
        guard !model.parts.isEmpty, !held.isEmpty, let position = position(of: metadata),
            held != ModelDescription.Version.names(model.versions[position].entityHashes)
        else { return }
        let chain = try PartialMigrationChain(model, from: position, held: held, wanted: [], url)
        self.init(chain.held, of: model)
    }

    /// Returns the contents of a container's stores. Each has the entities of its configuration that no store before it
    /// has.
    ///
    /// - Throws: ``StoreError`` if the configurations divide entities that must be in one store, or leave a store
    ///   without entities.
    static func contents(
        of model: ModelDescription, _ configurations: [ModelConfiguration]
    ) throws(StoreError) -> [StoreContent] {
        var rest = model.entityNames
        var contents: [StoreContent] = []
        for configuration in configurations {
            var names = rest
            if let chosen = configuration.configuration {
                guard model.configurations.contains(chosen) else {
                    throw .unknownConfiguration(
                        configuration.url, name: chosen.name, model: model.name,
                        known: model.configurations.map(\.name))
                }
                names.formIntersection(chosen.entities)
            }
            // A model may have no entities yet.
            if names.isEmpty, !model.entityNames.isEmpty {
                throw .configurationWithoutEntities(configuration.url, name: configuration.name)
            }
            rest.subtract(names)
            contents.append(StoreContent(names, of: model))
        }
        for part in model.parts {
            for content in contents where !content.entityNames.isDisjoint(with: part.entities) {
                try content.checkWholeness(of: part)
            }
        }
        return contents
    }

    private func checkWholeness(of part: ModelDescription.Part) throws(StoreError) {
        let others = Set(part.entities).subtracting(entityNames)
        if others.isEmpty { return }
        for entity in model.entitySchemas where part.entities.contains(entity.name) {
            let isHeld = entityNames.contains(entity.name)
            if let parent = entity.parentName, entityNames.contains(parent) != isHeld {
                throw .dividedHierarchy(entity: entity.name, parent: parent)
            }
            for relationship in entity.relationships where entityNames.contains(relationship.destination) != isHeld {
                throw .dividedRelationship(
                    entity: entity.name, relationship: relationship.name, destination: relationship.destination)
            }
        }
    }

    /// The names of the model's entities that a store of this content must not hold.
    var foreignEntityNames: Set<String> { model.entityNames.subtracting(entityNames) }

    // MARK: The model as the store sees it

    /// The model from which a new store is made.
    var modelOfNewStore: ModelDescription {
        guard !isWhole, var version = model.currentVersion else { return model }
        version.entityHashes = version.entityHashes(of: entityNames)
        return model.restricted(to: entityNames, versions: model.versions.dropLast() + [version])
    }

    /// Returns the model for bringing up to date a store whose metadata lists its entities, which may be more or fewer
    /// than it should have. Its versions after the store's have only the statements that concern the store.
    ///
    /// - Throws: ``StoreError/dividedMigration(_:from:to:entities:missing:)``.
    func model(for metadata: StoreMetadata, at url: URL, isWritable: Bool) throws(StoreError)
        -> ModelDescription
    {
        guard !model.parts.isEmpty, let position = position(of: metadata) else { return model }
        let held = metadata.entityNames
        if held.isEmpty { return model }
        let isKnown = model.versions[position].versionHash == metadata.versionHash
        if isKnown, held == ModelDescription.Version.names(model.versions[position].entityHashes), isWhole {
            return model
        }
        var versions = Array(model.versions[...position])
        versions[position].entityHashes = metadata.entityHashes
        versions[position].versionHash = metadata.versionHash
        let chain = try PartialMigrationChain(model, from: position, held: held, wanted: entityNames, url)
        versions += chain.versions
        if !isKnown, position == model.versions.count - 1 { versions.append(model.versions[position].with(held)) }
        if !isWritable, versions[(position + 1)...].allSatisfy(\.migration.isEmpty), var last = versions.last {
            // Only the version in the store's metadata would change.
            last.versionHash = metadata.versionHash
            last.schemaHash = metadata.schemaHash
            versions = model.versions.dropLast() + [last]
        }
        return model.restricted(to: chain.held, versions: versions)
    }

    /// Returns the position of a store's version; nil if the program does not have the version.
    ///
    /// A store with some of the entities fits every version in which these entities are the same.
    func position(of metadata: StoreMetadata) -> Int? {
        let versions = model.versions
        let exact = versions.lastIndex {
            $0.versionHash == metadata.versionHash && $0.schemaHash == metadata.schemaHash
        }
        if let position = exact ?? versions.lastIndex(where: { $0.versionHash == metadata.versionHash }) {
            return position
        }
        let held = ModelDescription.Version.hashes(metadata.entityHashes)
        if held.isEmpty || model.parts.isEmpty { return nil }
        return versions.lastIndex { version in
            let hashes = ModelDescription.Version.hashes(version.entityHashes)
            return held.allSatisfy { hashes[$0.key] == $0.value }
        }
    }
}

extension ModelDescription.Version {
    /// Returns the version without a migration, for a store that holds only some entities.
    func with(_ held: Set<String>) -> ModelDescription.Version {
        var version = self
        version.migration = []
        version.entityHashes = entityHashes(of: held)
        return version
    }
}
