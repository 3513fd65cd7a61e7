import DataModel

/// The place of the objects of an entity in the store.
public struct EntityStorage: Sendable, Hashable {
    public var entityName: String
    /// The root entity, which owns the table.
    public var rootName: String
    public var tableName: String
    /// All columns of the table that contain properties, in the table's order, with those of other entities.
    ///
    /// They follow `id$`, `version$` and, if ``hasDiscriminator``, `entity$`.
    public var columns: [StoredColumn]
    /// Whether `entity$` distinguishes the entities of the table, because the root has sub-entities.
    public var hasDiscriminator: Bool
    /// The content of `entity$` for this entity: its name, and NULL for the root.
    public var discriminator: String?
    /// The entity and its ancestors.
    private var ancestry: Set<String>

    init(
        entityName: String, rootName: String, tableName: String, columns: [StoredColumn], hasDiscriminator: Bool,
        ancestry: Set<String>
    ) {
        self.entityName = entityName
        self.rootName = rootName
        self.tableName = tableName
        self.columns = columns
        self.hasDiscriminator = hasDiscriminator
        self.discriminator = entityName == rootName ? nil : entityName
        self.ancestry = ancestry
    }

    /// The columns of the entity's own and inherited properties, in the table's order; NULL in other entities' rows.
    public var ownColumns: [StoredColumn] { columns.filter { ancestry.contains($0.entityName) } }
}

/// A column with a property of an entity.
public struct StoredColumn: Sendable, Hashable {
    /// The content of a column.
    ///
    /// It is indirect, because columns are copied much more often than their content is read.
    public indirect enum Content: Sendable, Hashable {
        /// An attribute, or a leaf of a composite as an attribute named by its key path.
        case attribute(Attribute)
        /// The `id$` of the destination of a to-one relationship.
        case toOne(Relationship)
        /// The position of the object in an ordered to-many relationship that an entity declares.
        ///
        /// Positions increase, with gaps; only their order counts.
        case order(entityName: String, relationship: Relationship)
    }

    public var name: String
    /// The entity that declares the attribute or the to-one relationship.
    public var entityName: String
    public var content: Content
    /// The leaf's place in the composite attribute; nil for all other columns.
    public var leaf: AttributeLeaf?
    /// The column in the table.
    public var column: Column

    /// Whether the store maintains the value, so that no program writes it.
    public var isDerived: Bool {
        if case .attribute(let attribute) = content { attribute.isDerived } else { false }
    }
}

/// The storage of a relationship's links, seen from one of its sides.
public enum RelationshipStorage: Sendable, Hashable {
    /// A column of the entity's own table contains the destination's `id$`.
    case column(name: String)
    /// A column of the destination's table contains the owner's `id$`.
    ///
    /// The order column is the destination's position among the members of the owner.
    case inverseColumn(tableName: String, columnName: String, orderColumnName: String?)
    /// A table contains pairs of the owner and the destination.
    ///
    /// The order column is the destination's position among the members of the owner.
    case joinTable(tableName: String, ownColumnName: String, otherColumnName: String, orderColumnName: String?)
}
