import DataModel

/// A table of the store.
public struct Table: Sendable, Hashable {
    /// The kind of a table's rows.
    public enum Content: Sendable, Hashable {
        /// Objects of a root entity and of its sub-entities.
        case objects(ofRoot: String)
        /// Pairs of objects that a relationship connects.
        case links
        /// The metadata of the store.
        case metadata
    }

    public var name: String
    public var content: Content
    public var columns: [Column]
    /// The primary key columns of a table without rowid; empty if a column is the rowid.
    public var primaryKey: [String]

    /// Makes a table.
    public init(name: String, content: Content, columns: [Column], primaryKey: [String] = []) {
        self.name = name
        self.content = content
        self.columns = columns
        self.primaryKey = primaryKey
    }

    /// The column with a name.
    public func column(named name: String) -> Column? { columns.first { $0.name == name } }

    /// The statement that creates the table, with one line for each column.
    public var definition: String { definition(named: name) }

    /// The statement that creates the table under another name, which a migration uses temporarily.
    public func definition(named name: String) -> String {
        var lines = columns.map(\.definition)
        if !primaryKey.isEmpty { lines.append("PRIMARY KEY (\(SQLText.identifiers(primaryKey)))") }
        return """
            CREATE TABLE \(SQLText.identifier(name)) (
                \(lines.joined(separator: ",\n    "))
            ) STRICT\(primaryKey.isEmpty ? "" : ", WITHOUT ROWID")
            """
    }
}

/// A column of a table.
public struct Column: Sendable, Hashable {
    /// The types that a column of a strict table can have.
    public enum DataType: String, Sendable, Hashable {
        case integer = "INTEGER"
        case real = "REAL"
        case text = "TEXT"
        case blob = "BLOB"
        case any = "ANY"
    }

    public var name: String
    public var type: DataType
    /// Whether the column refuses NULL.
    public var isRequired: Bool
    /// The default as a literal.
    public var defaultLiteral: String?
    /// The name of a collation other than SQLite's own.
    public var collation: String?
    public var reference: ForeignKey?
    /// The expression of a generated column, which SQLite computes when it reads the column.
    public var generation: String?
    /// Whether the column is the rowid, which is never reused.
    public var isIdentifier: Bool

    /// Makes a column.
    public init(
        name: String, type: DataType, isRequired: Bool = false, defaultLiteral: String? = nil, collation: String? = nil,
        reference: ForeignKey? = nil, generation: String? = nil, isIdentifier: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
        self.defaultLiteral = defaultLiteral
        self.collation = collation
        self.reference = reference
        self.generation = generation
        self.isIdentifier = isIdentifier
    }

    /// The column as `CREATE TABLE` and `ADD COLUMN` write it.
    public var definition: String {
        var text = "\(SQLText.identifier(name)) \(type.rawValue)"
        if isIdentifier { text += " PRIMARY KEY AUTOINCREMENT" }
        if let collation { text += " COLLATE \(SQLText.identifier(collation))" }
        if isRequired { text += " NOT NULL" }
        if let defaultLiteral { text += " DEFAULT \(defaultLiteral)" }
        if let reference { text += " \(reference.definition)" }
        if let generation { text += " GENERATED ALWAYS AS (\(generation)) VIRTUAL" }
        return text
    }
}

/// The reference of a column to the objects of another table.
public struct ForeignKey: Sendable, Hashable {
    /// The action for the row when the referenced object is deleted.
    public enum Action: String, Sendable, Hashable {
        case cascade = "CASCADE"
        case setNull = "SET NULL"
        /// The deletion fails at the end of the transaction, unless the row is also deleted by then.
        case noAction = "NO ACTION"
    }

    public var tableName: String
    public var action: Action

    /// Makes a reference.
    public init(tableName: String, action: Action) {
        self.tableName = tableName
        self.action = action
    }

    /// The constraint in the column's definition. SQLite checks it at the end of the transaction.
    public var definition: String {
        "REFERENCES \(SQLText.identifier(tableName))(\(SQLText.identifier(ColumnName.identifier)))"
            + " ON DELETE \(action.rawValue) DEFERRABLE INITIALLY DEFERRED"
    }
}

/// The names that Ashlar adds to those of the model. All contain `$`, which the name of a property cannot.
public enum ColumnName {
    /// The rowid of an object.
    public static let identifier = "id$"
    /// The number of writes of an object, for optimistic locking.
    public static let version = "version$"
    /// The name of the object's entity; NULL stands for the root entity.
    public static let entity = "entity$"
    /// The object of the side that owns a join table.
    public static let source = "source$"
    /// The object of the other side.
    public static let target = "target$"
    /// The position of the target among those of the source.
    public static let targetOrder = "target$order"
    /// The position of the source among those of the target.
    public static let sourceOrder = "source$order"

    /// The column of an attribute or of a leaf: `street`, `home$street`, and `home$$present` for the presence of a
    /// composite.
    static func name(of leaf: AttributeLeaf) -> String {
        leaf.names.joined(separator: "$") + (leaf.isPresence ? "$$present" : "")
    }
}

/// The name of the collation that compares decimal numbers, which are stored as text, by value.
///
/// SQLite does not include it, so each program that opens a store registers it.
public let decimalCollation = "ashlar_decimal"
