import Observation

/// Those who want to know what happens in a context: observers, an undo manager, live results, the Observation library.
///
/// While anybody wants to know of each change there is an event, which gathers what happens.
final class ContextListeners {
    /// What happened since pending changes were processed; nil while nobody wants to know.
    private(set) var event: ContextEvent?
    /// Those who are told of what happens.
    var observers = ContextObservers()
    /// Results that follow the context.
    var liveResults = LiveResultsList()
    /// Undoes and redoes changes; nil follows none.
    private(set) var undoManager: ModelUndoManager?
    /// Whether objects report to the Observation library.
    var observesObjects = false
    /// The Observation library's part of it.
    lazy var registrar = ObservationRegistrar()
    /// The bits of the changed columns of objects that tell of every change.
    private var watchedChanges: [ObjectIdentifier: UInt64] = [:]

    init() {}

    // MARK: Events

    /// Whether anybody wants to know of each change.
    private var needsEvents: Bool {
        undoManager != nil || observers.wants(.objectsDidChange) || !liveResults.isEmpty
    }

    /// Begins an event of which nothing happened yet, where anybody wants to know.
    func beginEvent() { event = needsEvents ? ContextEvent(keepsValues: undoManager != nil) : nil }

    /// Ends the present event and begins the next; nil where nothing happened.
    func takeEvent() -> ContextEvent? {
        guard let event, !event.isEmpty else { return nil }
        beginEvent()
        return event
    }

    /// Begins or ends to follow each change, as listeners come and go.
    ///
    /// - Parameters:
    ///   - pending: The objects that have to tell of every change then.
    ///   - tell: Tells those who followed until now of the present event, where another one is needed.
    func update(_ pending: PendingChanges, tell: () -> Void) {
        if !needsEvents {
            event = nil
            for object in pending.inserted { unwatch(object) }
            for object in pending.changed { unwatch(object) }
        } else if event == nil {
            beginEvent()
            for object in pending.inserted { watch(object) }
            for object in pending.changed { watch(object) }
        } else if event?.keepsValues != (undoManager != nil) {
            tell()
            beginEvent()
        }
    }

    /// Has an undo manager follow a context from now on, in the place of any before it.
    func setUndoManager(_ manager: ModelUndoManager?, of context: ModelContext) {
        let before = undoManager
        undoManager = manager
        before?.attach(to: nil)
        manager?.attach(to: context)
    }

    // MARK: Objects that tell of every change

    /// Has an object tell of every change instead of the first of each property.
    func watch(_ object: ManagedObject) {
        guard !object.record.isWatched else { return }
        watchedChanges[ObjectIdentifier(object)] = object.record.changes
        object.record.changes = 0
        object.record.isWatched = true
    }

    /// Has an object tell of the first change of each property again.
    func unwatch(_ object: ManagedObject) {
        guard object.record.isWatched else { return }
        object.record.changes = watchedChanges.removeValue(forKey: ObjectIdentifier(object)) ?? 0
        object.record.isWatched = false
    }

    /// The bits of the columns that were set of a watched object.
    func changes(of object: ManagedObject) -> UInt64 { watchedChanges[ObjectIdentifier(object)] ?? 0 }

    func setChanges(_ bits: UInt64, of object: ManagedObject) { watchedChanges[ObjectIdentifier(object)] = bits }

    /// Forgets all objects that tell of every change.
    func forgetWatched() { watchedChanges = [:] }

    /// Whether no object tells of every change.
    var watchesNothing: Bool { watchedChanges.isEmpty }
}
