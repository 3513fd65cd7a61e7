import Synchronization

/// Lets another thread end a statement.
package final class FetchCancellation: Sendable {
    private let state = Atomic(false)

    package init() {}

    package var isCancelled: Bool { state.load(ordering: .relaxed) }

    package func cancel() { state.store(true, ordering: .relaxed) }

    /// Runs a closure whose statements end soon after the cancellation; it throws `CancellationError` then.
    package func run<Result>(_ connection: Connection, _ body: (Connection) throws -> Result) throws -> Result {
        if isCancelled { throw CancellationError() }
        install(on: connection)
        connection.cancellation = self
        defer {
            connection.cancellation = nil
            sqlite3_progress_handler(connection.database, 0, nil, nil)
        }
        do {
            return try withExtendedLifetime(self) { try body(connection) }
        } catch let error as SQLiteError where error.code & 0xFF == SQLITE_INTERRUPT && isCancelled {
            throw CancellationError()
        }
    }

    /// Has the connection ask whether to end its statement. Not `sqlite3_interrupt`, which has no effect between two
    /// statements.
    package func install(on connection: Connection) {
        sqlite3_progress_handler(
            connection.database, 1000,
            { cancellation in
                guard let cancellation else { return 0 }
                return Unmanaged<FetchCancellation>.fromOpaque(cancellation).takeUnretainedValue().isCancelled ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
