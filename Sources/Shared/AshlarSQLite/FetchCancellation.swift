import Synchronization

/// Ends a statement from another thread.
package final class FetchCancellation: Sendable {
    private let state = Atomic(false)

    package init() {}

    package var isCancelled: Bool { state.load(ordering: .relaxed) }

    package func cancel() { state.store(true, ordering: .relaxed) }

    /// Runs a closure whose statements end soon after the cancellation. It then throws `CancellationError`.
    package func run<Result>(_ connection: Connection, _ body: (Connection) throws -> Result) throws -> Result {
        if isCancelled { throw CancellationError() }
        let outer = connection.cancellation
        connection.cancellation = self
        defer { connection.cancellation = outer }
        do {
            return try body(connection)
        } catch let error as SQLiteError where error.code & 0xFF == SQLITE_INTERRUPT && isCancelled {
            throw CancellationError()
        }
    }
}
