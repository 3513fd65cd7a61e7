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

        /// Makes a configuration; generated code does.
        @_spi(Generated) public init(_ name: String, entities: [String]) {
            self.name = name
            self.entities = entities
        }
    }

    /// Entities that a store has together or not at all, because parents or relationships connect them.
    public struct Part: Sendable, Hashable {
        /// The names of the entities.
        public var entities: [String]
        /// The positions of the statements that create their tables in ``ModelDescription/schema``.
        public var schema: Range<Int>

        /// Makes a part; generated code does.
        @_spi(Generated) public init(_ entities: [String], schema: Range<Int>) {
            self.entities = entities
            self.schema = schema
        }
    }

    /// The migration of entities that a store has as a whole or not at all.
    @_spi(Generated) public struct MigrationPart: Sendable, Hashable {
        /// The names of the entities in the version before; none where they are new.
        public var source: [String]
        /// Their names in the version; none where they are gone.
        public var destination: [String]
        /// The positions of the statements among those of ``ModelDescription/Version/migration``.
        public var statements: Range<Int>

        /// Makes a part; generated code does.
        @_spi(Generated) public init(from source: [String], to destination: [String], statements: Range<Int>) {
            self.source = source
            self.destination = destination
            self.statements = statements
        }
    }

    /// The names of all entities; also in a tool, which has no classes of them.
    var entityNames: Set<String> {
        entities.isEmpty ? Version.names(currentVersion?.entityHashes ?? "") : Set(entities.map(\.name))
    }

    /// The statements that make the tables of some entities, and what every store has.
    func schema(ofEntitiesNamed names: Set<String>) -> [String] {
        let others = parts.filter { names.isDisjoint(with: $0.entities) }
        return schema.indices.filter { index in !others.contains { $0.schema.contains(index) } }.map { schema[$0] }
    }

    /// The statements that make the tables of one part alone.
    func schema(of part: Part) -> ArraySlice<String> { schema[part.schema] }

    /// The same model as a store sees it that has some entities only.
    func restricted(to names: Set<String>, versions: [Version]) -> ModelDescription {
        ModelDescription(
            name: name, entities: entities, versions: versions, schema: schema(ofEntitiesNamed: names),
            firstSchema: firstSchema, configurations: [], parts: [], heldEntityNames: names)
    }
}

extension ModelDescription.Version {
    /// The version's hashes of some entities, a line each.
    package func entityHashes(of names: Set<String>) -> String {
        entityHashes.split(separator: "\n").filter { line in
            line.split(separator: " ").first.map { names.contains(String($0)) } ?? false
        }.joined(separator: "\n")
    }
}
