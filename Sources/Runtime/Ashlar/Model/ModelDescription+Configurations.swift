extension ModelDescription {
    /// A named subset of a model's entities, which a store may hold by itself.
    ///
    /// Generated code creates it.
    ///
    ///     let configuration = ModelConfiguration("Cloud", configuration: NotesModel.Configuration.cloud)
    ///
    /// Core Data's counterpart is a configuration of an `NSManagedObjectModel`.
    public struct Configuration: Sendable, Hashable {
        /// The configuration's name in the model.
        public let name: String
        /// The names of its entities, in the order of the model.
        public let entities: [String]

        /// Creates a configuration, for generated code.
        @_spi(Generated) public init(_ name: String, entities: [String]) {
            self.name = name
            self.entities = entities
        }
    }

    /// Entities that a store has all or none of, because parents or relationships connect them.
    public struct Part: Sendable, Hashable {
        /// The names of the entities.
        public var entities: [String]
        /// The positions of the statements that create their tables in ``ModelDescription/schema``.
        public var schema: Range<Int>

        /// Creates a part, for generated code.
        @_spi(Generated) public init(_ entities: [String], schema: Range<Int>) {
            self.entities = entities
            self.schema = schema
        }
    }

    /// The migration of entities that a store has all or none of.
    @_spi(Generated) public struct MigrationPart: Sendable, Hashable {
        /// The names of the entities in the previous version; empty if they are new.
        public var source: [String]
        /// The names of the entities in the new version; empty if they are removed.
        public var destination: [String]
        /// The positions of the statements among those of ``ModelDescription/Version/migration``.
        public var statements: Range<Int>

        /// Creates a part, for generated code.
        @_spi(Generated) public init(from source: [String], to destination: [String], statements: Range<Int>) {
            self.source = source
            self.destination = destination
            self.statements = statements
        }
    }

    /// The names of all entities. A tool without the model's classes has them too.
    var entityNames: Set<String> {
        entities.isEmpty ? Version.names(currentVersion?.entityHashes ?? "") : Set(entities.map(\.name))
    }

    /// Returns the statements that create the tables of some entities, and those that every store has.
    func schema(ofEntitiesNamed names: Set<String>) -> [String] {
        let others = parts.filter { names.isDisjoint(with: $0.entities) }
        return schema.indices.filter { index in !others.contains { $0.schema.contains(index) } }.map { schema[$0] }
    }

    /// Returns the statements that create the tables of a single part.
    func schema(of part: Part) -> ArraySlice<String> { schema[part.schema] }

    /// Returns the model for a store that has only some entities.
    func restricted(to names: Set<String>, versions: [Version]) -> ModelDescription {
        ModelDescription(
            name: name, entities: entities, versions: versions, schema: schema(ofEntitiesNamed: names),
            firstSchema: firstSchema, configurations: [], parts: [], heldEntityNames: names)
    }
}

extension ModelDescription.Version {
    /// Returns the version's hashes of some entities, one line each.
    package func entityHashes(of names: Set<String>) -> String {
        entityHashes.split(separator: "\n").filter { line in
            line.split(separator: " ").first.map { names.contains(String($0)) } ?? false
        }.joined(separator: "\n")
    }
}
