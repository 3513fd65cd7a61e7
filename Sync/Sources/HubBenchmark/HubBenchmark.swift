import AshlarSync
import Foundation
import HubServer
import Hummingbird
import Logging
import PostgresLog

/// How many entries two hubs before one PostgreSQL take, and how soon another store hears of one.
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
        var tokens: [String] = []
        for number in 0..<17 {
            tokens.append(
                try await database.makeToken(log: "\(name)-\(number)", access: "write", label: "benchmark", days: 1))
        }
        let (addresses, hubs) = try await start(address)
        defer { for hub in hubs { hub.cancel() } }
        let logs = tokens.enumerated().map { number, token in
            addresses.map { HTTPLog(hub: $0, name: "\(name)-\(number)") { token } }
        }
        // Each peer has a log of its own, and then all have one.
        for isShared in [false, true] {
            let count = try await append(for: .seconds(5), (0..<16).map { logs[isShared ? 16 : $0][$0 % 2] })
            print("\(isShared ? "one log" : "16 logs"): \(count / 5) entries a second from 16 peers")
        }
        let times = try await delays(logs[0][0], logs[0][1]).sorted()
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
            return Task { try await hub.application(host: "127.0.0.1", port: 0) { told.yield($0) }.run() }
        }
        var addresses: [URL] = []
        for await port in ports {
            if let url = URL(string: "http://127.0.0.1:\(port)/") { addresses.append(url) }
            if addresses.count == 2 { break }
        }
        return (addresses, hubs)
    }

    private static func append(for duration: Duration, _ logs: [HTTPLog]) async throws -> Int {
        let end = ContinuousClock.now + duration
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for log in logs {
                group.addTask {
                    let site = UUID()
                    var (head, count) = (try await log.head(), 0)
                    while ContinuousClock.now < end {
                        switch try await log.append(entry(site, Int64(count + 1)), after: head) {
                        case .appended(let position): (head, count) = (position, count + 1)
                        case .moved(let newHead): head = newHead
                        }
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
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
            body: Data(repeating: 7, count: 500))
    }
}
