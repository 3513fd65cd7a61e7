import Dispatch

/// Saving without being asked.
extension ModelContext {
    /// Whether the context saves by itself.
    ///
    /// The main context, where this is true at first, saves soon after a change, when the main actor has nothing else to
    /// do. Any other context, where it is false, saves whenever it processes its pending changes, as at the end of
    /// ``BackgroundContext/perform(_:)``. An error of such a save is thrown by the context's next throwing call, and the
    /// changes stay. SwiftData's property of the same name.
    ///
    /// The main context's waits for nobody, so that no batch operation holds up what is shown: while another context or
    /// process writes, the changes stay pending, and are saved when it has done so.
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
            guard let wake else { return try save() }
            if try container.pool.writeAtOnce({ try save() }) != nil {
                autosavePostponement = nil
            } else {
                isAutosaveScheduled = true
                container.pool.whenWriterIsFree(wake)
            }
        } catch {
            if case StoreError.locked = error, let wake, postponesAutosave() {
                // Nobody tells when another process has done its writing.
                isAutosaveScheduled = true
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100), execute: wake)
            } else {
                autosavePostponement = nil
                recordError(error)
            }
        }
    }

    /// Whether to try again later to save, as other processes have not been writing for the busy timeout yet.
    private func postponesAutosave() -> Bool {
        let now = ContinuousClock.now
        let since = autosavePostponement ?? now
        autosavePostponement = since
        return now - since < container.configuration.options.busyTimeout
    }
}
