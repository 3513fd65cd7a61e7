import AshlarSQLite

/// A version of a model, for the stages of a ``SchemaMigrationPlan``.
///
/// Generated code has a type such as `PhotoFeedModel.Version2` for each version at either end of a custom stage. An
/// `ashlar.json` in the model's bundle names the versions that stages lead to:
///
/// ```json
/// { "migrationStages": ["PhotoFeed 3"] }
/// ```
///
/// The type contains a struct for each entity as it was in that version: ``VersionedValues``. SwiftData's counterpart
/// is `VersionedSchema`.
public protocol VersionedSchema: Sendable {
    /// The model of the version.
    static var model: any ManagedObjectModel.Type { get }
    /// The version's name in the bundle, such as `PhotoFeed 2`.
    static var versionName: String { get }
}

/// A row of an entity as it was in a version of its model. Generated code creates the types.
///
/// Attributes have the types that the store holds. `Data` is the encoded form of transformed and encoded values, and
/// enumerations are their raw values. To-one relationships are the ``rowID`` of the destination. The parts of a
/// composite are separate properties. To-many relationships, derived attributes and attributes with external storage
/// are missing.
public protocol VersionedValues: Sendable, Equatable {
    /// The version of the entity.
    associatedtype Version: VersionedSchema

    /// The object's number in its table, as in ``PersistentIdentifier/rowID``. An insertion replaces 0 with a new
    /// number.
    var rowID: Int64 { get set }

    /// The place of the rows in the store. Generated code implements it.
    @_spi(Generated) static var _ashlarTable: VersionedTable { get }
    /// Reads a row of the columns of the table, which follow its number. Generated code implements it.
    @_spi(Generated) static func _ashlarDecode(_ row: Row) throws(RowError) -> Self
    /// Binds the columns of the table, in their order. Generated code implements it.
    @_spi(Generated) func _ashlarBind(to statement: Statement)
}

/// The place of an entity's rows in a version of a store. Generated code creates it.
@_spi(Generated) public struct VersionedTable: Sendable {
    /// The entity's name.
    public let entity: String
    let name: String
    let columns: [String]
    /// The values of `entity$` for the entity and its subentities, nil for NULL; nil for a table of one entity.
    let discriminators: [String?]?
    let isAbstract: Bool
    /// Whether rows have the same number as in the previous version.
    let keepsRowIDs: Bool

    /// Creates a description, for generated code.
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

    /// The condition that a row belongs to the entity or a subentity. Further conditions can be added with AND.
    var condition: String {
        guard let discriminators else { return "1" }
        let names = discriminators.compactMap(\.self).map(\.quotedLiteral)
        let isOne = "\"entity$\" IN (\(names.joined(separator: ", ")))"
        return discriminators.contains(nil) ? "(\"entity$\" IS NULL OR \(isOne))" : isOne
    }
}
