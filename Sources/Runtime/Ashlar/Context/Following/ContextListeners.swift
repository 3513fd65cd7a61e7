import Observation

/// The listeners of a context: observers, an undo manager, live results and the Observation library.
///
/// While any listener needs every change, an event collects them.
final class ContextListeners {
    /// The changes since pending changes were processed; nil while there are no observers.
    @exclusivity(unchecked) private(set) var event: ContextEvent? {
        didSet { eventReference = event.map { Unmanaged.passUnretained($0) } }
    }
    /// The same event, for access without reference counting.
    @exclusivity(unchecked) private var eventReference: Unmanaged<ContextEvent>?
    /// The observers of a context.
    var observers = ContextObservers()
    /// The live results of the context.
    var liveResults = LiveResultsList()
    /// The undo manager; nil if changes are not recorded for undo.
    private(set) var undoManager: ModelUndoManager?
    /// Whether the context records changes because it may have to revert them.
    var isRecording = false
    /// Whether objects report to the Observation library.
    var observesObjects = false
    /// The registrar of the Observation library.
    lazy var registrar = ObservationRegistrar()

    init() {}

    // MARK: Events

    /// Calls a closure with the present event, if any, without reference counting. The closure must not end the event.
    @inline(__always)
    func withEvent(_ body: (ContextEvent) -> Void) {
        eventReference?._withUnsafeGuaranteedRef(body)
    }

    /// Whether any listener needs every change.
    private var needsEvents: Bool { keepsValues || hasOthers }

    /// Whether events keep the earlier values of objects.
    var keepsValues: Bool { undoManager != nil || isRecording }

    /// Whether listeners other than an undo manager need every change.
    var hasOthers: Bool { observers.wants(.objectsDidChange) || !liveResults.isEmpty }

    /// Begins an empty event if any listener needs it.
    func beginEvent() { event = needsEvents ? ContextEvent(keepsValues: keepsValues) : nil }

    /// Ends the present event and begins the next; returns nil if nothing happened.
    func takeEvent() -> ContextEvent? {
        guard let event, !event.isEmpty else { return nil }
        beginEvent()
        return event
    }

    /// Begins or stops recording changes, as listeners come and go.
    ///
    /// - Parameters:
    ///   - pending: The objects that must report every change while changes are recorded.
    ///   - tell: A closure that reports the present event to its listeners, if another event is needed.
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

    /// Attaches an undo manager to a context, and detaches the earlier one.
    func setUndoManager(_ manager: ModelUndoManager?, of context: ModelContext) {
        let before = undoManager
        undoManager = manager
        before?.attach(to: nil)
        manager?.attach(to: context)
    }
}
