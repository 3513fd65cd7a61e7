/// Saving without being asked.
extension ModelContext {
    /// Whether the context saves by itself.
    ///
    /// The main context, where this is true at first, saves soon after a change, when the main actor has nothing else to
    /// do. Any other context, where it is false, saves whenever it processes its pending changes, as at the end of
    /// ``BackgroundContext/perform(_:)``. An error of such a save is thrown by the context's next throwing call, and the
    /// changes stay. SwiftData's property of the same name.
    public var autosaveEnabled: Bool {
        get { autosaves }
        set {
            autosaves = newValue
            if newValue, hasChanges { scheduleAutosave() }
        }
    }

    /// Has the main context process its changes soon, once for all changes until then.
    func scheduleAutosave() {
        guard autosaves, isWokenToSave, !isAutosaveScheduled, let wake else { return }
        isAutosaveScheduled = true
        wake()
    }

    func autosave() {
        isAutosaveScheduled = false
        guard autosaves, !isBusy, deferredError == nil, hasChanges, !container.isReadOnly else { return }
        do {
            try save()
        } catch {
            recordError(error)
        }
    }
}
