/// When a context saves without being asked.
struct AutosaveSchedule {
    /// Whether the context saves by itself.
    var isOn = false
    /// Whether the context is woken to save, rather than that who uses it has it process its changes.
    var isWoken = false
    /// Whether the context was woken, and is yet to save.
    private(set) var isScheduled = false
    /// Receives the errors of autosaves; nil if the next throwing call throws them.
    var failureHandler: ((ModelContext, any Error) -> Void)?
    /// The conflicts that were reported last, which need not be reported again.
    var reportedConflicts: [PersistentIdentifier: Int64] = [:]
    /// When another process was found writing by a save that is yet to be done.
    private var postponement: ContinuousClock.Instant?

    init() {}

    /// Returns whether the context is to be woken for a change: once for all changes until it saves.
    mutating func schedule() -> Bool {
        guard isOn, isWoken, !isScheduled else { return false }
        isScheduled = true
        return true
    }

    /// Notes that the context is to try again, by whatever wakes it then.
    mutating func scheduleRetry() { isScheduled = true }

    /// Notes that the context looks whether it has to save.
    mutating func begin() { isScheduled = false }

    /// Notes that the save was done, or failed for good.
    mutating func end() { postponement = nil }

    /// Returns whether the conflicts differ from those that were reported last.
    mutating func isNew(_ conflicts: [MergeConflict]) -> Bool {
        let new = Dictionary(conflicts.map { ($0.object, $0.newVersion) }, uniquingKeysWith: { first, _ in first })
        defer { reportedConflicts = new }
        return new != reportedConflicts
    }

    /// Returns whether to try again later to save, as other processes have not been writing for as long as the context
    /// waits.
    mutating func postpones(for busyTimeout: Duration) -> Bool {
        let now = ContinuousClock.now
        let since = postponement ?? now
        postponement = since
        return now - since < busyTimeout
    }
}
