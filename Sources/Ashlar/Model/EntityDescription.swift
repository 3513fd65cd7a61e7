import Synchronization

/// What a program knows at run time about one entity of its model; generated code makes it.
///
/// Core Data's `NSEntityDescription`.
public final class EntityDescription: Sendable {
    /// The entity's name in the model.
    public let name: String
    /// The name of the parent entity; nil for a root.
    public let parentName: String?
    /// The names of the entities above it, the nearest first.
    private let ancestorNames: [String]
    /// Whether objects of the entity itself do not exist.
    public let isAbstract: Bool
    /// The name of the table, which is the root entity's.
    public let tableName: String
    /// The columns of the entity's table that hold properties, in the order in which every fetch selects them.
    public let columns: [ColumnDescription]
    /// The entity's relationships with those that it inherits, in the order of their numbers.
    public let relationships: [RelationshipDescription]
    /// The class of the entity's objects.
    public let modelClass: ManagedObject.Type

    /// The model that the entity belongs to; its description is made when it is first asked for.
    let model: (any ManagedObjectModel.Type)?
    let number: EntityNumber
    /// The statements of queries about the entity.
    let knownStatements = KnownStatements()
    /// Whether the table has a discriminator column.
    let hasDiscriminator: Bool
    /// The selected columns, qualified and separated by commas.
    let selectedColumns: String
    /// The column of identifiers, qualified.
    let selectedIdentifier: String
    /// The table and the columns of a statement that inserts a row of this entity, up to its values.
    let insertedColumns: String
    /// The number of values that it binds.
    let insertedColumnCount: Int
    /// The positions of the columns that objects of this very entity write, in the order in which they are bound.
    let ownColumns: [Int]
    /// Whether the store derives values of the table's rows.
    let hasDerivedColumns: Bool
    /// The positions of the foreign key columns, inherited ones included.
    let referenceColumns: [Int]
    /// Whether rows of the table may refer to others of it.
    let mayReferToItself: Bool
    /// The numbers of the to-one relationships that must lead somewhere.
    let requiredToOneRelationships: [Int]
    /// The bits of the foreign key columns.
    let referenceMask: UInt64
    /// The bits of the columns whose values something else than the row keeps too, such as an index.
    let indexedMask: UInt64
    /// The statement that reads the row of an identifier.
    let selectOneStatement: String
    /// The discriminators of the entity and all below it; nil stands for the root itself. Empty when all rows match.
    let discriminators: [String?]
    /// The condition that keeps rows of other entities of the hierarchy out; nil where every row belongs.
    let discriminatorCondition: String?
    /// The columns of each uniqueness constraint that holds for the entity.
    let uniquenessConstraints: [[Int]]
    /// The entity's full-text indexes with those that it inherits.
    public let fullTextIndexes: [FullTextDescription]
    /// The indexes of the table that have the entity's objects.
    public let indexes: [IndexDescription]
    /// The columns that are coordinates of R-trees.
    let rtreeColumns: [String]
    /// The R-trees among the indexes.
    let rtrees: [RTreeDescription]
    /// The columns of this very entity whose values the model bounds.
    let ruledColumns: [Int]
    /// The numbers of the to-many relationships whose count the model bounds.
    let boundedRelationships: [Int]
    /// The numbers of the relationships whose members keep an object from being deleted.
    let denyingRelationships: [Int]
    /// The columns of this very entity whose values may be in files beside the store.
    let externalColumns: [Int]
    /// Where the values are in the memory of objects and of values structs.
    let layout: ValuesLayout
    /// The first property that the entity declares with a default that is no value of its type.
    let invalidDefault: (property: String, value: InvalidDefault)?
    /// The first line of the list of columns, of this entity or one above it, that describes none; empty where one is
    /// missing.
    let invalidColumn: String?
    /// Whether the class adopts ``ManagedObjectLifecycle``.
    let hasLifecycle: Bool
    /// Whether the class adopts ``ValidatedModel``.
    let isValidated: Bool
    /// Whether anything has to be looked at in a changed object before it is saved.
    let validatesUpdates: Bool
    /// Whether insertions must keep to rules.
    let validatesInsertions: Bool

    /// Makes a description; generated code does.
    public init(
        name: String, parent: EntityDescription? = nil, isAbstract: Bool = false, tableName: String,
        number: EntityNumber, modelClass: ManagedObject.Type, values: any EntityValues.Type,
        columns list: String, rules: [Int: [ValidationRule]] = [:], codings: [Int: AttributeCoding] = [:],
        emptyComposites: [String: AttributeCoding] = [:], renamedProperties: [String: String] = [:],
        relationships: [RelationshipDescription] = [], hasDiscriminator: Bool = false,
        discriminators: [String?] = [], ownColumns: [Int]? = nil,
        uniquenessConstraints: [[Int]] = [], fullTextIndexes: [FullTextDescription] = [],
        indexes: [IndexDescription] = [],
        model: (any ManagedObjectModel.Type)? = nil
    ) {
        self.model = model
        self.name = name
        parentName = parent?.name
        ancestorNames = parent.map { [$0.name] + $0.ancestorNames } ?? []
        self.isAbstract = isAbstract
        self.tableName = tableName
        self.number = number
        self.modelClass = modelClass
        self.relationships = relationships
        self.hasDiscriminator = hasDiscriminator
        self.discriminators = discriminators
        discriminatorCondition = Self.discriminatorCondition(tableName, discriminators)
        let references = relationships.compactMap { relationship in
            if case .column(let column) = relationship.storage { column } else { nil }
        }
        let named = references + (ownColumns ?? []) + codings.keys + uniquenessConstraints.joined()
        let (columns, invalidLine) = ColumnDescription.columns(
            list, of: name, rules, atLeast: (named.max() ?? -1) + 1)
        let invalidColumn = invalidLine ?? parent?.invalidColumn
        self.columns = columns
        self.invalidColumn = invalidColumn
        self.referenceColumns = references
        self.mayReferToItself = columns.contains { $0.destination?.root == number.root }
        self.requiredToOneRelationships = relationships.indices.filter {
            !relationships[$0].isToMany && !relationships[$0].isOptional
        }
        self.referenceMask = references.reduce(0) { $0 | ManagedObject.bit(of: $1) }
        let table = tableName.quotedIdentifier
        let added = ["id$", "version$"] + (hasDiscriminator ? ["entity$"] : [])
        self.selectedColumns = (added + columns.map(\.name)).map { "\(table).\($0.quotedIdentifier)" }
            .joined(separator: ", ")
        self.selectedIdentifier = "\(table).\"id$\""
        self.selectOneStatement = "SELECT \(selectedColumns) FROM \(table) WHERE \(table).\"id$\" = ?1"
        self.hasDerivedColumns = columns.contains(where: \.isDerived)
        let own = ownColumns ?? columns.indices.filter { !columns[$0].isDerived }
        self.ownColumns = own
        self.uniquenessConstraints = uniquenessConstraints
        self.fullTextIndexes = fullTextIndexes
        self.indexes = indexes
        let isIndexed = { (column: Int) in
            references.contains(column) || uniquenessConstraints.contains { $0.contains(column) }
                || fullTextIndexes.contains { $0.columns.contains(column) }
                || indexes.contains { index in
                    index.isPartial
                        || index.elements.contains { $0.column ?? columns[column].name == columns[column].name }
                }
        }
        indexedMask = own.filter(isIndexed).reduce(0) { $0 | ManagedObject.bit(of: $1) }
        let requiredColumns = own.filter { !columns[$0].isOptional }.map { columns[$0].name }
        rtrees = indexes.filter { $0.kind == .rtree && !$0.isPartial }
            .map { RTreeDescription(index: $0, requiredColumns: requiredColumns) }
        rtreeColumns = Set(indexes.filter { $0.kind == .rtree }.flatMap { $0.elements.compactMap(\.column) }).sorted()
        externalColumns = own.filter { columns[$0].isExternal }
        ruledColumns = own.filter { !columns[$0].rules.isEmpty }
        boundedRelationships = relationships.indices.filter { relationships[$0].isBounded }
        denyingRelationships = relationships.indices.filter { relationships[$0].deletionRule == .deny }
        layout =
            invalidColumn == nil && values != UnknownValues.self
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
        hasLifecycle = modelClass is any ManagedObjectLifecycle.Type
        isValidated = modelClass is any ValidatedModel.Type
        validatesUpdates = isValidated || !ruledColumns.isEmpty || !requiredToOneRelationships.isEmpty
        validatesInsertions = validatesUpdates || !boundedRelationships.isEmpty
        let inserted = ["id$"] + (hasDiscriminator ? ["entity$"] : []) + own.map { columns[$0].name }
        self.insertedColumnCount = inserted.count
        insertedColumns =
            "\(table) (\(inserted.map(\.quotedIdentifier).joined(separator: ", "))) VALUES "
    }

    /// Whether the entity is one of a name or below it.
    func isKind(of name: String) -> Bool { self.name == name || ancestorNames.contains(name) }

    /// The value that the discriminator column holds for objects of this entity itself.
    var discriminator: String? { number.root == number.entity ? nil : name }
}

/// A column that holds a property.
public struct ColumnDescription: Sendable, Hashable {
    /// The column's name in the table.
    public var name: String
    /// The property's name in the model.
    public var property: String
    /// The entity that declares the property.
    public var entity: String
    /// Whether NULL is a legal value.
    public var isOptional: Bool
    /// The type of the attribute; nil for a foreign key.
    public var type: AttributeType?
    /// The destination of the relationship whose foreign key it is.
    let destination: EntityNumber?
    /// Whether the value is required where the composite is there that it belongs to.
    public var isRequiredLeaf: Bool
    /// Whether a large value is kept in a file beside the store.
    public var isExternal: Bool
    /// The bounds that the model sets on values.
    public var rules: [ValidationRule]
    /// Whether the store derives the value, so that nobody writes it. Core Data's `NSDerivedAttributeDescription`.
    public var isDerived: Bool
    /// Whether the store's history keeps the value when the object is deleted. Core Data's
    /// `preservesValueInHistoryOnDeletion`.
    public var isPreservedAfterDeletion: Bool

    /// Makes a description; generated code does.
    public init(
        _ name: String, property: String, entity: String, isOptional: Bool, type: AttributeType? = nil,
        destination: EntityNumber? = nil, isRequiredLeaf: Bool = false, isExternal: Bool = false,
        isDerived: Bool = false, isPreservedAfterDeletion: Bool = false, rules: [ValidationRule] = []
    ) {
        self.type = type
        self.destination = destination
        self.name = name
        self.property = property
        self.entity = entity
        self.isOptional = isOptional
        self.isRequiredLeaf = isRequiredLeaf
        self.isExternal = isExternal
        self.rules = rules
        self.isDerived = isDerived
        self.isPreservedAfterDeletion = isPreservedAfterDeletion
    }
}

extension ColumnDescription {
    /// Whether values are compared as decimal numbers rather than as text.
    public var isDecimal: Bool { type == .decimal }
    /// Whether values are dates.
    public var isDate: Bool { type == .date }
}

/// The types of attributes. Core Data's `NSAttributeType`.
public enum AttributeType: String, Sendable, Hashable {
    case integer16, integer32, integer64, decimal, double, float, string, boolean, date, binary, uuid, uri
    case transformable
}

/// A relationship of an entity: where it leads, what it keeps, and where it is stored.
public final class RelationshipDescription: Sendable {
    /// What happens to the destination when an object is deleted.
    public enum DeletionRule: String, Sendable, Hashable {
        case nullify, cascade, deny, noAction
    }

    /// Where the references are stored.
    public enum Storage: Sendable, Hashable {
        /// In a column of the object's own row, by its position among the entity's columns.
        case column(Int)
        /// In a column of the destination's row, by its position there; an ordered relationship has an order column.
        case inverseColumn(Int, order: String?)
        /// In a table of its own.
        case joinTable(String, own: String, other: String, order: String?)
    }

    public let name: String
    /// The name of the destination entity.
    public let destination: String
    /// The position of the inverse among the destination's relationships; nil when there is none.
    public let inverse: Int?
    public let isToMany: Bool
    public let isOrdered: Bool
    public let isOptional: Bool
    /// The fewest objects of a to-many relationship; 0 when the model does not say.
    public let minimumModelCount: Int
    /// The most objects of a to-many relationship; 0 when there is no limit.
    public let maximumModelCount: Int
    public let deletionRule: DeletionRule
    public let storage: Storage
    /// The rows that it leads to as conditions speak of them, once one did.
    let relatedRows = Mutex<RelatedRows.Source?>(nil)

    /// Makes a description; generated code does.
    public init(
        _ name: String, destination: String, inverse: Int?, isToMany: Bool = false, isOrdered: Bool = false,
        isOptional: Bool = true, minimumModelCount: Int = 0, maximumModelCount: Int = 0,
        deletionRule: DeletionRule = .nullify, storage: Storage
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.minimumModelCount = minimumModelCount
        self.maximumModelCount = maximumModelCount
        self.deletionRule = deletionRule
        self.storage = storage
    }
}

extension RelationshipDescription {
    /// Whether a save has to count the objects of a to-many relationship.
    var isBounded: Bool { isToMany && (minimumModelCount > 0 || maximumModelCount > 0) }

    /// The rule that a count of objects breaks. An optional relationship may be empty whatever its minimum is; one that
    /// is not optional may be where the model sets no minimum.
    func rule(brokenBy count: Int) -> ValidationFailure.Rule? {
        let minimum = minimumModelCount
        if count < minimum, count > 0 || !isOptional { return .tooFewObjects(minimum: minimum) }
        return maximumModelCount > 0 && count > maximumModelCount ? .tooManyObjects(maximum: maximumModelCount) : nil
    }
}

extension RelationshipDescription: Hashable {
    public static func == (left: RelationshipDescription, right: RelationshipDescription) -> Bool {
        left === right
            || left.name == right.name && left.destination == right.destination && left.inverse == right.inverse
                && left.isToMany == right.isToMany && left.isOrdered == right.isOrdered
                && left.isOptional == right.isOptional && left.deletionRule == right.deletionRule
                && left.storage == right.storage
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(storage)
    }
}
