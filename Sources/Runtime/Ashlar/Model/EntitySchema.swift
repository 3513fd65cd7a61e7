/// The store's description of an entity: its table, the columns and relationships of its objects, its indexes and
/// constraints.
///
/// It is values alone: neither a class nor a place in memory, so that whoever opens, migrates or follows a store need not
/// know that there are objects. ``EntityDescription`` has one, and adds what objects need.
package final class EntitySchema: Sendable {
    /// The entity's name in the model.
    package let name: String
    /// The name of the parent entity; nil for a root.
    let parentName: String?
    /// Whether there are no rows of the entity itself.
    package let isAbstract: Bool
    /// The numbers of the entity and of its root.
    let number: EntityNumber
    /// The name of the table, which is the root entity's.
    package let tableName: String
    /// The columns of the table that hold properties, in the order in which every fetch selects them.
    let columns: [ColumnDescription]
    /// The positions of the columns that objects of this very entity write, in the order in which they are bound.
    let ownColumns: [Int]
    /// The positions of the foreign key columns, inherited ones included.
    let referenceColumns: [Int]
    /// The columns of this very entity whose values may be in files beside the store.
    let externalColumns: [Int]
    /// Whether the store derives values of the table's rows.
    let hasDerivedColumns: Bool
    /// Whether rows of the table may refer to others of it.
    let mayReferToItself: Bool
    /// The entity's relationships with those that it inherits, in the order of their numbers.
    let relationships: [RelationshipDescription]
    /// Whether the table has a discriminator column.
    let hasDiscriminator: Bool
    /// The discriminators of the entity and all below it; nil stands for the root itself. Empty when all rows match.
    let discriminators: [String?]
    /// The columns of each uniqueness constraint that holds for the entity.
    let uniquenessConstraints: [[Int]]
    /// The entity's full-text indexes with those that it inherits.
    let fullTextIndexes: [FullTextDescription]
    /// The indexes of the table that have the entity's objects.
    let indexes: [IndexDescription]
    /// Whether an index has a column in descending order.
    let hasDescendingIndex: Bool
    /// The columns that are coordinates of R-trees.
    let rtreeColumns: [String]
    /// The R-trees among the indexes.
    let rtrees: [RTreeDescription]
    /// The first line of the list of columns, of this entity or one above it, that describes none; empty where one is
    /// missing.
    let invalidColumn: String?

    /// Makes a description.
    ///
    /// - Parameters:
    ///   - list: The columns, a line each.
    ///   - otherColumns: Columns that something else speaks of, and that must be there too.
    init(
        name: String, parent: EntitySchema?, isAbstract: Bool, number: EntityNumber, tableName: String,
        columns list: String,
        rules: [Int: [ValidationRule]], otherColumns: some Sequence<Int>, relationships: [RelationshipDescription],
        hasDiscriminator: Bool, discriminators: [String?], ownColumns: [Int]?, uniquenessConstraints: [[Int]],
        fullTextIndexes: [FullTextDescription], indexes: [IndexDescription]
    ) {
        self.name = name
        parentName = parent?.name
        self.isAbstract = isAbstract
        self.number = number
        self.tableName = tableName
        self.relationships = relationships
        self.hasDiscriminator = hasDiscriminator
        self.discriminators = discriminators
        self.uniquenessConstraints = uniquenessConstraints
        self.fullTextIndexes = fullTextIndexes
        self.indexes = indexes
        hasDescendingIndex = indexes.contains { $0.elements.contains(where: \.isDescending) }
        let references = relationships.compactMap { relationship in
            if case .column(let column) = relationship.storage { column } else { nil }
        }
        let named = references + (ownColumns ?? []) + otherColumns + uniquenessConstraints.joined()
        let (columns, invalidLine) = ColumnDescription.columns(
            list, of: name, rules, atLeast: (named.max() ?? -1) + 1)
        self.columns = columns
        invalidColumn = invalidLine ?? parent?.invalidColumn
        referenceColumns = references
        mayReferToItself = columns.contains { $0.destination?.root == number.root }
        hasDerivedColumns = columns.contains(where: \.isDerived)
        let own = ownColumns ?? columns.indices.filter { !columns[$0].isDerived }
        self.ownColumns = own
        externalColumns = own.filter { columns[$0].isExternal }
        let requiredColumns = own.filter { !columns[$0].isOptional }.map { columns[$0].name }
        rtrees = indexes.filter { $0.kind == .rtree && !$0.isPartial }
            .map { RTreeDescription(index: $0, requiredColumns: requiredColumns) }
        rtreeColumns = Set(indexes.filter { $0.kind == .rtree }.flatMap { $0.elements.compactMap(\.column) }).sorted()
    }

    /// The value that the discriminator column holds for objects of this entity itself.
    var discriminator: String? { number.root == number.entity ? nil : name }

    /// Returns whether something else than the row keeps a column's values too, such as an index.
    func isIndexed(_ column: Int) -> Bool {
        referenceColumns.contains(column) || uniquenessConstraints.contains { $0.contains(column) }
            || fullTextIndexes.contains { $0.columns.contains(column) }
            || indexes.contains { index in
                index.isPartial
                    || index.elements.contains { $0.column ?? columns[column].name == columns[column].name }
            }
    }

    /// Returns whether the entity is another one or above it.
    func isAncestor(of other: EntitySchema, in model: ModelDescription) -> Bool {
        var current: EntitySchema? = other
        while let entity = current {
            if entity === self { return true }
            current = entity.parentName.flatMap { model.entitySchema(named: $0) }
        }
        return false
    }
}
