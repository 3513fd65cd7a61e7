/// A request that changes columns of all matching rows with one statement.
///
/// Use it in place of ``ModelContext/batchUpdate(_:_:)`` to get identifiers, or to work in chunks.
///
///     var request = BatchUpdateRequest(Post.where { $0.author == author }) { $0.favorite = true; $0.likes += 1 }
///     request.options.resultType = .identifiers
///     let result = try context.execute(request)
///
/// Core Data's counterpart is `NSBatchUpdateRequest`.
public struct BatchUpdateRequest<Model: PersistentModel>: Sendable {
    /// The rows to change. The order matters only together with a limit.
    public var descriptor: FetchDescriptor<Model>
    /// The options of the operation, including the kind of its result.
    public var options = BatchOptions()
    let assignments: ColumnAssignments<Model>

    /// Creates a request.
    ///
    ///     let request = BatchUpdateRequest(Post.where { $0.isDraft }) { $0.isRead = false }
    ///
    /// - Parameters:
    ///   - descriptor: The rows to change.
    ///   - assign: Assigns values or computed columns to columns; see ``ColumnAssignments``.
    public init(_ descriptor: FetchDescriptor<Model>, _ assign: (inout ColumnAssignments<Model>) -> Void) {
        self.descriptor = descriptor
        var assignments = ColumnAssignments<Model>()
        assign(&assignments)
        self.assignments = assignments
    }
}

/// A request that deletes all matching rows, and applies the deletion rules of their relationships.
///
/// Use it in place of ``ModelContext/batchDelete(_:)`` to get identifiers, or to work in chunks.
///
///     var request = BatchDeleteRequest(Post.where { $0.timestamp < lastYear })
///     request.options.chunkSize = 1000
///     let result = try context.execute(request)
///
/// Core Data's counterpart is `NSBatchDeleteRequest`.
public struct BatchDeleteRequest<Model: PersistentModel>: Sendable {
    /// The rows to delete. The order matters only together with a limit.
    public var descriptor: FetchDescriptor<Model>
    /// The options of the operation, including the kind of its result.
    public var options = BatchOptions()
    /// The objects that the caller listed by their identifiers.
    private var identifiers: [PersistentIdentifier] = []

    /// Creates a request.
    ///
    ///     let request = BatchDeleteRequest(Post.where { $0.isDraft })
    ///
    /// - Parameter descriptor: The rows to delete.
    public init(_ descriptor: FetchDescriptor<Model>) { self.descriptor = descriptor }

    /// Creates a request for certain objects.
    ///
    /// The request fails if one of them was never saved, or belongs to another entity or store.
    ///
    ///     let request = BatchDeleteRequest(Post.self, identifiers: [identifier])
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - identifiers: The objects to delete.
    public init(_ type: Model.Type, identifiers: some Sequence<PersistentIdentifier>) {
        let identifiers = Array(identifiers)
        self.init(FetchDescriptor<Model>().where { $0.isIn(identifiers) })
        self.identifiers = identifiers
    }

    /// Throws for an identifier that names no row of the entity's table in a store. Its number may be that of another
    /// row.
    func checkIdentifiers(store: UInt32) throws(BatchError) {
        let entity = Model._ashlarEntity
        for identifier in identifiers
        where identifier.isTemporary || !identifier.isRow(of: entity.number.root, in: store) {
            throw .invalidReference(
                entity: entity.name, property: "persistentModelID", identifier)
        }
    }
}

/// The policy for rows to insert whose unique values another row already has.
///
/// The other row may be in the store already, or the same operation inserted it. The policy never replaces a row: a
/// changed row keeps its identifier and relationships.
///
///     try context.batchInsert(contentsOf: authors, onConflict: .update(uniqueBy: ["name"], setting: ["city"]))
///
/// The counterparts are SwiftData's upsert, and the merge policies of Core Data for unique values.
public struct BatchConflictPolicy: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case error, ignore
        case update(unique: [String]?, properties: [String]?)
    }

    let kind: Kind

    /// The policy that makes the operation fail with ``BatchError/notUnique(entity:properties:row:)``. It is the
    /// default.
    ///
    ///     try context.batchInsert(contentsOf: authors, onConflict: .error)
    public static let error = BatchConflictPolicy(kind: .error)
    /// The policy that skips the row to insert.
    ///
    ///     try context.batchInsert(contentsOf: authors, onConflict: .ignore)
    public static let ignore = BatchConflictPolicy(kind: .ignore)
    /// The policy that sets all attributes and to-one relationships of the existing row, for a conflict of any
    /// constraint.
    ///
    /// Values that the row to insert omits become nil or the model's default.
    ///
    ///     try context.batchInsert(contentsOf: authors, onConflict: .update)
    public static let update = BatchConflictPolicy(kind: .update(unique: nil, properties: nil))

    /// Returns a policy that sets values of the existing row if the two share the values of one constraint.
    ///
    /// A conflict of another constraint is an error.
    ///
    ///     try context.batchInsert(contentsOf: authors, onConflict: .update(uniqueBy: ["name"], setting: ["city"]))
    ///
    /// - Parameters:
    ///   - constraint: The names of the properties of a uniqueness constraint in the model.
    ///   - properties: The names of the properties to set; nil sets all.
    public static func update(uniqueBy constraint: [String], setting properties: [String]? = nil) -> Self {
        BatchConflictPolicy(kind: .update(unique: constraint, properties: properties))
    }
}
