import AshlarSync
import Foundation
import Synchronization

/// Connections to a database, that are lent out one at a time.
final class PostgresPool: Sendable {
    private let address: String
    private let patience: Duration
    private let idle = Mutex<[Lent]>([])
    private let places: AsyncSemaphore
    /// Connections wait for the server on threads of their own, so that no task of Swift's waits for another.
    private let queue = DispatchQueue(label: "ashlar.postgres", attributes: .concurrent)

    /// Hands a connection from one thread to the next. It is unchecked, because only one thread takes it from the idle
    /// ones.
    private struct Lent: @unchecked Sendable { let connection: PostgresConnection }

    init(_ address: String, connections: Int, patience: Duration) {
        self.address = address
        self.patience = patience
        places = AsyncSemaphore(connections)
    }

    /// Runs a closure on a connection, on a thread where it may wait.
    func use<Result: Sendable>(_ body: @escaping @Sendable (PostgresConnection) throws -> Result) async throws -> Result
    {
        guard await places.wait() else {
            throw SyncLogError.unreachable(reason: "too many statements wait for the database")
        }
        defer { places.signal() }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Swift.Result { try run(body) })
            }
        }
    }

    private func run<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        var attempts = 0
        while true {
            attempts += 1
            do {
                let lent =
                    try idle.withLock { $0.popLast() }
                    ?? Lent(connection: PostgresConnection(address, patience: patience))
                do {
                    let result = try body(lent.connection)
                    idle.withLock { $0.append(lent) }
                    return result
                } catch {
                    if lent.connection.isGood { idle.withLock { $0.append(lent) } }
                    throw error
                }
            } catch let error as PostgresError {
                // The server may have closed an idle connection. Every statement here may run twice.
                if error.isLost || error.isRetryable, !error.isTimeout, attempts < 5 {
                    if error.isLost { idle.withLock { $0.removeAll() } }
                    continue
                }
                if error.isLost || error.isRetryable || error.isTimeout {
                    throw SyncLogError.unreachable(reason: error.description)
                }
                if error.state == "AS404" { throw SyncLogError.missing("the snapshot") }
                // Clients receive the reason of a refusal. PostgreSQL's own log has the statement and the message.
                throw SyncLogError.refused(reason: "the hub's database refused it with the SQLSTATE \(error.state)")
            }
        }
    }
}

/// Limits the number of tasks that run at once, and of those that wait.
final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let state: Mutex<State>
    private let greatestWaitingCount: Int

    init(_ count: Int, waiting greatestWaitingCount: Int = 20_000) {
        state = Mutex(State(free: max(1, count)))
        self.greatestWaitingCount = greatestWaitingCount
    }

    /// Waits for a turn.
    ///
    /// - Returns: False at once if too many tasks wait already.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                if state.waiting.count >= greatestWaitingCount { return false }
                state.waiting.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    func signal() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
