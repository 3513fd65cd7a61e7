/// Changes columns of all rows that a descriptor asks for, with one statement. Core Data's `NSBatchUpdateRequest`.
///
///     var request = BatchUpdateRequest(Post.where { $0.author == author }) { $0.favorite = true; $0.likes += 1 }
///     request.options.resultType = .identifiers
///     let result = try context.execute(request)
public struct BatchUpdateRequest<Model: PersistentModel>: Sendable {
    /// Which rows. Its order counts only together with its limit.
    public var descriptor: FetchDescriptor<Model>
    /// How the update is carried out, and what it returns.
    public var options = BatchOptions()
    let assignments: ColumnAssignments<Model>

    /// Makes a request. The closure assigns to columns what they are to hold: values, or what is computed of the row.
    public init(_ descriptor: FetchDescriptor<Model>, _ assign: (inout ColumnAssignments<Model>) -> Void) {
        self.descriptor = descriptor
        var assignments = ColumnAssignments<Model>()
        assign(&assignments)
        self.assignments = assignments
    }
}

/// Deletes all rows that a descriptor asks for, and what the deletion rules of their relationships take along. Core
/// Data's `NSBatchDeleteRequest`.
public struct BatchDeleteRequest<Model: PersistentModel>: Sendable {
    /// Which rows. Its order counts only together with its limit.
    public var descriptor: FetchDescriptor<Model>
    /// How the deletion is carried out, and what it returns.
    public var options = BatchOptions()
    /// The objects that were named one by one.
    private var identifiers: [PersistentIdentifier] = []

    /// Makes a request.
    public init(_ descriptor: FetchDescriptor<Model>) { self.descriptor = descriptor }

    /// Makes a request for single objects. One that was never saved, or is of another entity or store, makes it fail.
    public init(_ type: Model.Type, identifiers: some Sequence<PersistentIdentifier>) {
        let identifiers = Array(identifiers)
        self.init(FetchDescriptor<Model>().where { $0.isIn(identifiers) })
        self.identifiers = identifiers
    }

    /// Throws for an identifier that names no row of the entity's table in a store, whose number may be another row's.
    func checkIdentifiers(store: UInt32) throws(BatchError) {
        let entity = Model._ashlarEntity
        for identifier in identifiers
        where identifier.isTemporary || !identifier.isRow(of: entity.number.root, in: store) {
            throw .invalidReference(
                entity: entity.name, property: "persistentModelID", identifier)
        }
    }
}

/// What becomes of a row to insert whose unique values a row of the store has, or one that was inserted before it.
///
/// SwiftData's upsert, and what Core Data's merge policies say of unique values. A row never takes the place of another:
/// it is changed, and keeps its identifier and all relationships.
public struct BatchConflictPolicy: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case error, ignore
        case update(unique: [String]?, properties: [String]?)
    }

    let kind: Kind

    /// The operation fails with ``BatchError/notUnique(entity:properties:row:)``.
    public static let error = BatchConflictPolicy(kind: .error)
    /// The row is left out.
    public static let ignore = BatchConflictPolicy(kind: .ignore)
    /// The row of the store gets all values of the one to insert, whichever constraint they share.
    public static let update = BatchConflictPolicy(kind: .update(unique: nil, properties: nil))

    /// The row of the store gets values of the one to insert where they share the values of one constraint; a conflict
    /// over another one is an error.
    ///
    /// - Parameters:
    ///   - constraint: The names of the properties that a uniqueness constraint of the model has.
    ///   - properties: The names of the properties to overwrite; nil overwrites all.
    public static func update(uniqueBy constraint: [String], setting properties: [String]? = nil) -> Self {
        BatchConflictPolicy(kind: .update(unique: constraint, properties: properties))
    }
}
