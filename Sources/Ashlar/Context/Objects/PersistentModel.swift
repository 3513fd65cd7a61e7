/// An object of a generated class.
///
/// The members here are those that SwiftData's `PersistentModel` has. They are in an extension, so that a model may
/// have properties of the same names; the property wins then.
public protocol PersistentModel: ManagedObject, Identifiable {
    /// The row as a value: `Sendable`, and free to cross to any task.
    associatedtype Values: EntityValues
}

extension PersistentModel {
    /// The context that the object is in; nil before its insertion, after its deletion was saved, and when the context is
    /// gone or was reset. Without one, relationships of a saved object are empty; the log is told when they are asked for.
    public var modelContext: ModelContext? { record.context }

    /// The object's identity. It is temporary until the first save.
    public var persistentModelID: PersistentIdentifier { identifier }

    /// The object's identity, unless the model gives the entity a property of this name.
    public var id: PersistentIdentifier { identifier }

    /// Whether the object has changes, or is inserted or deleted, since the last save.
    public var hasChanges: Bool {
        switch record.state {
        case .inserted, .deleted: true
        case .persisted: record.isListed
        case .detached, .gone: false
        }
    }

    /// Whether the object is inserted and was never saved.
    public var isInserted: Bool { record.state == .inserted }

    /// Whether the object will be deleted by the next save, or was by the last, or left its context by a deletion before
    /// it was ever saved.
    public var isDeleted: Bool {
        record.state == .deleted || record.state == .gone
            || (record.state == .detached && record.version == ManagedObject.unsavedDeletion)
    }

    /// The description of the entity.
    public static var entity: EntityDescription { _ashlarEntity }
}

/// A row of an entity as a plain value.
///
/// Fetching these alone is the fastest way to read, see ``ModelContext/fetchValues(_:)``, and inserting them the fastest
/// way to write, see ``ModelContext/batchInsert(contentsOf:onConflict:)``.
public protocol EntityValues: Sendable, Equatable {
    /// The class of the entity.
    associatedtype _AshlarModel: PersistentModel
}

extension PersistentModel {
    /// The objects of the class that a closure visits, which first says how many there are at most.
    ///
    /// In the program's own module it is made for the class, and need not ask what that is as it runs.
    @inlinable
    static func collect(_ visit: ((Int) -> Void, (ManagedObject) -> Void) -> Void) -> [Self] {
        var models: [Self] = []
        visit({ models.reserveCapacity($0) }, { if let model = $0 as? Self { models.append(model) } })
        return models
    }
}
