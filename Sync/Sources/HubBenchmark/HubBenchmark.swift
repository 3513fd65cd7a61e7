import AshlarSync
import Foundation
import HubServer
import Hummingbird
import Logging
import PostgresLog

/// Measures how many entries two hubs in front of one PostgreSQL take, and how soon another store receives an entry.
///
///     ASHLAR_DATABASE=postgresql://… swift run -c release HubBenchmark
@main
enum HubBenchmark {
    static func main() async throws {
        guard let address = ProcessInfo.processInfo.environment["ASHLAR_DATABASE"] else {
            print("Say where the database is: ASHLAR_DATABASE=postgresql://…")
            return
        }
        let database = PostgresDatabase(address, connections: 16)
        try await database.migrate()
        let name = "benchmark-\(UUID().uuidString.prefix(8))"
        var made: [String] = []
        for number in 0..<18 {
            made.append(
                try await database.makeToken(log: "\(name)-\(number)", access: "write", label: "benchmark", days: 1))
        }
        let tokens = made
        let (addresses, hubs) = try await start(address)
        defer { for hub in hubs { hub.cancel() } }
        // Each with connections of its own, as another program has.
        @Sendable func log(_ number: Int, _ hub: Int) -> HTTPLog {
            let token = tokens[number]
            return HTTPLog(hub: addresses[hub], name: "\(name)-\(number)") { token }
        }
        // Each peer has a log of its own, and then all have one.
        for isShared in [false, true] {
            let title = isShared ? "one log" : "16 logs"
            let plain = try await append(for: .seconds(5)) { number, end in
                let log = isShared ? 16 : number
                return try await onThread {
                    try PlainPeer(addresses[number % 2], "\(name)-\(log)", token: tokens[log])
                        .append(until: end, body: Self.body)
                }
            }
            print("\(title): \(plain / 5) entries a second from 16 peers that cost next to nothing")
            let count = try await append(for: .seconds(5)) { number, end in
                try await append(until: end, log(isShared ? 17 : number, number % 2))
            }
            print("\(title): \(count / 5) entries a second from 16 that speak by HTTPLog, on the same processors")
        }
        let times = try await delays(log(0, 0), log(0, 1)).sorted()
        let median = String(format: "%.1f", times[times.count / 2])
        print("seen by another peer: \(median) ms, the median of \(times.count)")
    }

    /// Two hubs, each with connections of its own.
    private static func start(_ address: String) async throws -> ([URL], [Task<Void, any Error>]) {
        var limits = HubLimits()
        limits.requestsPerSecond = 1_000_000
        let (ports, told) = AsyncStream<Int>.makeStream()
        let hubs = (0..<2).map { _ in
            let hub = HubServer(
                PostgresBackend(PostgresDatabase(address, connections: 8)), limits: limits,
                logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() })
            return Task {
                try await hub.application(host: "127.0.0.1", port: 0) { told.yield($0) }.run()
            }
        }
        var addresses: [URL] = []
        for await port in ports {
            if let url = URL(string: "http://127.0.0.1:\(port)/") { addresses.append(url) }
            if addresses.count == 2 { break }
        }
        return (addresses, hubs)
    }

    /// Has 16 peers append for a while, and returns the number of their entries.
    private static func append(
        for duration: Duration, _ body: @escaping @Sendable (Int, ContinuousClock.Instant) async throws -> Int
    ) async throws -> Int {
        let end = ContinuousClock.now + duration
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<16 { group.addTask { try await body(number, end) } }
            return try await group.reduce(0, +)
        }
    }

    /// Runs a blocking call on a thread of its own.
    private static func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }

    private static func append(until end: ContinuousClock.Instant, _ log: HTTPLog) async throws -> Int {
        let site = UUID()
        var (head, count) = (try await log.head(), 0)
        while ContinuousClock.now < end {
            switch try await log.append(entry(site, Int64(count + 1)), after: head) {
            case .appended(let position): (head, count) = (position, count + 1)
            case .moved(let newHead, _): head = newHead
            }
        }
        return count
    }

    private static func delays(_ writer: HTTPLog, _ reader: HTTPLog) async throws -> [Double] {
        var times: [Double] = []
        let site = UUID()
        var head = try await writer.head()
        for count in 1...200 {
            let before = head
            async let seen = reader.waitForEntries(after: before, atMost: .seconds(20))
            try await Task.sleep(for: .milliseconds(5))
            let start = ContinuousClock.now
            if case .appended(let position) = try await writer.append(entry(site, Int64(count)), after: before) {
                head = position
            }
            _ = try await seen
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        return times
    }

    private static func entry(_ site: UUID, _ count: Int64) -> SyncEntry {
        SyncEntry(
            kind: .changes, site: site, count: count, modelHash: "benchmark", date: Date(),
            body: body)
    }

    private static let body = Data(repeating: 7, count: 500)
}
