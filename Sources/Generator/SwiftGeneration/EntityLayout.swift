import DataModel
import RelationalSchema

/// Everything that one entity's generated code needs, gathered once from the model and the schema.
struct EntityLayout {
    /// A column of the entity's table that every fetch selects.
    struct SelectedColumn {
        var stored: StoredColumn
        /// Its position among the selected columns that hold properties.
        var index: Int
        /// Its position in a row, after identifier, version and discriminator.
        var position: Int

        var bit: Int { min(index, 63) }
        var bits: UInt64 { 1 << UInt64(bit) }
        var mask: String { bits.maskLiteral }

        /// Whether the store keeps the value, so that it is read only.
        var isDerived: Bool { stored.isDerived }
    }

    /// A relationship with its number and the details that its code needs.
    struct LaidOutRelationship {
        var relationship: Relationship
        var number: Int
        var destination: Entity
        var inverse: Int?
        var storage: RelationshipStorage
        var isOwn: Bool
        /// Whether the initialiser must be given an object.
        var isRequiredParameter: Bool
    }

    let entity: Entity
    /// The class's name in generated code.
    let className: String
    /// The class as it is declared.
    let declaredName: String
    /// The class that is generated. If it is another one, the program declares the entity's class, which inherits from
    /// it.
    let generatedClassName: String
    let parent: Entity?
    let parentClassName: String?
    let storage: EntityStorage
    let number: Int
    let rootNumber: Int
    /// All selected columns, those of other entities of the hierarchy too.
    let columns: [SelectedColumn]
    /// Those of the entity and its ancestors; those that are not derived are bound, in this order.
    let ownColumns: [SelectedColumn]
    /// Those that the entity itself declares.
    let declaredColumns: [SelectedColumn]
    /// The properties of the own columns, in order.
    let ownProperties: [ValueProperty]
    let relationships: [LaidOutRelationship]
    /// The entity and all below it.
    let hierarchy: [Entity]

    /// The properties of the columns that the entity itself declares.
    var declaredProperties: [ValueProperty] { ownProperties.filter { $0.entityName == entity.name } }

    var hasChildren: Bool { hierarchy.count > 1 }
    var isRoot: Bool { parent == nil }
    /// Whether the entity's class is the program's own, and inherits from the generated one.
    var isCompletedByProgram: Bool { generatedClassName != declaredName }
    /// Whether the entity shares its table with others.
    var isInHierarchy: Bool { storage.hasDiscriminator }

    /// The name of the stored property with the values that the entity itself declares.
    var ownProperty: String { isRoot ? "_ashlarValues" : "_ashlar\(plainClassName)Own" }

    var plainClassName: String { declaredName.filter { $0 != "`" } }
}

/// The layouts of all entities of a model, with the names of their classes.
struct ModelLayout {
    let graph: ModelGraph
    let schema: Schema
    /// The names of the classes, by those of the entities.
    let classNames: [String: String]
    /// The names of the structs, by those of the composites.
    let structNames: [String: String]
    /// The names in generated code of classes and structs whose own names have another meaning in it.
    let aliases: [String: String]
    /// The number of an entity is its position here.
    let entities: [Entity]
    /// The name of the type that represents the model.
    let typeName: String
    private let numbers: [String: Int]
    /// The numbers of each entity's stored relationships, by the entity's name and theirs.
    private let relationshipNumbers: [String: [String: Int]]
    /// By the names of the tables, because every entity needs those of its own table.
    private let indexes: [String: [TableIndex]]
    private let rtrees: [String: [RTree]]

    init(_ schema: Schema, name: String) {
        self.schema = schema
        indexes = Dictionary(grouping: schema.indexes, by: \.tableName)
        rtrees = Dictionary(grouping: schema.rtrees, by: \.tableName)
        graph = schema.graph
        entities = graph.entitiesByName
        var names: [String: String] = [:]
        var uses: [String: Int] = [:]
        for entity in entities {
            let name = SwiftName.className(represented: entity.representedClassName, entity: entity.name)
            names[entity.name] = name
            uses[name, default: 0] += 1
        }
        // Core Data lets entities share a class. Each needs its own here, so such classes are named after their
        // entities.
        for entity in entities where uses[names[entity.name] ?? "", default: 0] > 1 {
            names[entity.name] = SwiftName.className(represented: nil, entity: entity.name)
        }
        classNames = names
        structNames = Self.structNames(of: graph.model.composites, beside: names.values)
        // Two entities may have one name in a model with errors.
        numbers = Dictionary(entities.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        relationshipNumbers = Dictionary(
            entities.map { entity in
                let names = Self.relationships(of: entity, in: schema).enumerated().map { ($1.name, $0) }
                return (entity.name, Dictionary(names) { first, _ in first })
            }, uniquingKeysWith: { first, _ in first })
        let types = Set(names.values).union(structNames.values)
        let members = Self.memberNames(graph.model)
        aliases = Self.aliases(of: types, hiddenBy: members.union(SwiftName.typeParameters))
        typeName = Self.typeName(name, taken: types.union(members))
    }

    private static func typeName(_ name: String, taken: Set<String>) -> String {
        var identifier = String.UnicodeScalarView()
        for scalar in name.unicodeScalars { identifier.append(scalar.properties.isXIDContinue ? scalar : "_") }
        let base = SQLiteName.isLegal(String(identifier)) ? String(identifier) : "_" + String(identifier)
        let proposed = base.hasSuffix("Model") ? base : base + "Model"
        let isTaken = taken.contains(proposed) || SwiftName.reservedTypes.contains(proposed)
        return isTaken ? base + "DataModel" : proposed
    }

    /// The indexes of a table other than virtual tables, in the schema's order.
    func indexes(ofTable name: String) -> [TableIndex] { indexes[name] ?? [] }

    /// The R-trees of a table, in the schema's order.
    func rtrees(ofTable name: String) -> [RTree] { rtrees[name] ?? [] }

    /// Returns an entity's class's name in generated code.
    func className(_ entity: Entity) -> String {
        let name = declaredName(entity)
        return aliases[name] ?? name
    }

    /// The class as it is declared.
    func declaredName(_ entity: Entity) -> String { classNames[entity.name] ?? entity.name }

    func number(_ entity: Entity) -> Int { numbers[entity.name] ?? 0 }

    func rootNumber(_ entity: Entity) -> Int { number(graph.root(of: entity)) }

    /// The relationships of an entity that are stored, with those that it inherits; their positions are their numbers.
    func relationships(of entity: Entity) -> [Relationship] {
        Self.relationships(of: entity, in: schema)
    }

    private static func relationships(of entity: Entity, in schema: Schema) -> [Relationship] {
        schema.graph.relationships(of: entity).filter { schema.storage(of: $0, in: entity) != nil }
    }

    /// The layout of an entity; nil when the schema has no place for it.
    func layout(of entity: Entity) -> EntityLayout? {
        guard let storage = schema.storage(of: entity) else { return nil }
        let offset = storage.hasDiscriminator ? 3 : 2
        let columns = selectedColumns(storage).enumerated().map {
            EntityLayout.SelectedColumn(stored: $0.element, index: $0.offset, position: $0.offset + offset)
        }
        let own = Set(storage.ownColumns.map(\.name))
        let ownColumns = columns.filter { own.contains($0.stored.name) }
        let parent = graph.parent(of: entity)
        return EntityLayout(
            entity: entity, className: className(entity), declaredName: declaredName(entity),
            generatedClassName: entity.userInfo[UserInfo.generatedClassKey].map(SwiftName.property)
                ?? declaredName(entity),
            parent: parent,
            parentClassName: parent.map { className($0) }, storage: storage, number: number(entity),
            rootNumber: rootNumber(entity), columns: columns, ownColumns: ownColumns,
            declaredColumns: ownColumns.filter { $0.stored.entityName == entity.name },
            ownProperties: ValueProperty.properties(
                ownColumns, declaredBy: graph.ancestors(of: entity) + [entity]),
            relationships: laidOutRelationships(of: entity), hierarchy: graph.hierarchy(of: entity))
    }

    /// The columns that a fetch selects: all but order columns, which do not belong to an object.
    func selectedColumns(_ storage: EntityStorage) -> [StoredColumn] {
        storage.columns.filter { column in
            if case .order = column.content { return false }
            return true
        }
    }

    /// Returns whether an entity's code uses types of Foundation.
    func needsFoundation(_ entity: Entity) -> Bool {
        Self.needsFoundation(graph.attributes(of: entity))
    }

    private func laidOutRelationships(of entity: Entity) -> [EntityLayout.LaidOutRelationship] {
        let own = Set(entity.relationships.map(\.name))
        return relationships(of: entity).enumerated().compactMap { number, relationship in
            guard let destination = graph.entity(named: relationship.destinationName),
                let storage = schema.storage(of: relationship, in: entity)
            else { return nil }
            let inverse = graph.inverse(of: relationship)?.relationship
            let isCircular = inverse.map { !$0.isToMany && !$0.isOptional } ?? false
            return EntityLayout.LaidOutRelationship(
                relationship: relationship, number: number, destination: destination,
                inverse: inverse.flatMap { relationshipNumbers[destination.name]?[$0.name] },
                storage: storage, isOwn: own.contains(relationship.name),
                isRequiredParameter: !relationship.isToMany && !relationship.isOptional && !isCircular)
        }
    }
}

extension UInt64 {
    /// A literal of a mask. A shift, which is generic, would take the compiler ten times as long.
    var maskLiteral: String { "0x" + String(self, radix: 16) }
}
