import DataModel

/// The tables, indexes and triggers that store the objects of a model.
///
/// It is a pure function of the model: equal models give equal statements, byte for byte. For a model with errors, it
/// has everything that can be resolved.
public final class Schema: Sendable {
    /// The model that the schema stores.
    public let graph: ModelGraph
    /// The metadata table, then those of the root entities by name, then the join tables by name.
    public let tables: [Table]
    /// The indexes other than virtual tables, by entity. Within an entity: foreign keys, attributes, fetch indexes,
    /// constraints.
    public let indexes: [TableIndex]
    public let rtrees: [RTree]
    /// The full-text indexes, by entity.
    public let fullTextTables: [FullTextTable]
    /// The columns of derived attributes. The sources of a column precede it.
    public let derivedColumns: [DerivedColumn]
    /// The tables for the forms of strings, by name.
    public let letterTables: [LetterTable]
    /// The requests of the model that SQLite cannot implement.
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

    /// The statements that create an empty store, in an executable order. They do not begin a transaction.
    public var statements: [String] { allTables.statements }

    /// The storage of an entity's objects; nil for an entity that is not in the model.
    public func storage(of entity: Entity) -> EntityStorage? { storage(ofEntityNamed: entity.name) }

    /// The storage of the objects of the entity with a name.
    public func storage(ofEntityNamed name: String) -> EntityStorage? { entityStorages[name] }

    /// The storage of the links of a relationship that an entity declares or inherits; nil for a transient relationship
    /// and one without a destination.
    public func storage(of relationship: Relationship, in entity: Entity) -> RelationshipStorage? {
        storage(ofRelationshipNamed: relationship.name, in: entity)
    }

    /// The storage of the links of the relationship with a name that an entity declares or inherits.
    public func storage(ofRelationshipNamed name: String, in entity: Entity) -> RelationshipStorage? {
        if let storage = relationshipStorages[PropertyKey(entity.name, name)] { return storage }
        guard let owner = graph.owner(ofRelationship: name, in: entity), owner.name != entity.name else { return nil }
        return relationshipStorages[PropertyKey(owner.name, name)]
    }

    /// The inverse that shares the storage of a relationship; nil if there is none, or if it is not stored.
    public func inverse(
        of relationship: Relationship, in entity: Entity
    ) -> (entity: Entity, relationship: Relationship)? {
        guard let owner = graph.owner(ofRelationship: relationship.name, in: entity) else { return nil }
        return SchemaBuilder.inverse(of: relationship, declaredBy: owner, in: graph)
    }
}

extension Table {
    /// The metadata of a store: its identity, its model's version and hashes.
    public static let metadata = Table(
        name: "ashlar$metadata", content: .metadata,
        columns: [
            Column(name: "key", type: .text, isRequired: true), Column(name: "value", type: .any),
        ],
        primaryKey: ["key"])
}

/// A property, by the name of the declaring entity and its own name.
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
