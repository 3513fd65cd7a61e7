/// The policy that resolves conflicts between this context and others when the context saves.
///
/// There are two kinds of conflicts. In the first, the row was changed or deleted after the context read it. In the
/// second, an inserted object has unique values that another row has.
///
///     context.mergePolicy = .mergeByPropertyStoreTrump
///     try context.save()
///
/// | Policy | Row changed elsewhere | Value taken by another row |
/// |---|---|---|
/// | ``error`` | the save fails | the save fails |
/// | ``mergeByPropertyStoreTrump`` | properties changed only here are kept | the row stays, the new object is dropped |
/// | ``mergeByPropertyObjectTrump`` | properties changed here win | the row gets the object's values that are not nil |
/// | ``overwrite`` | the object replaces the row | the row gets all values of the new object |
/// | ``rollback`` | the object's changes are discarded | the row stays, the new object is dropped |
///
/// In the following, the store's policies are ``mergeByPropertyStoreTrump`` and ``rollback``. The object's policies are
/// ``mergeByPropertyObjectTrump`` and ``overwrite``.
///
/// - Row deleted elsewhere: with the store's policies it stays deleted. With the object's it is inserted again under
///   its identifier.
/// - Object deleted here, row changed elsewhere: with the store's policies the row stays. With the object's it is
///   deleted. The same holds if the object got members elsewhere. The object's policies delete them too, or remove them
///   from it, as the deletion rule says.
/// - Changed object with a unique value of another row: the store's policies restore the object's former values. With
///   the object's, the save throws ``SaveError/notUnique(_:properties:values:)``, because they would have to delete the other
///   row.
/// - One-to-one relationship that two contexts gave different partners: with the store's policies the second keeps its
///   partner in the store, or none. With the object's it takes its new partner from the first.
/// - Property with the rule `sum`: each policy keeps the changes of both sides.
///
/// A dropped object is replaced by the object that has the values. References follow, and its
/// ``PersistentModel/persistentModelID`` becomes that of the other object. If the context already has the other object,
/// the dropped one is in no context after the save. Otherwise it becomes the row's object.
///
/// Core Data's counterpart is `NSMergePolicy`.
public struct MergePolicy: Sendable {
    /// A closure that resolves one conflict: it may change the object, and returns the policy for the rest.
    ///
    /// It receives the conflict, the object, a copy with the store's values, and a copy with the values that the
    /// context first read. The copies are in no context. The third argument is nil if the row was deleted, the fourth
    /// if the object was never saved. The save throws any error of the closure. The closure may fetch and load, but
    /// saving the context or discarding its changes fails with ``ContextError/nestedSave``.
    public typealias Resolver =
        @Sendable (
            _ conflict: MergeConflict, _ object: any PersistentModel, _ stored: (any PersistentModel)?,
            _ original: (any PersistentModel)?
        ) throws -> MergePolicy

    enum Kind {
        case error, storeTrump, objectTrump, overwrite, rollback
        case custom(Resolver)
    }

    let kind: Kind

    /// The policy that makes the save fail with ``SaveError/conflict(_:)``. It is the default.
    ///
    ///     context.mergePolicy = .error
    public static let error = MergePolicy(kind: .error)
    /// The policy that merges by property; if both sides changed a property, the store's value wins.
    ///
    ///     context.mergePolicy = .mergeByPropertyStoreTrump
    public static let mergeByPropertyStoreTrump = MergePolicy(kind: .storeTrump)
    /// The policy that merges by property; if both sides changed a property, the context's value wins.
    ///
    /// A new object with a unique value of another row updates that row, as in SwiftData.
    ///
    ///     context.mergePolicy = .mergeByPropertyObjectTrump
    public static let mergeByPropertyObjectTrump = MergePolicy(kind: .objectTrump)
    /// The policy that replaces the row with the whole object.
    ///
    ///     context.mergePolicy = .overwrite
    public static let overwrite = MergePolicy(kind: .overwrite)
    /// The policy that discards the context's changes of the object.
    ///
    ///     context.mergePolicy = .rollback
    public static let rollback = MergePolicy(kind: .rollback)

    /// Returns a policy that calls a closure for each conflict.
    ///
    ///     context.mergePolicy = .custom { conflict, object, stored, original in
    ///         if let post = object as? Post, let stored = stored as? Post {
    ///             post.likes = max(post.likes, stored.likes)
    ///         }
    ///         return .mergeByPropertyObjectTrump
    ///     }
    ///
    /// - Parameter resolve: The closure that resolves a conflict; see ``Resolver``.
    public static func custom(_ resolve: @escaping Resolver) -> MergePolicy {
        MergePolicy(kind: .custom(resolve))
    }

    var isError: Bool { if case .error = kind { true } else { false } }

    /// Returns the policy for one conflict, never a custom one: if a custom policy returns another, that is called too.
    func settled(
        _ conflict: MergeConflict, _ object: ManagedObject, _ stored: ManagedObject?, _ original: ManagedObject?
    ) throws -> MergePolicy {
        var policy = self
        while case .custom(let resolve) = policy.kind {
            guard let model = object as? any PersistentModel else { return .error }
            policy = try resolve(
                conflict, model, stored as? any PersistentModel, original as? any PersistentModel)
        }
        return policy
    }
}
