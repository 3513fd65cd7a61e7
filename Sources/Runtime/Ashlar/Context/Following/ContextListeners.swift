import Observation

/// Those who want to know what happens in a context: observers, an undo manager, live results, the Observation library.
///
/// While anybody wants to know of each change there is an event, which gathers what happens.
final class ContextListeners {
    /// The changes since pending changes were processed; nil while there are no observers.
    @exclusivity(unchecked) private(set) var event: ContextEvent? {
        didSet { eventReference = event.map { Unmanaged.passUnretained($0) } }
    }
    /// The same, to be asked without counting the reference.
    @exclusivity(unchecked) private var eventReference: Unmanaged<ContextEvent>?
    /// The observers of a context.
    var observers = ContextObservers()
    /// Results that follow the context.
    var liveResults = LiveResultsList()
    /// Undoes and redoes changes; nil follows none.
    private(set) var undoManager: ModelUndoManager?
    /// Whether the context keeps what changes, as it may have to take it back.
    var isRecording = false
    /// Whether objects report to the Observation library.
    var observesObjects = false
    /// The Observation library's part of it.
    lazy var registrar = ObservationRegistrar()

    init() {}

    // MARK: Events

    /// Calls a closure with the present event, if there is one, without counting the reference. The closure must not end it.
    @inline(__always)
    func withEvent(_ body: (ContextEvent) -> Void) {
        eventReference?._withUnsafeGuaranteedRef(body)
    }

    /// Whether anybody wants to know of each change.
    private var needsEvents: Bool { keepsValues || hasOthers }

    /// Whether what objects were is kept.
    var keepsValues: Bool { undoManager != nil || isRecording }

    /// Whether others than an undo manager want to know of each change.
    var hasOthers: Bool { observers.wants(.objectsDidChange) || !liveResults.isEmpty }

    /// Begins an event of which nothing happened yet, where anybody wants to know.
    func beginEvent() { event = needsEvents ? ContextEvent(keepsValues: keepsValues) : nil }

    /// Ends the present event and begins the next; nil where nothing happened.
    func takeEvent() -> ContextEvent? {
        guard let event, !event.isEmpty else { return nil }
        beginEvent()
        return event
    }

    /// Begins or ends to follow each change, as listeners come and go.
    ///
    /// - Parameters:
    ///   - pending: The objects that must then report every change.
    ///   - tell: Notifies the former observers of the present event, if another one is needed.
    func update(_ pending: PendingChanges, tell: () -> Void) {
        if !needsEvents {
            event = nil
            for object in pending.inserted { object.record.isWatched = false }
            for object in pending.changed { object.record.isWatched = false }
        } else if event == nil {
            beginEvent()
            for object in pending.inserted { object.record.isWatched = true }
            for object in pending.changed { object.record.isWatched = true }
        } else if event?.keepsValues != keepsValues {
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
}
