import AshlarSQLite
public import SystemFoundation

/// Why nothing of a save was stored; see ``partlySaved(_:failed:_:)`` for the exception. The context keeps its changes, so
/// that they can be mended and saved again.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SaveError: Error, Sendable {
    /// Objects that break rules: all that were found.
    case validation([ValidationFailure])
    /// Rows that were changed or deleted by someone else since this context read them, which the context's
    /// ``ModelContext/mergePolicy`` leaves to the program.
    case conflict([MergeConflict])
    /// An object whose values another row has already, though the model says that they are unique.
    case notUnique(PersistentIdentifier, properties: [String])
    /// A row that SQLite refused, with the object where it is known.
    case constraint(PersistentIdentifier?, SQLiteError)
    /// A value that has more bytes than SQLite allows in a row (a billion, unless it is built for others), with its
    /// object and property; without a property, the values of a row are too large together.
    case valueTooLarge(PersistentIdentifier?, entity: String?, property: String?, limit: Int)
    /// The sum that a derived attribute is, or one of several, `Owner.total`, would leave the range of 64 bits; with the
    /// object whose row was written, where it is known.
    case derivedOverflow([String], PersistentIdentifier?)
    /// A transformer or encoder that could not make bytes of a value.
    case conversion(PersistentIdentifier, any Error)
    /// A large value that could not be written into a file beside the store, for the reason that the system gives, with
    /// the object where it is known.
    case externalData(PersistentIdentifier?, file: URL, reason: String)
    /// Objects that change at every round of ``ManagedObjectLifecycle/willSave()``, so that the save found no end.
    case unsettled([PersistentIdentifier])
    /// The container does not allow saving.
    case readOnly
    /// The store of some of the changed objects, one of several in the container, cannot be written.
    case readOnlyStore(URL, entity: String)
    /// The disk failed while the stores of a container were committed one after the other: the changes of the objects in
    /// some stores are saved, and those in the others are still pending in the context.
    case partlySaved([URL], failed: [URL], SQLiteError)
    /// The disk failed while several stores were committed, and it cannot be read which of them are. The context saves
    /// nothing until it is rolled back.
    case unknownOutcome(SQLiteError)
    /// SQLite failed: the disk is full, say, or another process holds the store for too long.
    case sqlite(SQLiteError)
}

extension SaveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .validation(let failures): "Nothing was saved: " + failures.map(\.description).joined(separator: "; ")
        case .conflict(let conflicts):
            "Nothing was saved: " + conflicts.map(\.description).joined(separator: "; ")
                + ". Refresh or roll back these objects, or give the context a merge policy."
        case .notUnique(let object, let properties):
            "Nothing was saved: another object has the same \(properties.joined(separator: " and ")) as \(object)."
        case .constraint(let object, let error):
            "Nothing was saved\(object.map { ", because of \($0)" } ?? ""): \(error)"
        case .valueTooLarge(let object, let entity, let property, let limit):
            "Nothing was saved: \(property.map { "\(entity ?? "").\($0)" } ?? "the values")"
                + (object.map { " of \($0)" } ?? " of a row")
                + " \(property == nil ? "have" : "has") more than the \(limit) "
                + "bytes that SQLite allows in a row. Let the model keep large values in files (Allows External Storage)."
        case .derivedOverflow(let attributes, let object):
            "Nothing was saved\(object.map { ", because of \($0)" } ?? ""): the derived sum "
                + "\(attributes.joined(separator: " or ")) would leave the range of 64-bit integers. Store less, or sum up "
                + "floating-point numbers."
        case .conversion(let object, let error): "Nothing was saved: a value of \(object) has no bytes: \(error)"
        case .externalData(let object, let file, let reason):
            "Nothing was saved\(object.map { ", because of \($0)" } ?? ""): \(ExternalDataError(url: file, reason: reason))"
        case .unsettled(let objects):
            "Nothing was saved: willSave() of \(objects.map(\.description).joined(separator: ", ")) makes a change each "
                + "time that it is called. Compare before you set."
        case .readOnly: "Nothing was saved: the container does not allow saving."
        case .readOnlyStore(let url, let entity):
            "Nothing was saved: \(url.path), the store of \(entity), cannot be written. Roll back the changes of its objects."
        case .partlySaved(let saved, let failed, let error):
            "The objects in \(saved.map(\.path).joined(separator: ", ")) were saved, those in "
                + "\(failed.map(\.path).joined(separator: ", ")) were not and can be saved again: \(error)"
        case .unknownOutcome(let error):
            "It is not known which of the container's stores were saved: \(error). Roll the context back, and fetch."
        case .sqlite(let error): "Nothing was saved: \(error)"
        }
    }
}
