/// Why nothing of a save was stored. The context keeps its changes, so that they can be mended and saved again.
public enum SaveError: Error, Sendable {
    /// Objects that break a rule of the model.
    case validation([ValidationFailure])
    /// Rows that were changed or deleted by someone else since this context read them.
    case conflict([PersistentIdentifier])
    /// An object whose values another row has already, though the model says that they are unique.
    case notUnique(PersistentIdentifier, properties: [String])
    /// A row that SQLite refused, with the object where it is known.
    case constraint(PersistentIdentifier?, SQLiteError)
    /// A transformer or encoder that could not make bytes of a value.
    case conversion(PersistentIdentifier, any Error)
    /// The container does not allow saving.
    case readOnly
    /// SQLite failed: the disk is full, say, or another process holds the store for too long.
    case sqlite(SQLiteError)
}

/// One rule of the model that one object breaks.
public struct ValidationFailure: Sendable, Hashable {
    /// The rules that a save checks.
    public enum Rule: Sendable, Hashable {
        /// A required relationship leads nowhere.
        case missingRequiredValue
        /// A relationship forbids the deletion while it leads to an object.
        case deletionDenied
    }

    public var object: PersistentIdentifier
    public var entity: String
    public var property: String
    public var rule: Rule
}

extension ValidationFailure: CustomStringConvertible {
    public var description: String {
        switch rule {
        case .missingRequiredValue: "\(entity).\(property) of \(object) is required and has no value"
        case .deletionDenied: "\(object) cannot be deleted while \(entity).\(property) leads to an object"
        }
    }
}

extension SaveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .validation(let failures): "Nothing was saved: " + failures.map(\.description).joined(separator: "; ")
        case .conflict(let objects):
            "Nothing was saved: someone else changed or deleted "
                + objects.map(\.description).joined(separator: ", ")
                + " since this context read them. Roll back, or fetch them in a new context."
        case .notUnique(let object, let properties):
            "Nothing was saved: another object has the same \(properties.joined(separator: " and ")) as \(object)."
        case .constraint(let object, let error):
            "Nothing was saved\(object.map { ", because of \($0)" } ?? ""): \(error)"
        case .conversion(let object, let error): "Nothing was saved: a value of \(object) has no bytes: \(error)"
        case .readOnly: "Nothing was saved: the container does not allow saving."
        case .sqlite(let error): "Nothing was saved: \(error)"
        }
    }
}
