import AshlarSQLite
public import SystemFoundation

/// An error of a batch operation. The operation changes nothing if it throws one, except for ``incomplete(rows:_:)``.
///
///     do {
///         try context.batchDelete(Post.where { $0.timestamp < lastYear })
///     } catch BatchError.deletionDenied(let entity, let relationship, _) {
///         print("\(entity).\(relationship) denies the deletion.")
///     }
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum BatchError: Error, Sendable {
    /// A value violates a rule of the model.
    case invalidValue(BatchValueFailure)
    /// Another row has the same values, which must be unique.
    ///
    /// The row is the position among the rows to insert, counted from 0, or nil if it is unknown. A
    /// ``BatchConflictPolicy`` resolves it.
    case notUnique(entity: String, properties: [String], row: Int?)
    /// A required to-one relationship is nil, or its destination does not exist.
    case brokenReference(entity: String, relationship: String, object: PersistentIdentifier?)
    /// Two objects refer to the same destination by a one-to-one relationship.
    case sharedReference(entity: String, relationship: String, destination: PersistentIdentifier)
    /// An object cannot be deleted while its relationship has a destination.
    ///
    /// Delete or detach the destinations first.
    case deletionDenied(entity: String, relationship: String, object: PersistentIdentifier?)
    /// The property cannot be assigned, for the given reason.
    case unassignable(entity: String, property: String, reason: String)
    /// An assigned object was never saved, or belongs to another store or entity.
    case invalidReference(entity: String, property: String, PersistentIdentifier)
    /// The sum of a derived attribute such as `Owner.total` would exceed 64 bits.
    case derivedOverflow([String])
    /// A transformer or encoder failed to encode a value of a row to insert, counted from 0.
    case conversion(entity: String, row: Int, any Error)
    /// A value of a row to insert, counted from 0, is larger than SQLite allows.
    ///
    /// Enable Allows External Storage for the attribute in the model.
    case valueTooLarge(entity: String, property: String, row: Int, limit: Int)
    /// A large value could not be written to a file beside the store, for the reason that the system gives.
    case externalData(file: URL, reason: String)
    /// The entity is abstract, so no row can belong to it.
    ///
    /// Insert values of one of its subentities.
    case abstractEntity(String)
    /// The entity belongs to another model than the store.
    case entityOfAnotherModel(String)
    /// The entity has no property of such a name.
    case unknownProperties(entity: String, properties: [String])
    /// The entity has no uniqueness constraint of these properties. `known` lists the constraints that it has.
    case unknownConstraint(entity: String, properties: [String], known: [[String]])
    /// An operation in chunks cannot have an order or an offset.
    ///
    /// Remove these from the descriptor, or set no ``BatchOptions/chunkSize``.
    case orderedChunks(entity: String)
    /// The size of a chunk is not positive.
    case invalidChunkSize(Int)
    /// The context is already saving or performing a batch operation.
    ///
    /// The closures of such an operation must not begin another one.
    case busy
    /// The store cannot be written.
    case readOnly(URL)
    /// An operation in chunks ended early. It gives the number of rows in the chunks before, which stay changed.
    case incomplete(rows: Int, any Error)
    /// SQLite failed, for example because the disk is full.
    case sqlite(SQLiteError, doing: String)
}

/// A value of one row that violates a rule of the model.
///
/// ``BatchError/invalidValue(_:)`` contains it.
public struct BatchValueFailure: Sendable, Hashable {
    /// The name of the entity.
    public var entity: String
    /// The name of the property.
    public var property: String
    /// The value, or nil if it is unknown.
    public var value: SQLiteValue?
    /// The violated rule.
    public var rule: ValidationFailure.Rule
    /// The position of the row among those to insert, counted from 0; nil for an update.
    public var row: Int?
    /// The object whose row would get the value.
    ///
    /// It is nil for an insertion, and for a value that all rows would get.
    public var object: PersistentIdentifier?
}

extension BatchValueFailure: CustomStringConvertible {
    public var description: String {
        let place = row.map { " of row \($0)" } ?? object.map { " of \($0)" } ?? ""
        return "\(entity).\(property)\(place) \(problem)"
    }

    private var problem: String {
        switch rule {
        case .missingRequiredValue: "is required and has no value"
        case .notANumber: "is not a number (NaN), which the store cannot keep"
        case .belowMinimum(let bound): "is \(shown), less than \(bound.shown())"
        case .aboveMaximum(let bound): "is \(shown), more than \(bound.shown())"
        case .tooShort(let count): "is shorter than \(count): \(shown)"
        case .tooLong(let count): "is longer than \(count): \(shown)"
        case .patternMismatch(let pattern): "does not match \(pattern): \(shown)"
        case .custom(let reason): reason
        case .deletionDenied, .tooFewObjects, .tooManyObjects: "breaks a rule"
        }
    }

    private var shown: String { value?.shown() ?? "a value" }
}

extension BatchError: CustomStringConvertible {
    private static func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }

    public var description: String {
        switch self {
        case .incomplete(let rows, let error):
            "The operation ended after \(rows) rows, which stay changed: \(error)"
        default: "Nothing was changed: \(reason)"
        }
    }

    private var reason: String {
        switch self {
        case .invalidValue(let failure): "\(failure)."
        case .notUnique(let entity, let properties, let row):
            "another \(entity) has the same \(properties.joined(separator: " and "))"
                + (row.map { " as row \($0)" } ?? "") + ". Resolve the conflict with onConflict."
        case .brokenReference(let entity, let relationship, let object):
            "\(entity).\(relationship)\(object.map { " of \($0)" } ?? "") must lead to an object, and would lead to none."
        case .sharedReference(let entity, let relationship, let destination):
            "\(entity).\(relationship) of several objects would lead to \(destination), which can have one only."
        case .deletionDenied(let entity, let relationship, let object):
            "\(object.map(\.description) ?? "an object of \(entity)") cannot be deleted while "
                + "\(entity).\(relationship) leads to an object."
        case .unassignable(let entity, let property, let reason):
            "\(entity).\(property) cannot be assigned to: \(reason)."
        case .invalidReference(let entity, let property, let identifier):
            "\(entity).\(property): \(InvalidReference(identifier: identifier))."
        case .derivedOverflow(let attributes):
            "the derived sum \(attributes.joined(separator: " or ")) would leave the range of 64-bit integers."
        case .conversion(let entity, let row, let error):
            "a value of row \(row) of \(entity) cannot be stored: \(error)"
        case .valueTooLarge(let entity, let property, let row, let limit):
            "\(entity).\(property) of row \(row) has more than the \(limit) bytes that SQLite allows in a row. Let the model "
                + "keep large values in files (Allows External Storage)."
        case .externalData(let file, let reason): "\(ExternalDataError(url: file, reason: reason))"
        case .abstractEntity(let entity): "\(entity) is abstract. Insert values of an entity below it."
        case .entityOfAnotherModel(let entity): "the store's model has no such entity \(entity)."
        case .unknownProperties(let entity, let properties):
            "\(entity) has no properties \(Self.list(properties))."
        case .unknownConstraint(let entity, let properties, let known):
            "\(entity) has no uniqueness constraint on \(Self.list(properties)). "
                + (known.isEmpty
                    ? "The model gives it none."
                    : "Name the properties of one that it has: \(known.map(Self.list).joined(separator: "; ")).")
        case .orderedChunks(let entity):
            "chunks of \(entity) are in no order. Leave out the order and the offset, or the size of chunks."
        case .invalidChunkSize(let size): "a chunk cannot have \(size) rows; the least is 1."
        case .busy: "the context is busy with a save or another batch operation."
        case .readOnly(let url): "the store \(url.path) cannot be written."
        case .sqlite(let error, let doing): "\(error) (while \(doing))"
        case .incomplete(_, let error): "\(error)"
        }
    }
}
