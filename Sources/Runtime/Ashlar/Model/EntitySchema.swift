/// The store's description of an entity: its table, the columns and relationships of its objects, its indexes and
/// constraints.
///
/// It consists of values only, without a class or a memory layout, so that code that opens, migrates or synchronizes a
/// store needs no objects. ``EntityDescription`` has one, and adds the parts for objects.
package final class EntitySchema: Sendable {
    /// The entity's name in the model.
    package let name: String
    /// The name of the parent entity; nil for a root.
    let parentName: String?
    /// Whether no row belongs to exactly this entity.
    package let isAbstract: Bool
    /// The numbers of the entity and of its root entity.
    let number: EntityNumber
    /// The name of the table, which belongs to the root entity.
    package let tableName: String
    /// The columns of the table that hold properties, in the order in which every fetch selects them.
    let columns: [ColumnDescription]
    /// The positions of the columns that objects of exactly this entity write, in the order in which they are bound.
    let ownColumns: [Int]
    /// The positions of the foreign key columns, including inherited ones.
    let referenceColumns: [Int]
    /// The columns of exactly this entity whose values may be in files beside the store.
    let externalColumns: [Int]
    /// Whether the store derives values of the table's rows.
    let hasDerivedColumns: Bool
    /// Whether rows of the table may refer to other rows of it.
    let mayReferToItself: Bool
    /// The entity's relationships, including inherited ones, in the order of their numbers.
    let relationships: [RelationshipDescription]
    /// Whether the table has a discriminator column.
    let hasDiscriminator: Bool
    /// The discriminators of the entity and its descendants, with nil for the root itself. Empty if all rows match.
    let discriminators: [String?]
    /// The columns of each uniqueness constraint that applies to the entity.
    let uniquenessConstraints: [[Int]]
    /// The entity's full-text indexes, including inherited ones.
    let fullTextIndexes: [FullTextDescription]
    /// The indexes of the table that contain the entity's objects.
    let indexes: [IndexDescription]
    /// Whether an index has a column in descending order.
    let hasDescendingIndex: Bool
    /// The columns that are coordinates of R-trees.
    let rtreeColumns: [String]
    /// The R-trees among the indexes.
    let rtrees: [RTreeDescription]
    /// The first line in the lists of this entity and its ancestors that does not describe a column; empty if one is
    /// missing.
    let invalidColumn: String?

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - list: The columns, one per line.
    ///   - otherColumns: The numbers of columns in other parts of the description, which must exist too.
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

    /// The value of the discriminator column for objects of exactly this entity.
    var discriminator: String? { number.root == number.entity ? nil : name }

    /// Returns whether a column's values are stored outside the row too, for example in an index.
    func isIndexed(_ column: Int) -> Bool {
        referenceColumns.contains(column) || uniquenessConstraints.contains { $0.contains(column) }
            || fullTextIndexes.contains { $0.columns.contains(column) }
            || indexes.contains { index in
                index.isPartial
                    || index.elements.contains { $0.column ?? columns[column].name == columns[column].name }
            }
    }

    /// Returns whether the entity is another one, or an ancestor of it.
    func isAncestor(of other: EntitySchema, in model: ModelDescription) -> Bool {
        var current: EntitySchema? = other
        while let entity = current {
            if entity === self { return true }
            current = entity.parentName.flatMap { model.entitySchema(named: $0) }
        }
        return false
    }
}
