/// What an entity's objects do at the turns of their life: adopted by an extension of a generated class.
///
///     extension Post: ManagedObjectLifecycle {
///         func awakeFromInsert() { created = .now }
///         func willSave() { if title.isEmpty { title = "Untitled" } }
///     }
///
/// Each method has a default that does nothing, and an entity that does not adopt the protocol pays nothing. A subclass
/// inherits the adoption of the class above it; a method that subclasses are to override has to be declared in the
/// class, which generated code cannot have, so ask `self` what it is instead. Core Data's methods of
/// `NSManagedObject` of the same names.
public protocol ManagedObjectLifecycle: PersistentModel {
    /// Called once when the object enters a context by an insertion, with the values of its initialiser.
    func awakeFromInsert()

    /// Called when the object was made of a row of the store. To set a transient attribute here, or in ``didSave()`` or
    /// ``awake(fromSnapshotEvents:)``, is no change; to set another one is.
    func awakeFromFetch()

    /// Called once before the object's deletion takes effect, while its relationships are still as they were. It may
    /// delete other objects, those too that delete this one.
    func prepareForDeletion()

    /// Called before each save that inserts, changes or deletes the object.
    ///
    /// What this changes is saved in the same transaction, and objects that it changes are asked in turn, until nothing
    /// changes any more. Compare before you set, since a value that changes at every call never comes to rest; after
    /// 1,000 rounds the save throws ``SaveError/unsettled(_:)``. The context cannot be saved, rolled back or reset in
    /// here: that is ``ContextError/nestedSave``.
    func willSave()

    /// Called after each save that inserted, changed or deleted the object.
    func didSave()

    /// Called after the context put other values in the place of the object's: a rollback, a refresh, an undo, or the
    /// values that another context saved.
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

/// Why an object's values are others than before. Core Data's `NSSnapshotEventType`.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    /// Makes a set of events of its bits, which are Core Data's.
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
    /// A merge policy mixed the object's values with the store's.
    public static let mergePolicy = SnapshotEvents(rawValue: 1 << 6)
}

/// Rules of the user's own that a save checks: adopted by an extension of a generated class.
///
///     extension Event: ValidatedModel {
///         func validate(for operation: SaveOperation) throws {
///             if operation != .delete, end < start {
///                 throw ValidationFailure(self, property: "end", "An event ends after it begins.")
///             }
///         }
///     }
///
/// Core Data's `validateForInsert`, `validateForUpdate` and `validateForDelete`.
public protocol ValidatedModel: PersistentModel {
    /// Throws an error if the object breaks a rule: a ``ValidationFailure``, a ``SaveError/validation(_:)`` of several, or
    /// any other error.
    ///
    /// A save calls it after it has checked the rules of the model, whether they hold or not. It must not change anything.
    /// If the only failure of a save is another error, the save throws that very error. Otherwise the error is the
    /// ``ValidationFailure/underlyingError`` of one of the failures.
    func validate(for operation: SaveOperation) throws
}

/// What a save is about to do with an object.
public enum SaveOperation: Sendable, Hashable {
    /// The object's row is inserted, changed or deleted.
    case insert, update, delete
}
