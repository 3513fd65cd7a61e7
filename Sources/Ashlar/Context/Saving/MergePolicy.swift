/// How a save settles what this context and others changed at the same time.
///
/// A conflict is of one of two kinds. In the first the row was changed or deleted since the context read it. In the
/// second an inserted object has values that must be unique and that another row has.
///
/// | Policy | Row changed elsewhere | Value taken by another row |
/// |---|---|---|
/// | ``error`` | the save fails | the save fails |
/// | ``mergeByPropertyStoreTrump`` | properties changed here only are kept | the row stays as it is, the new object goes |
/// | ``mergeByPropertyObjectTrump`` | properties changed here win | the row gets the new object's values that are not nil |
/// | ``overwrite`` | the object replaces the row | the row gets all values of the new object |
/// | ``rollback`` | the object's changes are discarded | the row stays as it is, the new object goes |
///
/// A row that was deleted elsewhere stays deleted with the store's policies, and is inserted again under its
/// identifier with the object's. An object that is deleted here and changed elsewhere stays with the store's policies,
/// and goes with the object's. The same holds for an object that is deleted here and got members elsewhere, which the
/// object's policies delete too, or take out of it, as the deletion rule says. Where a *changed* object collides with a row over a unique value, the store's policies
/// give it back the values that it had; the object's let the save fail with ``SaveError/notUnique(_:properties:)``,
/// since they would have to delete the other row.
///
/// Where two contexts give the object of a one-to-one relationship different partners, only the first can have it. With the
/// store's policies the second keeps the partner that it has in the store, or none; with the object's it takes its new one
/// from the first.
///
/// A new object that goes is replaced by the one that has the values: what referred to it refers to that one, and its
/// ``PersistentModel/persistentModelID`` is that one's. When that one is in the context as an object already, the
/// new object is in no context after the save; otherwise it becomes the row's object.
///
/// Core Data's `NSMergePolicy`.
public struct MergePolicy: Sendable {
    /// Decides about one conflict: it may change the object, and returns the policy that settles the rest.
    ///
    /// The objects for the stored values and for those that the context read first are copies in no context; the stored
    /// one is nil when the row was deleted, the original one nil when the object was never saved. An error that it
    /// throws is the save's. Fetching and lazy loads are allowed; to save the context, or to discard its changes, is
    /// ``ContextError/nestedSave``.
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

    /// The save fails, and says with what it conflicts. This is the default.
    public static let error = MergePolicy(kind: .error)
    /// Property by property; where both sides changed one, the store's value wins.
    public static let mergeByPropertyStoreTrump = MergePolicy(kind: .storeTrump)
    /// Property by property; where both sides changed one, the context's value wins. A new object whose unique value
    /// is taken updates the row that has it, as SwiftData does.
    public static let mergeByPropertyObjectTrump = MergePolicy(kind: .objectTrump)
    /// The whole object replaces the row.
    public static let overwrite = MergePolicy(kind: .overwrite)
    /// The context's changes of the object are discarded.
    public static let rollback = MergePolicy(kind: .rollback)

    /// A policy of the user's own, asked for each conflict.
    ///
    ///     context.mergePolicy = .custom { conflict, object, stored, original in
    ///         if let post = object as? Post, let stored = stored as? Post { post.likes = max(post.likes, stored.likes) }
    ///         return .mergeByPropertyObjectTrump
    ///     }
    public static func custom(_ resolve: @escaping Resolver) -> MergePolicy {
        MergePolicy(kind: .custom(resolve))
    }

    var isError: Bool { if case .error = kind { true } else { false } }

    /// The policy for one conflict, never a custom one: what a custom policy returns is asked in its turn.
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
