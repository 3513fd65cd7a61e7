import AshlarSQLite
public import SystemFoundation

/// An error of a save. Nothing is saved then, except for ``partlySaved(_:failed:_:)`` and ``unknownOutcome(_:)``.
///
/// The context keeps its changes, so that you can correct them and save again.
///
///     do {
///         try context.save()
///     } catch SaveError.validation(let failures) {
///         for failure in failures { print(failure) }
///     } catch SaveError.conflict(let conflicts) {
///         for conflict in conflicts { print(conflict) }
///     }
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SaveError: Error, Sendable {
    /// Objects violate rules of the model or of the program. It contains all failures that were found.
    case validation([ValidationFailure])
    /// Rows were changed or deleted in the store after this context read them, and ``ModelContext/mergePolicy`` did not
    /// resolve it.
    ///
    /// Refresh or roll back the objects, or set another merge policy, and save again.
    case conflict([MergeConflict])
    /// Another row already has the object's values, which must be unique.
    ///
    /// The values are in the order of the properties. A reference is the number of its row, and a derived value is NULL.
    /// Change the values, or set a merge policy that resolves such conflicts.
    case notUnique(PersistentIdentifier, properties: [String], values: [SQLiteValue])
    /// SQLite refused a row because of a constraint. The object is nil if it is unknown.
    case constraint(PersistentIdentifier?, SQLiteError)
    /// A value is larger than SQLite allows, usually a billion bytes.
    ///
    /// Without a property, the values of a row are too large together. Enable Allows External Storage for the attribute
    /// in the model.
    case valueTooLarge(PersistentIdentifier?, entity: String?, property: String?, limit: Int)
    /// The sum of a derived attribute such as `Owner.total` would exceed 64 bits.
    ///
    /// The object is the one whose row was written, or nil if it is unknown. Store smaller values, or sum
    /// floating-point numbers.
    case derivedOverflow([String], PersistentIdentifier?)
    /// A transformer or encoder failed to encode a value.
    ///
    /// The error is that of the transformer or encoder.
    case conversion(PersistentIdentifier, any Error)
    /// A large value could not be written to a file beside the store.
    ///
    /// The reason is the system's message. The object is nil if it is unknown.
    case externalData(PersistentIdentifier?, file: URL, reason: String)
    /// Objects changed in every round of ``ManagedObjectLifecycle/willSave()``, so the save did not end.
    ///
    /// Compare a value before you set it there.
    case unsettled([PersistentIdentifier])
    /// The container cannot be written.
    case readOnly
    /// One of the container's several stores cannot be written, and some of the changed objects belong to it.
    ///
    /// Roll back the changes of these objects.
    case readOnlyStore(URL, entity: String)
    /// The disk failed while several stores were committed one after the other.
    ///
    /// The changes in some stores are saved. Those in the failed ones are still pending in the context, and can be
    /// saved again.
    case partlySaved([URL], failed: [URL], SQLiteError)
    /// The disk failed while several stores were committed, and their state cannot be read.
    ///
    /// The context cannot save until it is rolled back. Roll it back, and fetch the objects again.
    case unknownOutcome(SQLiteError)
    /// SQLite failed, for example because the disk is full.
    case sqlite(SQLiteError)
}

extension SaveError {
    /// Returns the error that another row has the values of an object's columns.
    static func takenValues(of object: ManagedObject, _ columns: [Int]) -> SaveError {
        .notUnique(
            object.identifier, properties: columns.map { object.entity.columns[$0].property },
            // A new object has no derived value until the store computes it.
            values: columns.map { object.entity.columns[$0].isDerived ? .null : object.sqliteValue($0) })
    }
}

extension SaveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .validation(let failures): "Nothing was saved: " + failures.map(\.description).joined(separator: "; ")
        case .conflict(let conflicts):
            "Nothing was saved: " + conflicts.map(\.description).joined(separator: "; ")
                + ". Refresh or roll back these objects, or give the context a merge policy."
        case .notUnique(let object, let properties, let values):
            "Nothing was saved: another object has the same \(SQLiteValue.shown(properties, values)) as \(object)."
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
        case .conversion(let object, let error):
            "Nothing was saved: the transformer returned no data for \(object): \(error)"
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
