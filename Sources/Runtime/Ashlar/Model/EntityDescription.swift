import Containers

/// The description of an entity of the model at run time, for generic code.
///
/// Generated code creates it. ``PersistentModel/entity`` returns that of a class, and
/// ``ModelDescription/entity(named:)`` that of a name.
///
///     for column in Post.entity.columns where !column.isOptional { print(column.property) }
///
/// It consists of an `EntitySchema`, which a store needs, and the additional parts for objects: their class, their
/// memory layout, and the texts of their statements. Core Data's counterpart is `NSEntityDescription`.
public final class EntityDescription: Sendable {
    /// The store's description of the entity.
    let schema: EntitySchema
    /// The class of the entity's objects.
    public let modelClass: ManagedObject.Type
    /// The names of the ancestors, the nearest first.
    package let ancestorNames: [String]
    /// The model that the entity belongs to. Its description is created when it is first used.
    package let model: (any ManagedObjectModel.Type)?

    // MARK: Values copied from the schema, because they are read for each object

    package let number: EntityNumber
    /// The columns of the entity's table that hold properties, in the order in which fetches select them.
    public let columns: [ColumnDescription]
    /// The entity's relationships, including inherited ones, in the order of their numbers.
    public let relationships: [RelationshipDescription]
    /// The positions of the columns that objects of exactly this entity write, in the order in which they are bound.
    let ownColumns: [Int]
    /// The positions of the foreign key columns, including inherited ones.
    let referenceColumns: [Int]
    /// Whether the store derives values of the table's rows.
    let hasDerivedColumns: Bool

    /// The model's synchronization rules, by properties. The rule of the entity itself has an empty name.
    package let syncRules: [String: String]
    /// The properties, including inherited ones, whose concurrent changes are added up: those with the rule `sum`.
    let summedProperties: Set<String>
    /// The columns of each optional composite, and the column that records whether its value is nil.
    let compositeUnits: [(presence: Int, columns: Set<Int>)]
    /// The columns whose large values are read, when they are first used, from the log that the store follows.
    package let loggedColumns: [String]

    // MARK: Statements

    /// The statements of queries about the entity.
    let knownStatements = KnownStatements()
    /// The selected columns, qualified and separated by commas.
    let selectedColumns: String
    /// The column of identifiers, qualified.
    let selectedIdentifier: String
    /// The start of a statement that inserts a row of this entity: the table and the columns.
    let insertedColumns: String
    /// The number of values that this statement binds.
    let insertedColumnCount: Int
    /// The statement that reads the row of an identifier, if it belongs to the entity.
    let selectOneStatement: String
    /// The condition that excludes rows of other entities of the hierarchy; nil if every row belongs to the entity.
    let discriminatorCondition: String?

    // MARK: Objects

    /// The positions of the values in the memory of objects and of values structs.
    let layout: ValuesLayout
    /// The first property of the entity whose default is not a value of its type.
    let invalidDefault: (property: String, value: InvalidDefault)?
    /// The bit mask of the foreign key columns.
    let referenceMask: UInt64
    /// The bit mask of the columns whose values are stored outside the row too, for example in an index.
    let indexedMask: UInt64
    /// The numbers of the required to-one relationships.
    let requiredToOneRelationships: [RelationshipNumber]
    /// The columns of exactly this entity whose values the model bounds.
    let ruledColumns: [Int]
    /// The numbers of the to-many relationships whose count the model bounds.
    let boundedRelationships: [RelationshipNumber]
    /// The numbers of the relationships whose members deny an object's deletion.
    let denyingRelationships: [RelationshipNumber]
    /// The numbers of the relationships with members in other rows that an object's deletion changes, deletes, or is
    /// denied by.
    let dependentRelationships: [RelationshipNumber]
    /// Whether the class adopts ``ManagedObjectLifecycle``.
    let hasLifecycle: Bool
    /// Whether the class adopts ``ValidatedModel``.
    let isValidated: Bool
    /// Whether anything has to be validated in a changed object before it is saved.
    let validatesUpdates: Bool
    /// Whether inserted objects have to be validated.
    let validatesInsertions: Bool
    /// The traits for each object. Their address is valid as long as the description exists.
    // Unsafe only because it is a pointer: its memory does not change once the description is created.
    nonisolated(unsafe) let traits: UnsafePointer<EntityTraits>
    private let referencePositions: ConstantList<Int>
    private let relationshipTraits: ConstantList<RelationshipTraits>

    /// Creates a description, for generated code.
    @_spi(Generated) public init(
        name: String, parent: EntityDescription? = nil, isAbstract: Bool = false, tableName: String,
        rootNumber: UInt16, number: UInt16, modelClass: ManagedObject.Type, values: any EntityValues.Type,
        columns list: String, rules: [Int: [ValidationRule]] = [:], codings: [Int: AttributeCoding] = [:],
        emptyComposites: [String: AttributeCoding] = [:], renamedProperties: [String: String] = [:],
        syncRules: [String: String] = [:], loggedColumns: [String] = [],
        relationships: [RelationshipDescription] = [], hasDiscriminator: Bool = false,
        discriminators: [String?] = [], ownColumns: [Int]? = nil,
        uniquenessConstraints: [[Int]] = [], fullTextIndexes: [FullTextDescription] = [],
        indexes: [IndexDescription] = [],
        model: (any ManagedObjectModel.Type)? = nil
    ) {
        let number = EntityNumber(root: rootNumber, entity: number)
        let schema = EntitySchema(
            name: name, parent: parent?.schema, isAbstract: isAbstract, number: number, tableName: tableName,
            columns: list, rules: rules,
            otherColumns: codings.keys, relationships: relationships, hasDiscriminator: hasDiscriminator,
            discriminators: discriminators, ownColumns: ownColumns, uniquenessConstraints: uniquenessConstraints,
            fullTextIndexes: fullTextIndexes, indexes: indexes)
        self.schema = schema
        self.syncRules = syncRules
        summedProperties = (parent?.summedProperties ?? []).union(
            syncRules.lazy.filter { $0.value == "sum" }.map(\.key))
        self.loggedColumns = loggedColumns
        self.model = model
        ancestorNames = parent.map { [$0.name] + $0.ancestorNames } ?? []
        self.number = number
        self.modelClass = modelClass
        self.relationships = relationships
        let columns = schema.columns
        let own = schema.ownColumns
        self.columns = columns
        self.ownColumns = own
        let hasComposites = own.contains { columns[$0].property.utf8.contains(UInt8(ascii: ".")) }
        compositeUnits =
            !hasComposites
            ? []
            : own.compactMap { presence in
                let prefix = columns[presence].property + "."
                let parts = own.filter { columns[$0].property.hasPrefix(prefix) }
                return parts.isEmpty ? nil : (presence, Set(parts).union([presence]))
            }
        referenceColumns = schema.referenceColumns
        hasDerivedColumns = schema.hasDerivedColumns
        let table = tableName.quotedIdentifier
        let added = ["id$", "version$"] + (hasDiscriminator ? ["entity$"] : [])
        selectedColumns = (added + columns.map(\.name)).map { "\(table).\($0.quotedIdentifier)" }
            .joined(separator: ", ")
        selectedIdentifier = "\(table).\"id$\""
        let condition = Self.discriminatorCondition(tableName, discriminators)
        discriminatorCondition = condition
        selectOneStatement =
            "SELECT \(selectedColumns) FROM \(table) WHERE \(table).\"id$\" = ?1"
            + (condition.map { " AND \($0)" } ?? "")
        let inserted = ["id$"] + (hasDiscriminator ? ["entity$"] : []) + own.map { columns[$0].name }
        insertedColumnCount = inserted.count
        insertedColumns =
            "\(table) (\(inserted.map(\.quotedIdentifier).joined(separator: ", "))) VALUES "
        layout =
            schema.invalidColumn == nil && values != UnknownValues.self
            ? ValuesLayout(
                values, parent: parent?.layout, entity: name, columns: columns, codings: codings,
                emptyComposites: emptyComposites, renamedProperties: renamedProperties,
                firstPosition: hasDiscriminator ? 3 : 2) : ValuesLayout(unknown: values)
        let defaults =
            codings.sorted { $0.key < $1.key }.map { (columns[$0.key].property, $0.value) }
            + emptyComposites.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        invalidDefault =
            defaults.lazy.compactMap { property, coding in
                coding.invalidDefault.map { (property, $0) }
            }.first
        referenceMask = referenceColumns.reduce(0) { $0 | ManagedObject.bit(of: $1) }
        indexedMask = own.filter(schema.isIndexed).reduce(0) { $0 | ManagedObject.bit(of: $1) }
        requiredToOneRelationships = relationships.numbers.filter {
            !relationships[$0].isToMany && !relationships[$0].isOptional
        }
        ruledColumns = own.filter { !columns[$0].rules.isEmpty }
        boundedRelationships = relationships.numbers.filter { relationships[$0].isBounded }
        denyingRelationships = relationships.numbers.filter { relationships[$0].deletionRule == .deny }
        dependentRelationships = relationships.numbers.filter { relationships[$0].hasDependentMembers }
        hasLifecycle = modelClass is any ManagedObjectLifecycle.Type
        isValidated = modelClass is any ValidatedModel.Type
        validatesUpdates = isValidated || !ruledColumns.isEmpty || !requiredToOneRelationships.isEmpty
        validatesInsertions = validatesUpdates || !boundedRelationships.isEmpty
        referencePositions = ConstantList(referenceColumns)
        relationshipTraits = ConstantList(relationships.map { RelationshipTraits($0) })
        let traits = UnsafeMutablePointer<EntityTraits>.allocate(capacity: 1)
        self.traits = UnsafePointer(traits)
        traits.initialize(
            to: EntityTraits(self, referenceColumns: referencePositions, relationships: relationshipTraits))
    }

    deinit { traits.deallocate() }
}

extension EntityDescription {
    /// The entity's name in the model.
    public var name: String { schema.name }
    /// The name of the parent entity; nil for a root.
    public var parentName: String? { schema.parentName }
    /// Whether the entity has no objects of its own, only those of subentities.
    public var isAbstract: Bool { schema.isAbstract }
    /// The name of the table, which belongs to the root entity.
    public var tableName: String { schema.tableName }
    /// The entity's full-text indexes, including inherited ones.
    public var fullTextIndexes: [FullTextDescription] { schema.fullTextIndexes }
    /// The indexes of the entity's table that contain the entity's objects.
    public var indexes: [IndexDescription] { schema.indexes }

    /// The statement that reads the rows of the entity whose identifiers are in a JSON array, in the order of the
    /// array. CROSS JOIN preserves that order, so that with sorted identifiers the table is read once from its start to
    /// its end.
    var selectManyStatement: String {
        let table = tableName.quotedIdentifier
        return "SELECT \(selectedColumns) FROM json_each(?1) AS \"wanted$\" CROSS JOIN \(table) "
            + "ON \(table).\"id$\" = \"wanted$\".\"value\"" + (discriminatorCondition.map { " AND \($0)" } ?? "")
    }

    /// Whether the table has a discriminator column.
    var hasDiscriminator: Bool { schema.hasDiscriminator }

    /// Returns whether the entity is the one with a name, or a descendant of it.
    package func isKind(of name: String) -> Bool { self.name == name || ancestorNames.contains(name) }

    /// The value of the discriminator column for objects of exactly this entity.
    var discriminator: String? { schema.discriminator }
}

extension EntityDescription {
    /// Returns the description of an object's entity.
    package static func entity(of object: ManagedObject) -> EntityDescription { object.entity }

    /// Returns the position of the column of an attribute, which may be inherited.
    package func attributeColumn(named name: String) -> Int? {
        columns.indices.first {
            columns[$0].property == name && columns[$0].type != nil && isKind(of: columns[$0].entity)
        }
    }

    /// Returns the relationship with a name, which may be inherited, and its number.
    package func relationship(
        named name: String
    ) -> (number: RelationshipNumber, description: RelationshipDescription)? {
        relationships.firstNumber { $0.name == name }.map { ($0, relationships[$0]) }
    }
}
