import DataModel

/// Where the objects of an entity are stored.
public struct EntityStorage: Sendable, Hashable {
    public var entityName: String
    /// The entity whose table it is.
    public var rootName: String
    public var tableName: String
    /// All columns of the table that hold properties, in the table's order, those of other entities too.
    ///
    /// Before them are `id$`, `version$` and, where ``hasDiscriminator``, `entity$`.
    public var columns: [StoredColumn]
    /// Whether the table tells entities apart by `entity$`, which it does where the root has sub-entities.
    public var hasDiscriminator: Bool
    /// What `entity$` holds for this entity: its name, and NULL for the root.
    public var discriminator: String?
    /// The entity and those above it.
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

/// A column that holds something of an entity.
public struct StoredColumn: Sendable, Hashable {
    /// What a column holds.
    ///
    /// It is behind a reference, as columns are copied much more often than they are looked into.
    public indirect enum Content: Sendable, Hashable {
        /// An attribute, or a leaf of a composite as an attribute that is called by its key path.
        case attribute(Attribute)
        /// The `id$` of the object that a to-one relationship leads to.
        case toOne(Relationship)
        /// The position of the object in an ordered to-many relationship, which an entity declares, of another object.
        ///
        /// Positions grow, with gaps; only their order counts.
        case order(entityName: String, relationship: Relationship)
    }

    public var name: String
    /// The entity that declares the attribute or the to-one relationship.
    public var entityName: String
    public var content: Content
    /// Where an attribute's value is in the entity's attribute of a composite; nil for all that is not in one.
    public var leaf: AttributeLeaf?
    /// The column as the table has it.
    public var column: Column

    /// Whether the store keeps the value, so that no program writes it.
    public var isDerived: Bool {
        if case .attribute(let attribute) = content { attribute.isDerived } else { false }
    }
}

/// Where the links of a relationship are stored, as seen from the side that asks.
public enum RelationshipStorage: Sendable, Hashable {
    /// A column of the entity's own table holds the destination's `id$`.
    case column(name: String)
    /// A column of the destination's table holds the `id$` of the object that asks.
    ///
    /// The order column is the destination's position among the objects of the one that asks.
    case inverseColumn(tableName: String, columnName: String, orderColumnName: String?)
    /// A table holds pairs: the object that asks, and the destination.
    ///
    /// The order column is the destination's position among the objects of the one that asks.
    case joinTable(tableName: String, ownColumnName: String, otherColumnName: String, orderColumnName: String?)
}
