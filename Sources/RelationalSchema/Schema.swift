import DataModel

/// The tables, indexes and triggers that store the objects of a model.
///
/// It is a pure function of the model: equal models give equal statements, byte for byte. Of a model with errors it
/// stores as much as can be resolved.
public final class Schema: Sendable {
    /// The model that the schema stores.
    public let graph: ModelGraph
    /// The metadata table, then those of the root entities by name, then the join tables by name.
    public let tables: [Table]
    /// The indexes other than virtual tables: by entity, and within one foreign keys, attributes, fetch indexes, constraints.
    public let indexes: [TableIndex]
    public let rtrees: [RTree]
    /// The full-text indexes, by entity.
    public let fullTextTables: [FullTextTable]
    /// The columns of derived attributes; those that others are derived from come before them.
    public let derivedColumns: [DerivedColumn]
    /// The tables that the forms of strings are made with, by name.
    public let letterTables: [LetterTable]
    /// What the model asks for that SQLite cannot do.
    public let diagnostics: Diagnostics
    private let entityStorages: [String: EntityStorage]
    private let relationshipStorages: [PropertyKey: RelationshipStorage]

    /// Lays out the tables of a model.
    public init(_ graph: ModelGraph) {
        let builder = SchemaBuilder(graph)
        builder.build()
        self.graph = graph
        self.tables = builder.metadataTables + builder.entityTables + builder.joinTables
        self.indexes = builder.indexes
        self.rtrees = builder.rtrees
        self.fullTextTables = builder.fullTextTables
        self.derivedColumns = builder.derivedColumns
        self.letterTables = Derivation.Folding.allCases.filter { folding in
            builder.derivedColumns.contains { $0.foldings.contains(folding) }
        }.map { LetterTable(folding: $0) }
        self.diagnostics = builder.diagnostics
        self.entityStorages = builder.entityStorages
        self.relationshipStorages = builder.relationshipStorages
    }

    /// The statements that create an empty store, in an order in which they can be run. They begin no transaction.
    public var statements: [String] { allTables.statements }

    /// Where the objects of an entity are stored; nil for an entity that is not in the model.
    public func storage(of entity: Entity) -> EntityStorage? { storage(ofEntityNamed: entity.name) }

    /// Where the objects of the entity with a name are stored.
    public func storage(ofEntityNamed name: String) -> EntityStorage? { entityStorages[name] }

    /// Where the links of a relationship are stored that an entity declares or inherits; nil for one that is not
    /// stored, being transient or leading nowhere.
    public func storage(of relationship: Relationship, in entity: Entity) -> RelationshipStorage? {
        storage(ofRelationshipNamed: relationship.name, in: entity)
    }

    /// Where the links of the relationship with a name are stored that an entity declares or inherits.
    public func storage(ofRelationshipNamed name: String, in entity: Entity) -> RelationshipStorage? {
        if let storage = relationshipStorages[PropertyKey(entity.name, name)] { return storage }
        guard let owner = graph.owner(ofRelationship: name, in: entity), owner.name != entity.name else { return nil }
        return relationshipStorages[PropertyKey(owner.name, name)]
    }

    /// The inverse that a relationship shares its storage with; nil where it has none, or one that is not stored.
    public func inverse(
        of relationship: Relationship, in entity: Entity
    ) -> (entity: Entity, relationship: Relationship)? {
        guard let owner = graph.owner(ofRelationship: relationship.name, in: entity) else { return nil }
        return SchemaBuilder.inverse(of: relationship, declaredBy: owner, in: graph)
    }
}

extension Table {
    /// What the store says about itself: its identity, its model's version and hashes.
    public static let metadata = Table(
        name: "ashlar$metadata", content: .metadata,
        columns: [
            Column(name: "key", type: .text, isRequired: true), Column(name: "value", type: .any),
        ],
        primaryKey: ["key"])
}

/// A property by the names of the entity that declares it and of itself.
struct PropertyKey: Hashable, Comparable {
    var entityName: String
    var name: String

    init(_ entityName: String, _ name: String) {
        self.entityName = entityName
        self.name = name
    }

    static func < (left: PropertyKey, right: PropertyKey) -> Bool {
        (left.entityName, left.name) < (right.entityName, right.name)
    }
}
