import DataModel

/// Collects the parts of a schema. Each part has an extension of its own.
final class SchemaBuilder {
    let graph: ModelGraph
    /// The root entities, each with all its sub-entities, depth first and by name.
    let hierarchies: [[Entity]]
    /// The names of the tables of root entities.
    private(set) var tableNames: [String: String] = [:]
    /// The names of the roots of all entities.
    private(set) var rootNames: [String: String] = [:]
    /// Tables, indexes and R-trees have one namespace.
    var objectNames = SQLNames()
    /// The storage of links, by the relationship as declared.
    var placements: [PropertyKey: Placement] = [:]
    /// The columns of attributes and of to-one relationships.
    var columnNames: [PropertyKey: String] = [:]
    /// The tables of relationships, by the owning side.
    var joinTableNames: [PropertyKey: String] = [:]
    /// The columns with the positions of ordered to-many relationships.
    var orderColumnNames: [PropertyKey: String] = [:]

    let metadataTables = [Table.metadata]
    var entityTables: [Table] = []
    var joinTables: [Table] = []
    var indexes: [TableIndex] = []
    var rtrees: [RTree] = []
    var fullTextTables: [FullTextTable] = []
    var derivedColumns: [DerivedColumn] = []
    /// The requests that SQL cannot express.
    var diagnostics = Diagnostics()
    var entityStorages: [String: EntityStorage] = [:]
    var relationshipStorages: [PropertyKey: RelationshipStorage] = [:]

    init(_ graph: ModelGraph) {
        self.graph = graph
        hierarchies = graph.roots.map { graph.hierarchy(of: $0) }
        for table in metadataTables { _ = objectNames.claim(table.name) }
        for hierarchy in hierarchies {
            guard let root = hierarchy.first else { continue }
            tableNames[root.name] = objectNames.claim(root.name)
            for entity in hierarchy { rootNames[entity.name] = root.name }
        }
    }

    func build() {
        placeRelationships()
        for hierarchy in hierarchies { buildEntityTable(hierarchy) }
        buildJoinTables()
        storeRelationships()
        for hierarchy in hierarchies {
            for entity in hierarchy { buildIndexes(of: entity) }
        }
        buildDerivedColumns()
    }

    /// The table of an entity's objects.
    func tableName(ofEntityNamed name: String) -> String? {
        rootNames[name].flatMap { tableNames[$0] }
    }
}
