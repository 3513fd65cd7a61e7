/// The protocol of all generated classes.
///
/// Use it as the constraint of generic functions. Its members are in an extension, so that a model can declare
/// properties of the same names; those then take precedence.
///
///     func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
///         try context.fetchCount(Model.all)
///     }
///
/// SwiftData has a protocol of the same name.
public protocol PersistentModel: ManagedObject, Identifiable {
    /// The entity's row as a value, which is `Sendable` and can be sent to any task.
    associatedtype Values: EntityValues
}

extension PersistentModel {
    /// The context that the object belongs to.
    ///
    /// It is nil before the insertion, after the deletion was saved, and after the context was reset or released.
    /// Relationships of a saved object without a context are empty. Reading one prints a warning, and stops a debug
    /// build.
    ///
    ///     if post.modelContext == nil { context.insert(post) }
    public var modelContext: ModelContext? { record.context }

    /// The object's identity, which is temporary until the first save.
    ///
    /// Send it to other tasks in place of the object.
    ///
    ///     let identifier = post.persistentModelID
    ///     let title = try await background.perform { context in
    ///         let post: Post = try context.model(for: identifier)
    ///         return post.title
    ///     }
    public var persistentModelID: PersistentIdentifier { identifier }

    /// The object's identity, unless the model gives the entity a property of this name.
    ///
    /// It is the same as ``persistentModelID``.
    public var id: PersistentIdentifier { identifier }

    /// Whether the object was inserted, changed or deleted since the last save.
    ///
    ///     if post.hasChanges { try context.save() }
    public var hasChanges: Bool {
        switch record.state {
        case .inserted, .deleted: true
        case .persisted: record.isListed
        case .detached, .gone: false
        }
    }

    /// Whether the object is inserted in a context and was never saved.
    ///
    /// Core Data's property of the same name is its counterpart.
    ///
    ///     if post.isInserted { print("not saved yet") }
    public var isInserted: Bool { record.state == .inserted }

    /// Whether the object is deleted: with the next save, by the last save, or before it was ever saved.
    ///
    /// The counterparts are the properties of the same name of SwiftData and Core Data.
    ///
    ///     guard !post.isDeleted else { return }
    public var isDeleted: Bool {
        record.state == .deleted || record.state == .gone
            || (record.state == .detached && record.version == ManagedObject.unsavedDeletion)
    }

    /// The description of the entity, for generic code.
    ///
    ///     print(Post.entity.name)
    public static var entity: EntityDescription { _ashlarEntity }
}

/// A row of an entity as a plain value, which can be sent to any task.
///
/// Each generated class has a struct `Values` of this kind. Fetching values is the fastest way to read, and inserting
/// them the fastest way to write. See ``ModelContext/fetchValues(_:)`` and
/// ``ModelContext/batchInsert(contentsOf:onConflict:)``.
///
///     let values = try context.fetchValues(Post.all)
///     let likes = values.reduce(0) { $0 + $1.likes }
public protocol EntityValues: Sendable, Equatable {
    /// The class of the entity.
    associatedtype _AshlarModel: PersistentModel
}

extension PersistentModel {
    /// Returns the objects of the class that a closure visits. The closure first reports the largest possible number of
    /// them.
    ///
    /// It is inlinable so that it is specialized for the class in the program's own module.
    @inlinable
    static func collect(_ visit: ((Int) -> Void, (ManagedObject) -> Void) -> Void) -> [Self] {
        var models: [Self] = []
        visit({ models.reserveCapacity($0) }, { if let model = $0 as? Self { models.append(model) } })
        return models
    }
}
