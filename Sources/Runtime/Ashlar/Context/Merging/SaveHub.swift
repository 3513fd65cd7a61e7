import Synchronization
import SystemFoundation

/// Distributes the saves of a container's contexts to contexts that merge them, and to readers of notifications.
final class SaveHub: Sendable {
    private struct State {
        var inboxes: [UUID: MergeInbox] = [:]
        var streams: [UUID: AsyncStream<ContextNotification>.Continuation] = [:]
        var listeners: [ObjectIdentifier: any CommitListener] = [:]
        var renumbered = RenumberedRows()
    }

    private let state = Mutex(State())
    /// The number of changes of rowids since the container was opened.
    let renumberedCount = Atomic<Int>(0)

    deinit {
        let streams = state.withLock { Array($0.streams.values) }
        for stream in streams { stream.finish() }
    }

    /// Returns whether any observer other than one inbox receives saves.
    func isObserved(besides inbox: MergeInbox?) -> Bool {
        state.withLock { state in
            !state.streams.isEmpty || !state.listeners.isEmpty
                || state.inboxes.count > (inbox.map { state.inboxes[$0.number] == nil ? 0 : 1 } ?? 0)
        }
    }

    func add(_ inbox: MergeInbox) { state.withLock { $0.inboxes[inbox.number] = inbox } }

    func remove(_ inbox: MergeInbox) { _ = state.withLock { $0.inboxes.removeValue(forKey: inbox.number) } }

    func add(_ listener: any CommitListener) { state.withLock { $0.listeners[ObjectIdentifier(listener)] = listener } }

    func remove(_ listener: any CommitListener) {
        _ = state.withLock { $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
    }

    func stream() -> AsyncStream<ContextNotification> {
        let (stream, continuation) = AsyncStream.makeStream(of: ContextNotification.self)
        let number = UUID()
        state.withLock { $0.streams[number] = continuation }
        return stream
    }

    /// Wakes the commit listeners, which then look for changes themselves.
    func wake() {
        let listeners = state.withLock { $0.listeners }
        for listener in listeners.values { listener.wake() }
    }

    /// Records changed rowids, which contexts then follow.
    func renumber(_ rows: [(row: RowKey, rowID: Int64)]) {
        if rows.isEmpty { return }
        state.withLock { state in
            for (row, rowID) in rows { state.renumbered.append(row, rowID: rowID) }
            renumberedCount.store(state.renumbered.changes.count, ordering: .releasing)
        }
    }

    /// Returns the changes of rowids after the first ones.
    func renumberings(after count: Int) -> [(row: RowKey, rowID: Int64)] {
        state.withLock { Array($0.renumbered.changes.dropFirst(count)) }
    }

    /// Returns the present rowid of a row; nil if it was never renumbered.
    func number(of row: RowKey) -> Int64? { state.withLock { $0.renumbered[row] } }

    func post(_ notification: ContextNotification, from sender: MergeInbox?) {
        let (inboxes, streams, listeners) = state.withLock { ($0.inboxes, $0.streams, $0.listeners) }
        // Inboxes come first: a reader of a notification then finds the save in every context that merges it.
        for inbox in inboxes.values where inbox !== sender { inbox.receive(notification) }
        for listener in listeners.values { listener.note(notification) }
        for (number, stream) in streams {
            // A reader that ended leaves its stream in the list.
            if case .terminated = stream.yield(notification) {
                _ = state.withLock { $0.streams.removeValue(forKey: number) }
            }
        }
    }
}

/// A listener to commits; any task may notify it.
protocol CommitListener: AnyObject, Sendable {
    /// Records a save by a context of the container.
    func note(_ notification: ContextNotification)
    /// Reports that there may be a commit. The listener looks for its changes itself.
    func wake()
}

/// The saves of others that a context has yet to merge; any task may add one.
final class MergeInbox: Sendable {
    let number = UUID()
    private let waiting = Mutex<[ContextNotification]>([])
    /// Wakes the context to read its inbox, if it may not do so by itself.
    private let wake: (@Sendable () -> Void)?

    init(wake: (@Sendable () -> Void)?) {
        self.wake = wake
    }

    func receive(_ notification: ContextNotification) {
        waiting.withLock { $0.append(notification) }
        wake?()
    }

    func takeAll() -> [ContextNotification] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
