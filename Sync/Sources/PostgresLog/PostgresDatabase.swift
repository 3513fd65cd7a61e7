import AshlarSync
import Foundation
import Synchronization

/// A database with any number of logs: connections that are lent out one at a time, and what tells of new entries.
public final class PostgresDatabase: Sendable {
    private let address: String
    private let idle = Mutex<[Lent]>([])
    private let places: AsyncSemaphore
    /// Connections wait for the server on threads of their own, so that no task of Swift's waits for another.
    private let queue = DispatchQueue(label: "ashlar.postgres", attributes: .concurrent)
    private let heads = Mutex(Heads())

    /// Hands a connection from one thread to the next.
    private struct Lent: @unchecked Sendable { let connection: PostgresConnection }

    private struct Heads {
        var waiting: [Int64: [UUID: CheckedContinuation<Void, Never>]] = [:]
        var isListening = false
    }

    /// - Parameters:
    ///   - address: As libpq takes it: a URI such as `postgresql://hub@db/ashlar`, or keywords and values.
    ///   - connections: How many are used at once.
    public init(_ address: String, connections: Int = 8) {
        self.address = address
        places = AsyncSemaphore(connections)
    }

    /// Runs a closure on a connection, on a thread where it may wait.
    func use<Result: Sendable>(_ body: @escaping @Sendable (PostgresConnection) throws -> Result) async throws -> Result
    {
        await places.wait()
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
                let lent = try idle.withLock { $0.popLast() } ?? Lent(connection: PostgresConnection(address))
                do {
                    let result = try body(lent.connection)
                    idle.withLock { $0.append(lent) }
                    return result
                } catch {
                    if lent.connection.isGood { idle.withLock { $0.append(lent) } }
                    throw error
                }
            } catch let error as PostgresError {
                // What stood idle may have been closed by the server. Every statement here may be run twice.
                if error.isLost || error.isRetryable, attempts < 5 {
                    if error.isLost { idle.withLock { $0.removeAll() } }
                    continue
                }
                if error.isLost || error.isRetryable { throw SyncLogError.unreachable(reason: error.description) }
                throw error.state == "AS404"
                    ? SyncLogError.missing("the snapshot") : SyncLogError.refused(reason: error.description)
            }
        }
    }

    // MARK: New entries

    /// Waits until some log of a number got an entry, or for a while.
    func waitForNews(ofLog number: Int64, atMost duration: Duration) async {
        let id = UUID()
        listen()
        let timer = Task {
            try? await Task.sleep(for: duration)
            wake(number, id)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                heads.withLock { $0.waiting[number, default: [:]][id] = continuation }
                if Task.isCancelled { wake(number, id) }
            }
        } onCancel: {
            wake(number, id)
        }
        timer.cancel()
    }

    private func wake(_ number: Int64, _ id: UUID) {
        heads.withLock { $0.waiting[number]?.removeValue(forKey: id) }?.resume()
    }

    private func wakeAll(_ number: Int64?) {
        let woken = heads.withLock { heads -> [CheckedContinuation<Void, Never>] in
            let numbers = number.map { [$0] } ?? Array(heads.waiting.keys)
            return numbers.flatMap { Array((heads.waiting.removeValue(forKey: $0) ?? [:]).values) }
        }
        for continuation in woken { continuation.resume() }
    }

    /// Follows the server's notifications on a thread of its own, as long as anybody waits.
    private func listen() {
        let isFirst = heads.withLock { heads in
            defer { heads.isListening = true }
            return !heads.isListening
        }
        if !isFirst { return }
        let thread = Thread { [weak self] in
            while let database = self {
                do {
                    let connection = try PostgresConnection(database.address)
                    try connection.run("LISTEN \"ashlar\"")
                    // What came before it listened is found by those who look anew.
                    database.wakeAll(nil)
                    try Self.follow(connection) { [weak self] in self }
                } catch {
                    // The server is away. Those who wait look anew by themselves.
                    Thread.sleep(forTimeInterval: 0.2)
                }
            }
        }
        thread.start()
    }

    private static func follow(
        _ connection: PostgresConnection, _ database: () -> PostgresDatabase?
    ) throws {
        while true {
            let found = try connection.notifications(waiting: 1000)
            guard let database = database() else { return }
            for text in found { if let number = Int64(text) { database.wakeAll(number) } }
        }
    }
}

/// Lets so many tasks go on at once.
final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func signal() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
