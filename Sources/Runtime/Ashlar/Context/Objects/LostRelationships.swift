import Synchronization

/// Warnings about relationships of saved objects that are read after the objects lost their context.
///
/// They are empty, whatever the store contains: within a context, objects refer to each other by rowids, so that they
/// do not keep each other alive. A getter cannot throw, and no context is left to throw the error later. Objects cannot
/// retain their context, because the context retains them.
enum LostRelationships {
    /// The reported relationships, by entity and name.
    private static let reported = Mutex<Set<String>>([])

    /// Prints each relationship once, and then stops a debug build.
    static func report(_ relationship: RelationshipNumber, of object: ManagedObject) {
        let name = "\(object.entity.name).\(object.entity.relationships[relationship].name)"
        guard reported.withLock({ $0.insert(name).inserted }) else { return }
        let message = """
            \(name) of \(object.identifier) reads as empty, since the object is in no context any more. Keep the \
            ModelContext for as long as you use relationships of its objects.
            """
        RuntimeWarning.report(message)
        assertionFailure(message)
    }
}
