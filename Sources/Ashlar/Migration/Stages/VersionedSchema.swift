import AshlarSQLite

/// A version of a model, for the stages of a ``SchemaMigrationPlan``; SwiftData's `VersionedSchema`.
///
/// Generated code has one, such as `PhotoFeedModel.Version2`, for each version that a stage leads to or from; an
/// `ashlar.json` in the model's bundle names those that stages lead to:
///
/// ```json
/// { "migrationStages": ["PhotoFeed 3"] }
/// ```
///
/// In it is a struct for each entity, as the entity was in that version: ``VersionedValues``.
public protocol VersionedSchema: Sendable {
    /// The model that it is a version of.
    static var model: any ManagedObjectModel.Type { get }
    /// The version's name in the bundle, such as `PhotoFeed 2`.
    static var versionName: String { get }
}

/// A row of an entity as the entity was in a version of its model; generated code makes the types.
///
/// Attributes have the types that the store keeps: `Data` is what a transformer or an encoder made of a value, and an
/// attribute with a Swift type of its own is its raw value. To-one relationships are the ``rowID`` of the object at the
/// other end. The leaves of a composite are properties of their own. To-many relationships, derived attributes and
/// those with external storage are not in it.
public protocol VersionedValues: Sendable, Equatable {
    /// The version that the entity is of.
    associatedtype Version: VersionedSchema

    /// The object's number in its table, as in ``PersistentIdentifier/rowID``. An insertion chooses another for 0.
    var rowID: Int64 { get set }

    /// Where the store keeps the rows; generated code says it.
    @_spi(Generated) static var _ashlarTable: VersionedTable { get }
    /// Reads a row of the columns of the table, which follow its number; generated code does.
    @_spi(Generated) static func _ashlarDecode(_ row: Row) throws(RowError) -> Self
    /// Binds the columns of the table, in their order; generated code does.
    @_spi(Generated) func _ashlarBind(to statement: Statement)
}

/// Where a version of a store keeps the rows of an entity; generated code makes it.
@_spi(Generated) public struct VersionedTable: Sendable {
    /// The entity's name.
    public let entity: String
    let name: String
    let columns: [String]
    /// What `entity$` holds for the entity and those below it, nil for NULL; nil for a table of one entity.
    let discriminators: [String?]?
    let isAbstract: Bool
    /// Whether rows have the number that they had in the version before.
    let keepsRowIDs: Bool

    /// Makes a description; generated code does.
    @_spi(Generated) public init(
        entity: String, name: String, columns: [String], discriminators: [String?]? = nil, isAbstract: Bool = false,
        keepsRowIDs: Bool = true
    ) {
        self.entity = entity
        self.name = name
        self.columns = columns
        self.discriminators = discriminators
        self.isAbstract = isAbstract
        self.keepsRowIDs = keepsRowIDs
    }

    /// The columns, after their table's name, with a comma before each.
    var columnList: String { columns.map { ", " + $0.quotedIdentifier }.joined() }

    /// The condition that a row is of the entity or of one below it, to which others are added with AND.
    var condition: String {
        guard let discriminators else { return "1" }
        let names = discriminators.compactMap(\.self).map(\.quotedLiteral)
        let isOne = "\"entity$\" IN (\(names.joined(separator: ", ")))"
        return discriminators.contains(nil) ? "(\"entity$\" IS NULL OR \(isOne))" : isOne
    }
}
