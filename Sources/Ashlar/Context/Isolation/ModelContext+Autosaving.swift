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
        get { autosaving.isOn }
        set {
            autosaving.isOn = newValue
            if newValue, hasChanges { scheduleAutosave() }
        }
    }

    /// Has the main context process its changes soon, once for all changes until then.
    func scheduleAutosave() {
        guard let wake, autosaving.schedule() else { return }
        wake()
    }

    func autosave() {
        autosaving.begin()
        guard autosaving.isOn, !activity.isBusy, !errors.isWaiting, hasChanges, !container.isReadOnly else { return }
        do {
            guard let wake else { return try save() }
            if try container.pool.writeAtOnce({ try save() }) != nil {
                autosaving.end()
            } else {
                autosaving.scheduleRetry()
                container.pool.whenWriterIsFree(wake)
            }
        } catch StoreError.suspended where wake != nil {
            autosaving.scheduleRetry()
            if let wake {
                container.pool.suspensionObservers.whenResumed(wake) { !container.pool.isSuspended }
            }
        } catch {
            if case StoreError.locked = error, let wake,
                autosaving.postpones(for: container.configuration.options.busyTimeout)
            {
                // Nobody tells when another process has done its writing.
                autosaving.scheduleRetry()
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100), execute: wake)
            } else {
                autosaving.end()
                errors.note(error)
            }
        }
    }
}
