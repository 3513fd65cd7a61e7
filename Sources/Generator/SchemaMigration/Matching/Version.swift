import DataModel
import RelationalSchema

/// One version of a model, prepared once for the comparisons with the versions before and after it.
///
/// It and its parts are classes because every comparison receives them, and copies would be slow.
final class Version: Sendable {
    /// A stored property as an entity has it, which may be inherited. The leaves of a composite are properties too,
    /// with their key paths as names.
    final class Property: Sendable {
        indirect enum Content: Sendable {
            case attribute(Attribute)
            case relationship(Relationship)
        }

        /// The name, with that of the entity that declares it.
        let key: PropertyName
        let identifier: String?
        let content: Content
        /// The place of an attribute within a composite attribute; nil outside composites.
        let leaf: AttributeLeaf?

        init(key: PropertyName, identifier: String?, content: Content, leaf: AttributeLeaf? = nil) {
            self.key = key
            self.identifier = identifier
            self.content = content
            self.leaf = leaf
        }

        var name: String { key.name }

        /// The attribute as the model has it, a leaf as its composite has it.
        var attribute: Attribute? {
            if case .attribute(let attribute) = content { leaf?.path.last ?? attribute } else { nil }
        }

        var relationship: Relationship? {
            if case .relationship(let relationship) = content { relationship } else { nil }
        }
    }

    final class Node: Sendable {
        let entity: Entity
        let parentName: String?
        let storage: EntityStorage
        /// The entity and all below it.
        let hierarchy: [String]
        /// The entity's own names and those of all above it.
        let ancestry: Set<String>
        /// The stored properties, inherited ones first.
        let properties: [Property]

        init(
            entity: Entity, parentName: String?, storage: EntityStorage, hierarchy: [String], ancestry: Set<String>,
            properties: [Property]
        ) {
            self.entity = entity
            self.parentName = parentName
            self.storage = storage
            self.hierarchy = hierarchy
            self.ancestry = ancestry
            self.properties = properties
        }
    }

    let schema: Schema
    /// The names of all entities, hierarchy by hierarchy, parents first.
    let names: [String]
    let nodes: [String: Node]
    let tables: [String: Table]
    let indexes: [String: TableIndex]
    /// The indexes of each table, by its name.
    let tableIndexes: [String: [TableIndex]]
    /// The entities whose objects a table holds, the root first.
    let entityNames: [String: [String]]
    /// The columns of attributes and to-one relationships, by their declarations.
    let columnNames: [PropertyName: String]
    /// The declarations of the relationships that own a join table, by its name.
    let joinOwners: [String: PropertyName]

    init(_ schema: Schema) {
        self.schema = schema
        tables = Dictionary(schema.tables.map { ($0.name, $0) }) { _, last in last }
        indexes = Dictionary(schema.indexes.map { ($0.name, $0) }) { _, last in last }
        tableIndexes = Dictionary(grouping: schema.indexes, by: \.tableName)
        var walk = EntityWalk(schema: schema)
        for root in schema.graph.roots { walk.visit(root, parent: nil, inherited: []) }
        names = walk.names
        nodes = walk.nodes
        entityNames = walk.entityNames
        columnNames = walk.columnNames
        joinOwners = walk.joinOwners
    }

    /// The property that an entity declares.
    func property(_ key: PropertyName) -> Property? {
        nodes[key.entityName]?.properties.last { $0.key == key }
    }

    /// The storage of a relationship's links, as seen from the entity that declares it.
    func storage(of key: PropertyName) -> RelationshipStorage? {
        nodes[key.entityName].flatMap { schema.storage(ofRelationshipNamed: key.name, in: $0.entity) }
    }

    /// The declaration of a relationship's inverse.
    func inverse(of key: PropertyName) -> PropertyName? {
        guard let node = nodes[key.entityName], let relationship = property(key)?.relationship,
            let inverse = schema.inverse(of: relationship, in: node.entity)
        else { return nil }
        return PropertyName(inverse.entity.name, inverse.relationship.name)
    }

    /// The table of the objects that a relationship leads to.
    func destinationTable(of key: PropertyName) -> String? {
        property(key)?.relationship.flatMap { nodes[$0.destinationName] }?.storage.tableName
    }

    func isEntity(_ name: String, kindOf ancestor: String) -> Bool {
        nodes[name]?.ancestry.contains(ancestor) ?? false
    }
}

/// The way through the entities of a version, parents first.
private struct EntityWalk {
    let schema: Schema
    var names: [String] = []
    var nodes: [String: Version.Node] = [:]
    var entityNames: [String: [String]] = [:]
    var columnNames: [PropertyName: String] = [:]
    var joinOwners: [String: PropertyName] = [:]

    mutating func visit(_ entity: Entity, parent: Version.Node?, inherited: [Version.Property]) {
        guard let storage = schema.storage(of: entity) else { return }
        let properties = inherited + declaredProperties(of: entity)
        let node = Version.Node(
            entity: entity, parentName: parent?.entity.name, storage: storage,
            hierarchy: schema.graph.hierarchy(of: entity).map(\.name),
            ancestry: (parent?.ancestry ?? []).union([entity.name]), properties: properties)
        nodes[entity.name] = node
        names.append(entity.name)
        entityNames[storage.tableName, default: []].append(entity.name)
        if parent == nil { addColumns(of: storage) }
        for child in schema.graph.children(of: entity) { visit(child, parent: node, inherited: properties) }
    }

    private mutating func addColumns(of storage: EntityStorage) {
        for column in storage.columns {
            switch column.content {
            case .attribute(let attribute):
                columnNames[PropertyName(column.entityName, attribute.name)] = column.name
            case .toOne(let relationship):
                columnNames[PropertyName(column.entityName, relationship.name)] = column.name
            case .order: continue
            }
        }
    }

    private mutating func declaredProperties(of entity: Entity) -> [Version.Property] {
        var result: [Version.Property] = []
        for leaf in entity.attributes.flatMap({ schema.graph.leavesWithEmptyComposites(of: $0) }) {
            result.append(
                Version.Property(
                    key: PropertyName(entity.name, leaf.keyPath), identifier: leaf.path[0].renamingIdentifier,
                    content: .attribute(leaf.stored), leaf: leaf.isInComposite ? leaf : nil))
        }
        for relationship in entity.relationships where !relationship.isTransient {
            let key = PropertyName(entity.name, relationship.name)
            if case .joinTable(let table, ColumnName.source, _, _) = schema.storage(of: relationship, in: entity) {
                joinOwners[table] = key
            }
            result.append(
                Version.Property(
                    key: key, identifier: relationship.renamingIdentifier, content: .relationship(relationship)))
        }
        return result
    }
}

/// The name of a property, with that of the entity that declares it.
public struct PropertyName: Sendable, Hashable, Comparable, CustomStringConvertible {
    public var entityName: String
    public var name: String

    /// Makes a name.
    public init(_ entityName: String, _ name: String) {
        self.entityName = entityName
        self.name = name
    }

    /// `Entity.property`.
    public var description: String { "\(entityName).\(name)" }

    public static func < (left: PropertyName, right: PropertyName) -> Bool {
        (left.entityName, left.name) < (right.entityName, right.name)
    }
}
