import Synchronization

/// A listener that is notified of the statements of contexts, in addition to their observer.
package protocol StatementListener: AnyObject, Sendable {
    /// Whether the listener is interested in the statements of a context.
    func listens(to context: AnyObject) -> Bool

    /// Receives a statement after it ended, on the thread that ran it.
    func note(_ event: StatementEvent)

    /// Receives the connection of the statements after they ran. Statements that it runs there are not reported.
    func didRun(on connection: Connection)
}

/// The listeners to the statements of one container; usually none.
package final class StatementListeners: Sendable {
    private let count = Atomic(0)
    private let listeners = Mutex<[any StatementListener]>([])

    package init() {}

    /// Whether there are no listeners. Each statement checks this.
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

    /// Runs a closure, and notifies an observer and the listeners of a context of the statements that it ran on a
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
