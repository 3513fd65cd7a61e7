import Dispatch
import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Watches a store's write-ahead log, and asks SQLite whether a change of it was a commit by others.
final class RemoteChangeWatcher: Sendable {
    /// When SQLite is asked after the log was written, in milliseconds. Its pages come before the commit that counts
    /// them, and with `synchronous=FULL` a wait for the disk is between.
    private static let delays = [10, 40, 160, 640, 2560]

    private struct State {
        var dataVersion: Int64?
        var source: (any DispatchSourceProtocol)?
        /// Counts the changes of the log, so that of several in short order the last one is followed up.
        var round = 0
        /// Whether the first question after a change is still to come, so that a steady stream of them has one at a time.
        var isWaiting = false
        var isStopped = false
    }

    private let store: PersistentStore
    private let report: @Sendable (RemoteChange.Kind) -> Void
    private let queue = DispatchQueue(label: "ashlar.remote-changes")
    private let state: Mutex<State>

    init(store: PersistentStore, report: @escaping @Sendable (RemoteChange.Kind) -> Void) {
        self.store = store
        self.report = report
        state = Mutex(State(dataVersion: store.dataVersion()))
    }

    /// Begins to watch. What was committed since this object was made is told too.
    func start() {
        state.withLock { state in
            state.source = makeSource { [weak self] in self?.logDidChange() }
            state.source?.resume()
        }
        logDidChange()
    }

    /// Ends the watch, and lets go of the store when no question to SQLite is under way.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.source?.cancel()
            state.source = nil
        }
    }

    private func logDidChange() {
        let isFirst = state.withLock { state in
            state.round += 1
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

    /// Asks now, and again later unless the log is written meanwhile, after which the questions begin anew.
    private func ask(_ round: Int, attempt: Int) {
        guard state.withLock({ $0.round == round && !$0.isStopped }) else { return }
        if let found = store.dataVersion() {
            let isChange = state.withLock { state in
                defer { state.dataVersion = found }
                return state.dataVersion != nil && state.dataVersion != found && !state.isStopped
            }
            if isChange { report(store.kindOfRemoteChange()) }
        }
        let next = attempt + 1
        guard next < Self.delays.count else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.delays[next])) { [weak self] in
            self?.ask(round, attempt: next)
        }
    }

    // MARK: The system

    /// What calls a closure when the log is written; nil where the system cannot tell.
    private func makeSource(_ handler: @escaping @Sendable () -> Void) -> (any DispatchSourceProtocol)? {
        let log = store.url.path + "-wal"
        #if canImport(Darwin)
            let descriptor = open(log, O_EVTONLY)
            guard descriptor >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
            source.setEventHandler(handler: handler)
        #else
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            guard inotify_add_watch(descriptor, log, UInt32(IN_MODIFY)) >= 0 else {
                close(descriptor)
                return nil
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler {
                // That something was told is all that counts; it must be taken off the queue.
                var buffer = [UInt8](repeating: 0, count: 4096)
                while read(descriptor, &buffer, buffer.count) > 0 {}
                handler()
            }
        #endif
        source.setCancelHandler { close(descriptor) }
        return source
    }
}
