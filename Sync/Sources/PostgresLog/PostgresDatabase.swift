import AshlarSync
import Foundation
import Synchronization

/// A database with any number of logs.
public final class PostgresDatabase: Sendable {
    private let address: String
    private let pool: PostgresPool
    private let heads = Mutex(Heads())
    /// Appends that wait for one transaction.
    let appends: Gathering<PostgresAppend, PostgresAppend.Answer>
    /// Tokens that are asked for together.
    let accesses: Gathering<PostgresTokenUse, String?>

    private struct Heads {
        var waiting: [Int64: [UUID: CheckedContinuation<Int64?, Never>]] = [:]
        var isListening = false
    }

    /// - Parameters:
    ///   - address: As libpq takes it: a URI such as `postgresql://hub@db/ashlar`, or keywords and values.
    ///   - connections: How many are used at once.
    public init(_ address: String, connections: Int = 8) {
        self.address = address
        let pool = PostgresPool(address, connections: connections)
        self.pool = pool
        appends = Gathering { try await PostgresAppend.run($0, pool) }
        accesses = Gathering { try await PostgresTokenUse.accesses($0, pool) }
    }

    /// Runs a closure on a connection, on a thread where it may wait.
    func use<Result: Sendable>(_ body: @escaping @Sendable (PostgresConnection) throws -> Result) async throws -> Result
    { try await pool.use(body) }

    // MARK: New entries

    /// Waits until the log of a number got an entry, or for a while.
    ///
    /// - Returns: The log's head, where the server told it.
    func waitForNews(ofLog number: Int64, atMost duration: Duration) async -> Int64? {
        let id = UUID()
        listen()
        let timer = Task {
            try? await Task.sleep(for: duration)
            wake(number, id)
        }
        let head = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                heads.withLock { $0.waiting[number, default: [:]][id] = continuation }
                if Task.isCancelled { wake(number, id) }
            }
        } onCancel: {
            wake(number, id)
        }
        timer.cancel()
        return head
    }

    private func wake(_ number: Int64, _ id: UUID) {
        heads.withLock { $0.waiting[number]?.removeValue(forKey: id) }?.resume(returning: nil)
    }

    private func wakeAll(_ number: Int64?, head: Int64? = nil) {
        let woken = heads.withLock { heads -> [CheckedContinuation<Int64?, Never>] in
            let numbers = number.map { [$0] } ?? Array(heads.waiting.keys)
            return numbers.flatMap { Array((heads.waiting.removeValue(forKey: $0) ?? [:]).values) }
        }
        for continuation in woken { continuation.resume(returning: head) }
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
            for text in found {
                // A hub of an older version tells of the log alone.
                let numbers = text.split(separator: " ").map { Int64($0) }
                if let number = numbers.first ?? nil {
                    database.wakeAll(number, head: numbers.count > 1 ? numbers[1] : nil)
                }
            }
        }
    }
}
