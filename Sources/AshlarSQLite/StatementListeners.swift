import Synchronization

/// One who listens for a while to the statements of contexts, beside the observer that they have.
package protocol StatementListener: AnyObject, Sendable {
    /// Whether the statements of a context are of interest.
    func listens(to context: AnyObject) -> Bool

    /// Gets a statement after it ended, on the thread that ran it.
    func note(_ event: StatementEvent)

    /// Gets the connection on which statements ran, once nothing is told of what runs on it.
    func didRun(on connection: Connection)
}

/// Those who listen to the statements of one container; mostly nobody.
package final class StatementListeners: Sendable {
    private let count = Atomic(0)
    private let listeners = Mutex<[any StatementListener]>([])

    package init() {}

    /// Whether nobody listens, which is asked for each statement.
    @inline(__always) package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    package func add(_ listener: any StatementListener) {
        listeners.withLock {
            $0.append(listener)
            count.store($0.count, ordering: .relaxed)
        }
    }

    package func remove(_ listener: any StatementListener) {
        listeners.withLock {
            $0.removeAll { $0 === listener }
            count.store($0.count, ordering: .relaxed)
        }
    }

    /// Runs a closure, and tells an observer and those who listen to a context of the statements that it ran on a
    /// connection.
    package func trace(
        _ connection: Connection, of context: AnyObject, name: String?, beside observer: StatementObserver?,
        _ body: () throws -> Void
    ) rethrows {
        let listeners = listeners.withLock { $0 }.filter { $0.listens(to: context) }
        let all = listeners.reduce(observer) { others, listener in
            StatementObserver { listener.note($0) }.joined(with: others)
        }
        guard let all else { return try body() }
        defer { for listener in listeners { listener.didRun(on: connection) } }
        try StatementTracer(all, contextName: name).trace(connection, body)
    }
}
