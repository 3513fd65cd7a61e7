/// An error in the use of a context, as opposed to one of the store or of a save.
///
/// Methods that cannot throw, such as ``ModelContext/insert(_:)``, record the error. The context's next throwing call
/// throws it.
///
///     do {
///         try context.save()
///     } catch ContextError.objectOfAnotherContext(let entity) {
///         print("An object of \(entity) belongs to another context.")
///     }
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ContextError: Error, Sendable, Hashable {
    /// An object of another context was inserted, or related to an object of this context.
    ///
    /// Fetch the object in this context with ``ModelContext/model(for:)->Model`` instead.
    case objectOfAnotherContext(entity: String)
    /// The class of an object belongs to another model than that of the container.
    case entityOfAnotherModel(entity: String)
    /// An object of an abstract entity was inserted.
    ///
    /// Generated code has no initialiser for abstract entities, so this needs a hand-written one.
    case abstractEntity(String)
    /// A deleted object was related to another object.
    ///
    /// Insert it again first, which takes its deletion back, or make another object.
    case deletedObject(entity: String)
    /// A context with a parent was pinned to a query generation.
    ///
    /// Such a context reads through its parent. Pin the outermost parent instead.
    case queryGenerationOfChild
    /// A save, rollback or reset was called within a save of the same context.
    ///
    /// For example, ``ManagedObjectLifecycle/willSave()``, ``ValidatedModel/validate(for:)`` or a merge policy called
    /// it. ``ManagedObjectLifecycle/didSave()`` may save.
    case nestedSave
    /// The token of a query generation comes from another store than that of the container.
    case queryGenerationOfAnotherStore
}

extension ContextError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .objectOfAnotherContext(let entity):
            "An object of \(entity) is in another context. Fetch it in this one by its persistentModelID."
        case .entityOfAnotherModel(let entity):
            "\(entity) belongs to another model than this container's."
        case .abstractEntity(let entity):
            "\(entity) is abstract, so that it has no objects. Insert one of an entity below it."
        case .deletedObject(let entity):
            "An object of \(entity) is deleted, so that nothing can refer to it. Insert it again or make another one."
        case .queryGenerationOfChild:
            "A child context reads through its parent. Set the query generation of the outermost parent."
        case .nestedSave:
            "'save()' was called from inside this context's own save. Changes by a hook or a merge policy are saved with the rest; "
                + "call save(), rollback() and reset() afterwards."
        case .queryGenerationOfAnotherStore:
            "The query generation belongs to another store. Use one of a context of the same container."
        }
    }
}
