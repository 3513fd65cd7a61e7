import AshlarSQLite
public import SystemFoundation

/// Why a batch operation was not carried out. Nothing of it is in the store, or, of one that is committed in chunks,
/// nothing of the present chunk.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum BatchError: Error, Sendable {
    /// A value breaks a rule of the model.
    case invalidValue(BatchValueFailure)
    /// Another row has the same values, though the model says that they are unique. The row is one of those to insert,
    /// counted from 0, where it is known.
    case notUnique(entity: String, properties: [String], row: Int?)
    /// A relationship that must lead to one object leads to none, or to one that does not exist.
    case brokenReference(entity: String, relationship: String, object: PersistentIdentifier?)
    /// Two objects lead to the same one by a relationship that is to-one at both ends.
    case sharedReference(entity: String, relationship: String, destination: PersistentIdentifier)
    /// An object cannot be deleted while its relationship leads to another.
    case deletionDenied(entity: String, relationship: String, object: PersistentIdentifier?)
    /// A property cannot be assigned to, for the reason that is given.
    case unassignable(entity: String, property: String, reason: String)
    /// An assigned object was never saved, or is of another store or entity.
    case invalidReference(entity: String, property: String, PersistentIdentifier)
    /// The sum that a derived attribute is, or one of several, `Owner.total`, would leave the range of 64 bits.
    case derivedOverflow([String])
    /// A transformer or encoder could not make bytes of a value of a row to insert, counted from 0.
    case conversion(entity: String, row: Int, any Error)
    /// A value of a row to insert, counted from 0, has more bytes than SQLite allows.
    case valueTooLarge(entity: String, property: String, row: Int, limit: Int)
    /// A large value could not be written into a file beside the store, for the reason that the system gives.
    case externalData(file: URL, reason: String)
    /// An entity is abstract, so that no row can be of it.
    case abstractEntity(String)
    /// An entity belongs to another model than the store's.
    case entityOfAnotherModel(String)
    /// An entity has no properties of these names.
    case unknownProperties(entity: String, properties: [String])
    /// An entity has no uniqueness constraint on these properties; those that it has are on others.
    case unknownConstraint(entity: String, properties: [String], known: [[String]])
    /// An operation in chunks cannot be carried out in an order, or from an offset on.
    case orderedChunks(entity: String)
    /// A number of rows that a chunk is to have is not positive.
    case invalidChunkSize(Int)
    /// The context saves, or carries out a batch operation, already.
    case busy
    /// The store does not allow writing.
    case readOnly(URL)
    /// An operation in chunks came to an end early. The rows of the chunks before are changed, so many of them.
    case incomplete(rows: Int, any Error)
    /// SQLite failed: the disk is full, say.
    case sqlite(SQLiteError, doing: String)
}

/// A value of one row that breaks a rule of the model.
public struct BatchValueFailure: Sendable, Hashable {
    /// The name of the entity.
    public var entity: String
    /// The name of the property.
    public var property: String
    /// The value; nil where it is not known.
    public var value: SQLiteValue?
    /// The rule.
    public var rule: ValidationFailure.Rule
    /// The row's place among those to insert, counted from 0; nil for an update.
    public var row: Int?
    /// The object whose row would get the value; nil for an insertion, and for a value that all rows would get.
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
        case .belowMinimum(let bound): "is \(shown), less than \(Self.shown(bound))"
        case .aboveMaximum(let bound): "is \(shown), more than \(Self.shown(bound))"
        case .tooShort(let count): "is shorter than \(count): \(shown)"
        case .tooLong(let count): "is longer than \(count): \(shown)"
        case .patternMismatch(let pattern): "does not match \(pattern): \(shown)"
        case .custom(let reason): reason
        case .deletionDenied, .tooFewObjects, .tooManyObjects: "breaks a rule"
        }
    }

    private var shown: String { value.map(Self.shown) ?? "a value" }

    private static func shown(_ value: SQLiteValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text.count > 100 ? "“\(text.prefix(100))…”" : "“\(text)”"
        case .blob(let bytes): "\(bytes.count) bytes"
        case .null: "nil"
        }
    }
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
                + (row.map { " as row \($0)" } ?? "") + ". Choose what becomes of it with onConflict."
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
