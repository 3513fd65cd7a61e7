import Synchronization

/// Relationships of saved objects that were asked for when the objects were in no context any more.
///
/// They are empty, whatever the store holds: in a context objects refer to each other by rowids, so that they do not keep
/// each other alive. A getter cannot throw, and there is no context whose next call could. An object that kept its context
/// would be kept by it in turn.
enum LostRelationships {
    /// The reported relationships, by entity and name.
    private static let reported = Mutex<Set<String>>([])

    /// Stops a debug build; others print each relationship once.
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
