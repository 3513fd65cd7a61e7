/// A use of a context that cannot be carried out. A setter cannot throw, so the context's next throwing call does.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ContextError: Error, Sendable, Hashable {
    /// An object was inserted into a context, or related to an object of it, while it is in another one.
    case objectOfAnotherContext(entity: String)
    /// An object's class belongs to another model than the container's.
    case entityOfAnotherModel(entity: String)
    /// An object of an abstract entity was inserted; generated code has no initialiser that makes one.
    case abstractEntity(String)
    /// An object was inserted, or related to another one, although it is deleted.
    case deletedObject(entity: String)
    /// A context with a parent sees what the parent sees, and cannot stay at a state of the store.
    case queryGenerationOfChild
    /// A save was called by what an earlier one calls before it is done, such as ``ManagedObjectLifecycle/willSave()``,
    /// ``ValidatedModel/validate(for:)`` or a merge policy; or the context's changes were discarded there.
    case nestedSave
    /// A query generation is of another store than the container's.
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
            "The context is being saved by the very caller. What a hook or a merge policy changes is saved with the rest; "
                + "call save(), rollback() and reset() afterwards."
        case .queryGenerationOfAnotherStore:
            "The query generation is of another store. Use one of a context of the same container."
        }
    }
}
