import Synchronization

/// Results that are kept up to date with the changes of a context.
protocol LiveResults: AnyObject {
    /// Records that objects of the context changed in memory or were read again.
    func note(_ changes: ContextChanges)
    /// Records that an object's values changed.
    func note(_ object: ManagedObject)
    /// Records that the context merged a save of another context.
    func note(_ notification: ContextNotification)
    /// Records that objects were saved for the first time, and have new identifiers.
    func noteSaved(_ inserted: [ManagedObject])
    /// Records that unknown rows of some tables changed, in the given columns.
    func noteUnknownChanges(of columns: [UInt16: UInt64])
    /// Records that another process or container changed the store in an unknown way.
    func noteUnknownChanges()
    /// Brings the results up to date.
    func update()
}

/// The live results of a context.
struct LiveResultsList {
    private struct Reference {
        weak var results: (any LiveResults)?
        let identity: ObjectIdentifier
    }

    private var references: [Reference] = []
    var remoteChanges: RemoteChangeFlag?
    var isUpdating = false

    var isEmpty: Bool { references.isEmpty }
    var all: [any LiveResults] { references.compactMap(\.results) }

    mutating func add(_ results: any LiveResults) {
        if references.contains(where: { $0.identity == ObjectIdentifier(results) }) { return }
        references.append(Reference(results: results, identity: ObjectIdentifier(results)))
    }

    mutating func remove(_ identity: ObjectIdentifier) {
        references.removeAll { $0.identity == identity }
        if references.isEmpty { remoteChanges = nil }
    }
}

/// A flag that is set when another process or container commits, until ``take()`` resets it.
final class RemoteChangeFlag: Sendable {
    private final class State: Sendable {
        let isSet = Atomic(false)
    }

    private let state = State()
    // A task that waits for changes would keep the store open for a while after it was cancelled.
    private let changes: RemoteChangeObservation
    private let pool: ConnectionPool
    private let observer: Int

    init(_ container: ModelContainer, _ wake: (@Sendable () -> Void)?) {
        pool = container.pool
        // While the connections were suspended, reads may have failed, so everything is read again.
        observer = pool.suspensionObservers.add { [state] isSuspended in
            if isSuspended { return }
            state.isSet.store(true, ordering: .releasing)
            wake?()
        }
        changes = RemoteChangeObservation(of: container.stores) { [state] _ in
            state.isSet.store(true, ordering: .releasing)
            wake?()
        }
    }

    deinit {
        changes.stop()
        pool.suspensionObservers.remove(observer)
    }

    func take() -> Bool { state.isSet.exchange(false, ordering: .acquiring) }
}

extension ModelContext {
    func addLiveResults(_ results: any LiveResults) {
        listeners.liveResults.add(results)
        if listeners.liveResults.remoteChanges == nil, parent == nil, !container.configuration.isStoredInMemoryOnly {
            listeners.liveResults.remoteChanges = RemoteChangeFlag(container) { [wake, hub = container.hub] in
                wake?()
                hub.wake()
            }
        }
        updateEvents()
    }

    func removeLiveResults(_ results: any LiveResults) {
        listeners.liveResults.remove(ObjectIdentifier(results))
        updateEvents()
    }

    /// Notifies live results that a derived value of an object changed.
    func noteDerivedChange(of object: ManagedObject) {
        for results in listeners.liveResults.all { results.note(object) }
    }

    /// Notifies live results of those changes of a save that were not reported before.
    ///
    /// - Parameters:
    ///   - changes: The deleted objects, and those that conflicts with others changed.
    ///   - inserted: The objects that were saved for the first time.
    func noteSave(_ changes: ContextChanges, _ inserted: [ManagedObject]) {
        // Usually all changes were reported before.
        if !changes.isEmpty || !inserted.isEmpty {
            for results in listeners.liveResults.all {
                results.note(changes)
                results.noteSaved(inserted)
            }
        }
        updateLiveResults()
    }

    /// Brings all live results up to date.
    func updateLiveResults() {
        // A delegate may save and thereby call this method again; its changes are reported after the others.
        if listeners.liveResults.isUpdating { return }
        listeners.liveResults.isUpdating = true
        defer { listeners.liveResults.isUpdating = false }
        let isUnknown = listeners.liveResults.remoteChanges?.take() ?? false
        for results in listeners.liveResults.all {
            if isUnknown { results.noteUnknownChanges() }
            results.update()
        }
    }
}
