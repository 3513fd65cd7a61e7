import Logging
import Synchronization

/// Relationships of saved objects that were asked for when the objects were in no context any more.
///
/// They are empty, whatever the store holds: in a context objects refer to each other by rowids, so that they do not keep
/// each other alive. A getter cannot throw, and there is no context whose next call could, so that the log is told.
enum LostRelationships {
    /// Those that the log was told of, by entity and relationship.
    static let reported = Mutex<Set<String>>([])

    /// Says once for each relationship what is wrong.
    static func report(_ relationship: RelationshipNumber, of object: ManagedObject) {
        let name = "\(object.entity.name).\(object.entity.relationships[relationship].name)"
        guard reported.withLock({ $0.insert(name).inserted }) else { return }
        Logger(label: "ashlar").warning(
            """
            \(name) of \(object.identifier) reads as empty, since the object is in no context any more. Keep the \
            ModelContext for as long as relationships of its objects are used.
            """)
    }
}
