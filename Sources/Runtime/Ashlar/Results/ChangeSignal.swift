import Synchronization

/// Signals commits and the tables that they changed to a waiting task. Any task may send the signal.
final class ChangeSignal: CommitListener {
    /// The commits since the last call.
    struct Changes: Sendable {
        /// The changed tables, with the bit masks of the columns.
        var columns: [UInt16: UInt64] = [:]
        /// Whether others may have changed any table.
        var isUnknown = false

        func concerns(_ scope: ResultScope) -> Bool {
            isUnknown
                || columns.contains { $0.value != 0 && $0.key == scope.root || scope.follows($0.key, $0.value) }
        }
    }

    private let changes = Mutex(Changes())
    private let continuation: AsyncStream<Void>.Continuation
    /// A stream with one pending element after any number of commits.
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

    /// Wakes the waiting task without recording changes, which it determines itself.
    func wake() { continuation.yield() }

    func take() -> Changes {
        changes.withLock { changes in
            defer { changes = Changes() }
            return changes
        }
    }
}
