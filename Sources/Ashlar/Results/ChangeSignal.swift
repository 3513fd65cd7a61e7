import Synchronization

/// Tells one who waits that something was committed, and to which tables; any task may call it.
final class ChangeSignal: Sendable {
    /// What was committed since it was last asked for.
    struct Changes: Sendable {
        /// The tables that were written.
        var roots: Set<UInt16> = []
        /// Whether others may have written to any table.
        var isUnknown = false

        func concerns(_ scope: ResultScope) -> Bool {
            isUnknown || roots.contains(scope.root) || !roots.isDisjoint(with: scope.followedRoots)
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
        let roots = notification.batch?.roots ?? Set(notification.identifiers.map(\.number.root))
        changes.withLock { $0.roots.formUnion(roots) }
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
