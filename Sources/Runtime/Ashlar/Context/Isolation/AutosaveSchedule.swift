/// The state of a context's autosaves.
struct AutosaveSchedule {
    /// Whether the context saves automatically.
    var isOn = false
    /// Whether the context is woken to save. Otherwise its user calls ``ModelContext/processPendingChanges()``.
    var isWoken = false
    /// Whether the context was woken and has not saved yet.
    private(set) var isScheduled = false
    /// Receives the errors of autosaves; nil if the next throwing call throws them.
    var failureHandler: ((ModelContext, any Error) -> Void)?
    /// The conflicts that were reported last, which are not reported again.
    var reportedConflicts: [PersistentIdentifier: Int64] = [:]
    /// The time when a save that is still due first found another process writing.
    private var postponement: ContinuousClock.Instant?

    init() {}

    /// Returns whether to wake the context for a change: once for all changes until it saves.
    mutating func schedule() -> Bool {
        guard isOn, isWoken, !isScheduled else { return false }
        isScheduled = true
        return true
    }

    /// Records that the context will be woken to try again.
    mutating func scheduleRetry() { isScheduled = true }

    /// Records that the context checks whether it has to save.
    mutating func begin() { isScheduled = false }

    /// Records that the save was done or failed for good.
    mutating func end() { postponement = nil }

    /// Returns whether the conflicts differ from those that were reported last.
    mutating func isNew(_ conflicts: [MergeConflict]) -> Bool {
        let new = Dictionary(conflicts.map { ($0.object, $0.newVersion) }, uniquingKeysWith: { first, _ in first })
        defer { reportedConflicts = new }
        return new != reportedConflicts
    }

    /// Returns whether to postpone the save. After the busy timeout, the context gives up waiting for other processes
    /// to finish writing.
    mutating func postpones(for busyTimeout: Duration) -> Bool {
        let now = ContinuousClock.now
        let since = postponement ?? now
        postponement = since
        return now - since < busyTimeout
    }
}
