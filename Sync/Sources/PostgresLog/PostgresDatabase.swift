import AshlarSync
import Foundation
import Synchronization

/// A database with any number of logs.
public final class PostgresDatabase: Sendable {
    private let address: String
    private let pool: PostgresPool
    private let patience: Duration
    /// Asks whether the database answers, on a connection of its own that soon gives up.
    private let probe: Gathering<Void, Bool>
    private let heads = Mutex(Heads())
    /// The times at which sites were known to belong to their holders.
    private let siteUses = Mutex<[PostgresSiteUse: ContinuousClock.Instant]>([:])
    /// Appends that wait for one transaction.
    let appends: Gathering<PostgresAppend, PostgresAppend.Answer>
    /// The followers of logs with tables, by the numbers of the logs.
    let followers = Mutex<[Int64: LogFollower]>([:])
    /// Checks of tokens that wait for one statement.
    let accesses: Gathering<PostgresTokenUse, PostgresAccess?>

    private struct Heads {
        var waiting: [Int64: [UUID: CheckedContinuation<Int64?, Never>]] = [:]
        var isListening = false
    }

    /// - Parameters:
    ///   - address: The address for libpq: a URI such as `postgresql://hub@db/ashlar`, or keywords and values.
    ///   - connections: The maximum number of connections.
    ///   - patience: The maximum time for connecting, and for a statement. Migrating and removing may take longer.
    public init(_ address: String, connections: Int = 8, patience: Duration = .seconds(30)) {
        self.address = address
        self.patience = patience
        let pool = PostgresPool(address, connections: connections, patience: patience)
        let probing = PostgresPool(address, connections: 1, patience: min(patience, .seconds(2)))
        probe = Gathering { questions in
            let answer = try? await probing.use { try $0.run("SELECT 1 FROM ashlar_log LIMIT 1") }
            return questions.map { _ in answer != nil }
        }
        self.pool = pool
        appends = Gathering { try await PostgresAppend.run($0, pool) }
        accesses = Gathering { try await PostgresTokenUse.accesses($0, pool) }
    }

    /// Runs a closure on a connection, on a thread where it may wait.
    func use<Result: Sendable>(_ body: @escaping @Sendable (PostgresConnection) throws -> Result) async throws -> Result
    { try await pool.use(body) }

    /// Whether the database answers, within seconds.
    public func isReachable() async -> Bool { (try? await probe.ask(())) ?? false }

    // MARK: Sites

    /// Returns whether a holder used a site within the last minute. After that, an administrator may have released it.
    func knows(_ use: PostgresSiteUse) -> Bool {
        siteUses.withLock { $0[use].map { ContinuousClock.now - $0 < .seconds(60) } ?? false }
    }

    /// Notes that a site belongs to a holder.
    func note(_ use: PostgresSiteUse) {
        siteUses.withLock {
            if $0.count >= 100_000 { $0.removeAll() }
            $0[use] = .now
        }
    }

    // MARK: New entries

    /// Waits until the log of a number gets an entry, or for a while.
    ///
    /// - Returns: The log's head, if the server sent it.
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

    /// Follows the server's notifications on a thread of its own, as long as tasks wait.
    private func listen() {
        let isFirst = heads.withLock { heads in
            defer { heads.isListening = true }
            return !heads.isListening
        }
        if !isFirst { return }
        let thread = Thread { [weak self] in
            while let database = self {
                do {
                    let connection = try PostgresConnection(database.address, patience: database.patience)
                    try connection.run("LISTEN \"ashlar\"")
                    // Waiting tasks look again, to find entries that came before the connection listened.
                    database.wakeAll(nil)
                    try Self.follow(connection) { [weak self] in self }
                } catch {
                    // The server is away. Waiting tasks look again by themselves.
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
                // A hub of an older version sends the log only.
                let numbers = text.split(separator: " ").map { Int64($0) }
                if let number = numbers.first ?? nil {
                    database.wakeAll(number, head: numbers.count > 1 ? numbers[1] : nil)
                }
            }
        }
    }
}

/// A site that a holder of tokens uses.
struct PostgresSiteUse: Hashable {
    /// The number of the log.
    var log: Int64
    var site: UUID
    var holder: String
}
