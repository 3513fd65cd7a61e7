import Synchronization

/// Tells one who waits that something was committed, and to which tables; any task may call it.
final class ChangeSignal: CommitListener {
    /// The commits since the last call.
    struct Changes: Sendable {
        /// The tables that were written, and the bits of the columns.
        var columns: [UInt16: UInt64] = [:]
        /// Whether others may have written to any table.
        var isUnknown = false

        func concerns(_ scope: ResultScope) -> Bool {
            isUnknown
                || columns.contains { $0.value != 0 && $0.key == scope.root || scope.follows($0.key, $0.value) }
        }
    }

    private let changes = Mutex(Changes())
    private let continuation: AsyncStream<Void>.Continuation
    /// Has an element when something was committed, however often.
    let wakes: AsyncStream<Void>

    init() {
        (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    func note(_ notification: ContextNotification) {
        let columns = notification.writtenColumns
        changes.withLock { $0.columns.merge(columns, uniquingKeysWith: |) }
        continuation.yield()
    }

    func noteUnknownChanges() {
        changes.withLock { $0.isUnknown = true }
        continuation.yield()
    }

    /// Wakes who waits, who knows himself what changed.
    func wake() { continuation.yield() }

    func take() -> Changes {
        changes.withLock { changes in
            defer { changes = Changes() }
            return changes
        }
    }
}
