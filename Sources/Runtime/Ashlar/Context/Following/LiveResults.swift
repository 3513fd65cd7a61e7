import Synchronization

/// Results that follow what happens in a context.
protocol LiveResults: AnyObject {
    /// Objects of the context changed, in memory or because they were read anew.
    func note(_ changes: ContextChanges)
    /// An object has other values than before.
    func note(_ object: ManagedObject)
    /// The context merged what another one saved.
    func note(_ notification: ContextNotification)
    /// Objects were saved for the first time, and have other identifiers now.
    func noteSaved(_ inserted: [ManagedObject])
    /// Rows of some tables changed, in some columns, and it is not known which.
    func noteUnknownChanges(of columns: [UInt16: UInt64])
    /// Somebody changed the store, and it is not known what.
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

/// Notes that another process, or another container, committed something, until it is looked at.
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
        // What could not be read while the stores were let go of is read again.
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

    /// Tells live results of a derived value that is another one now.
    func noteDerivedChange(of object: ManagedObject) {
        for results in listeners.liveResults.all { results.note(object) }
    }

    /// Notifies live results of those changes of a save that were not reported before.
    ///
    /// - Parameters:
    ///   - changes: What was deleted, and what conflicts with others changed.
    ///   - inserted: The objects that were saved for the first time.
    func noteSave(_ changes: ContextChanges, _ inserted: [ManagedObject]) {
        // Mostly all was told before.
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
        // A delegate may save, which comes here again; what it changed is told when the others were.
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
