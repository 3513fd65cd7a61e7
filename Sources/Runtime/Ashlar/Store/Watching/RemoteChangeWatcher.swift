import Dispatch
import Synchronization

/// Watches a store's write-ahead log, and queries SQLite whether a change of the log was a commit by others.
final class RemoteChangeWatcher: Sendable {
    /// The times of the queries after a write to the log, in milliseconds. The log's pages are written before the
    /// commit that counts them, and with `synchronous=FULL` a wait for the disk is in between.
    private static let delays = [10, 40, 160, 640, 2560]

    private struct State {
        var dataVersion: Int64?
        var source: (any DispatchSourceProtocol)?
        /// Counts the changes of the log, so that only the last of several in quick succession is followed up.
        var round = 0
        /// Whether the first query after a change is still to come, so that a steady stream of changes causes one query
        /// at a time.
        var isWaiting = false
        var isStopped = false
        /// Whether the stores are suspended, during which nothing is queried.
        var isSuspended = false
        var suspensionObserver: Int?
    }

    /// Nil after ``stop()``, which waits for a query in progress: the store's file may be removed right afterwards.
    private let store: Mutex<PersistentStore?>
    private let suspensionObservers: SuspensionObservers
    private let report: @Sendable (RemoteChange.Kind) -> Void
    private let queue = DispatchQueue(label: "ashlar.remote-changes")
    private let log: LogWatch
    private let state: Mutex<State>

    /// - Parameter polls: Whether to check the log from time to time, even if the system reports changes.
    init(store: PersistentStore, polls: Bool = false, report: @escaping @Sendable (RemoteChange.Kind) -> Void) {
        self.store = Mutex(store)
        suspensionObservers = store.pool.suspensionObservers
        self.report = report
        log = LogWatch(path: store.url.path + "-wal", polls: polls, queue: queue)
        state = Mutex(State(dataVersion: store.dataVersion()))
    }

    /// Begins to watch. Commits since this object was created are reported too.
    func start() {
        let number = suspensionObservers.add { [weak self] _ in self?.watch() }
        let isStopped = state.withLock { state in
            if state.isStopped { return true }
            state.suspensionObserver = number
            return false
        }
        if isStopped { return suspensionObservers.remove(number) }
        watch()
    }

    /// Holds the watch, or begins to watch the current log, which may be another file.
    private func watch() {
        state.withLock { state in
            // Read under the lock, so that the later of two simultaneous calls decides.
            state.isSuspended = store.withLock { $0?.pool.isSuspended } ?? true
            state.source?.cancel()
            state.source = nil
            if state.isSuspended || state.isStopped { return }
            state.source = log.makeSource { [weak self] in self?.logDidChange() }
            state.source?.resume()
        }
        logDidChange()
    }

    /// Ends the watch, and releases the store.
    func stop() {
        let observer = state.withLock { state in
            state.isStopped = true
            state.source?.cancel()
            state.source = nil
            return state.suspensionObserver
        }
        if let observer { suspensionObservers.remove(observer) }
        // Released outside the lock, because the end of the store closes its connections.
        _ = store.withLock { $0.take() }
    }

    private func logDidChange() {
        let isFirst = state.withLock { state in
            state.round += 1
            if state.isSuspended { return false }
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.delays[0])) { [weak self] in
            guard let self else { return }
            let round = state.withLock { state in
                state.isWaiting = false
                return state.round
            }
            ask(round, attempt: 0)
        }
    }

    /// Queries now, and again later. If the log is written meanwhile, the queries start over.
    private func ask(_ round: Int, attempt: Int) {
        guard state.withLock({ $0.round == round && !$0.isStopped && !$0.isSuspended }) else { return }
        // The caller of stop() may be writing, so that a query that waited for the writer would wait forever.
        let answer = store.withLock { $0?.dataVersionIfFree() }
        if let found = try? answer?.get() {
            let isChange = state.withLock { state in
                defer { state.dataVersion = found }
                return state.dataVersion != nil && state.dataVersion != found && !state.isStopped
            }
            if isChange, let store = store.withLock({ $0 }) { report(store.kindOfRemoteChange()) }
        }
        let next = answer == nil ? attempt : attempt + 1
        guard next < Self.delays.count else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.delays[next])) { [weak self] in
            self?.ask(round, attempt: next)
        }
    }
}
