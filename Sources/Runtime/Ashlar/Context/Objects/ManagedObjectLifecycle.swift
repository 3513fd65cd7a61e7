/// Callbacks for the important moments of an object's life, from insertion to deletion.
///
/// Adopt it in an extension of a generated class, and implement the methods you need. Each has a default that does
/// nothing. An entity that does not adopt the protocol has no cost.
///
///     extension Post: ManagedObjectLifecycle {
///         func awakeFromInsert() { created = .now }
///         func willSave() { if title.isEmpty { title = "Untitled" } }
///     }
///
/// Subclasses inherit the adoption of their superclass. They cannot override these methods, because methods of an
/// extension cannot be overridden; test the type of `self` instead. The counterparts are the methods of the same names
/// of Core Data's `NSManagedObject`.
public protocol ManagedObjectLifecycle: PersistentModel {
    /// Called once when the object is inserted into a context, with the values of its initialiser.
    ///
    /// Use it to set values that every new object has, such as its date of creation.
    func awakeFromInsert()

    /// Called when the object was created from a row of the store.
    ///
    /// Use it to compute transient attributes. Setting a transient attribute here, in ``didSave()`` or in
    /// ``awake(fromSnapshotEvents:)`` is not a change; setting another attribute is.
    func awakeFromFetch()

    /// Called once before the object's deletion takes effect, while its relationships are still intact.
    ///
    /// It may delete other objects, even those whose deletion rules delete this one.
    func prepareForDeletion()

    /// Called before each save that inserts, changes or deletes the object.
    ///
    /// Its changes are saved in the same transaction. Objects that it changes are called in turn, until nothing changes
    /// any more. Compare before you set a value: after 1,000 rounds the save throws ``SaveError/unsettled(_:)``.
    /// Saving, rolling back or resetting the context here fails with ``ContextError/nestedSave``.
    func willSave()

    /// Called after each save that inserted, changed or deleted the object.
    ///
    /// Use it to update transient attributes or caches outside of the store.
    func didSave()

    /// Called after the context replaced the object's values.
    ///
    /// Reasons are a rollback, a refresh, an undo, and the merge of values that another context saved.
    ///
    /// - Parameter events: The reasons for the new values.
    func awake(fromSnapshotEvents events: SnapshotEvents)
}

extension ManagedObjectLifecycle {
    public func awakeFromInsert() {}
    public func awakeFromFetch() {}
    public func prepareForDeletion() {}
    public func willSave() {}
    public func didSave() {}
    public func awake(fromSnapshotEvents events: SnapshotEvents) {}
}

/// The reasons why a context replaced an object's values.
///
/// ``ManagedObjectLifecycle/awake(fromSnapshotEvents:)`` receives them. Core Data's counterpart is
/// `NSSnapshotEventType`.
///
///     let events: SnapshotEvents = [.undoUpdate, .refresh]
///     if events.contains(.refresh) { print("read again") }
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
    /// The events as bits, which are those of Core Data.
    public let rawValue: Int

    /// Creates a set of events from its bits, which are those of Core Data.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// An insertion was undone.
    public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
    /// A deletion was undone.
    public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
    /// A change was undone or redone.
    public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
    /// The context discarded its changes.
    public static let rollback = SnapshotEvents(rawValue: 1 << 4)
    /// The values were read from the store again.
    public static let refresh = SnapshotEvents(rawValue: 1 << 5)
    /// A merge policy combined the object's values with those of the store.
    public static let mergePolicy = SnapshotEvents(rawValue: 1 << 6)
}

/// Validation rules that a save checks in addition to those of the model.
///
/// Adopt it in an extension of a generated class, for rules that involve several properties or other objects.
///
///     extension Event: ValidatedModel {
///         func validate(for operation: SaveOperation) throws {
///             if operation != .delete, end < start {
///                 throw ValidationFailure(self, property: "end", "An event ends after it begins.")
///             }
///         }
///     }
///
/// The counterparts are Core Data's `validateForInsert`, `validateForUpdate` and `validateForDelete`.
public protocol ValidatedModel: PersistentModel {
    /// Throws an error if the object violates a rule.
    ///
    /// A save calls it after it has checked the rules of the model, even if one of them is violated. The method must
    /// not change anything.
    ///
    /// - Parameter operation: The operation that the save is about to perform with the object.
    /// - Throws: A ``ValidationFailure``, a ``SaveError/validation(_:)`` of several, or any other error. If another
    ///   error is the only failure of a save, the save throws it as it is. Otherwise it becomes the
    ///   ``ValidationFailure/underlyingError`` of one of the failures.
    func validate(for operation: SaveOperation) throws
}

/// The operation that a save performs with an object.
///
/// ``ValidatedModel/validate(for:)`` receives it.
public enum SaveOperation: Sendable, Hashable {
    /// The object's row is inserted, changed or deleted.
    case insert, update, delete
}
