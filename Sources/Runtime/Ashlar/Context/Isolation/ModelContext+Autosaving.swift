import Dispatch

/// Automatic saving.
extension ModelContext {
    /// Whether the context saves automatically.
    ///
    /// It defaults to true for ``ModelContainer/mainContext`` and to false for other contexts.
    ///
    ///     context.autosaveEnabled = true
    ///
    /// The main context saves soon after a change, when the main actor is idle. While another context or process
    /// writes, its changes stay pending, so that the user interface never waits. Other contexts save when they process
    /// their pending changes, for example at the end of ``BackgroundContext/perform(_:)``. After an error the changes
    /// stay pending, and ``autosaveFailureHandler`` receives it. SwiftData has a property of the same name.
    public var autosaveEnabled: Bool {
        get { autosaving.isOn }
        set {
            autosaving.isOn = newValue
            if newValue, hasChanges { scheduleAutosave() }
        }
    }

    /// Receives the error of a save that the context began automatically; nil by default.
    ///
    /// The changes stay pending. The context tries again after the next change, and reports a conflict once. The
    /// handler receives both values of each ``MergeConflict``, so a property that it sets is settled.
    ///
    /// Without a handler, the context's next throwing call throws the error. A conflict is printed to standard error instead,
    /// since a fetch cannot settle it; ``save()`` throws it.
    ///
    /// ```swift
    /// context.autosaveFailureHandler = { context, error in
    ///     guard case SaveError.conflict(let conflicts) = error else { return print(error) }
    ///     for conflict in conflicts { print(conflict.object, conflict.values, conflict.storedValues) }
    /// }
    /// ```
    public var autosaveFailureHandler: ((_ context: ModelContext, _ error: any Error) -> Void)? {
        get { autosaving.failureHandler }
        set { autosaving.failureHandler = newValue }
    }

    /// Wakes the main context to process its changes soon, once for all changes until then.
    func scheduleAutosave() {
        guard let wake, autosaving.schedule() else { return }
        wake()
    }

    func autosave() {
        autosaving.begin()
        guard autosaving.isOn, activity.mayMerge, !errors.isWaiting, hasChanges, !container.isReadOnly else { return }
        do {
            guard let wake else {
                try saveUnreported()
                autosaving.reportedConflicts = [:]
                return
            }
            if try container.pool.writeAtOnce({ try saveUnreported() }) != nil {
                autosaving.end()
                autosaving.reportedConflicts = [:]
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
                // No notification follows when another process finishes writing.
                autosaving.scheduleRetry()
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100), execute: wake)
            } else {
                autosaving.end()
                report(error)
            }
        }
    }

    /// Reports the error of an autosave.
    private func report(_ error: any Error) {
        guard case .conflict(let conflicts) = error as? SaveError else {
            guard let handler = autosaving.failureHandler else { return errors.note(error) }
            return handler(self, error)
        }
        guard autosaving.isNew(conflicts) else { return }
        guard let handler = autosaving.failureHandler else { return RuntimeWarning.report("\(error)") }
        noteReport(of: conflicts)
        handler(self, error)
    }
}
