import AshlarSync
import Foundation
import HubServer
import Hummingbird
import Logging
import PostgresLog
import ServiceLifecycle
import Testing

/// The database that tests use, which Scripts/postgres starts.
enum TestDatabase {
    static let address = ProcessInfo.processInfo.environment["ASHLAR_DATABASE"]

    static func open() async throws -> PostgresDatabase {
        let database = PostgresDatabase(try #require(address))
        try await database.migrate()
        return database
    }
}

/// A hub that runs while a test does.
func withHub<Result>(
    _ database: PostgresDatabase, limits: HubLimits = HubLimits(), _ body: (URL) async throws -> Result
) async throws -> Result {
    let logger = Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() }
    let hub = HubServer(PostgresBackend(database), limits: limits, logger: logger)
    return try await withService(body) { told in hub.application(host: "127.0.0.1", port: 0, onRunning: told) }
}

/// A server with routes of a test's own.
func withApplication<Result>(
    router: Router<BasicRequestContext>, _ body: (URL) async throws -> Result
) async throws -> Result {
    try await withService(body) { told in
        Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in await told(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "server") { _ in SwiftLogNoOpLogHandler() })
    }
}

private func withService<Result>(
    _ body: (URL) async throws -> Result,
    _ make: (@escaping @Sendable (Int) async -> Void) -> some ApplicationProtocol
) async throws -> Result {
    let (ports, told) = AsyncStream<Int>.makeStream()
    // It ends what it answers before it goes: a server that is cancelled while a connection opens traps.
    let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
            services: [make { told.yield($0) }], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }))
    let task = Task { try await group.run() }
    var port = 0
    for await found in ports {
        port = found
        break
    }
    let address = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(address)) } catch { result = .failure(error) }
    await group.triggerGracefulShutdown()
    try await task.value
    return try result.get()
}

@Suite(.enabled(if: TestDatabase.address != nil, "ASHLAR_DATABASE says where a PostgreSQL is; Scripts/test starts one"))
struct HubTests {
    private func entry(_ site: UUID, _ count: Int64, _ text: String = "", snapshot: UUID? = nil) -> SyncEntry {
        SyncEntry(
            kind: snapshot == nil ? .changes : .modelVersion, site: site, count: count, modelHash: "hash",
            date: Date(timeIntervalSinceReferenceDate: 0), snapshot: snapshot, body: Data(text.utf8))
    }

    /// What every log promises.
    private func check(_ log: any SyncLog, _ other: any SyncLog) async throws {
        let (first, second) = (UUID(), UUID())
        #expect(try await log.head() == 0)
        #expect(try await log.append(entry(first, 1, "a"), after: 0) == .appended(position: 1))
        #expect(try await other.append(entry(second, 1, "b"), after: 0) == .moved(head: 1))
        #expect(try await other.append(entry(first, 1, "a"), after: 0) == .appended(position: 1), "asked once more")
        #expect(try await other.append(entry(second, 1, "b"), after: 1) == .appended(position: 2))
        #expect(try await log.entries(after: 0, limit: 10).map(\.entry.body) == [Data("a".utf8), Data("b".utf8)])
        #expect(try await log.entries(after: 0, limit: 1).map(\.position) == [1])
        #expect(try await log.entries(after: 2, limit: 10) == [])
        // Of many who append after one head, one succeeds.
        let results = try await withThrowingTaskGroup(of: SyncAppendResult.self) { group in
            for number in 0..<12 {
                let log = number % 2 == 0 ? log : other
                group.addTask { try await log.append(entry(UUID(), 1, "c"), after: 2) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.filter { $0 == .appended(position: 3) }.count == 1)
        #expect(results.filter { $0 == .moved(head: 3) }.count == 11)
        // A wait is woken by the other.
        async let waited = log.waitForEntries(after: 3, atMost: .seconds(50))
        try await Task.sleep(for: .milliseconds(50))
        #expect(try await other.append(entry(first, 2), after: 3) == .appended(position: 4))
        #expect(try await waited == 4)
        #expect(try await log.waitForEntries(after: 4, atMost: .milliseconds(10)) == 4)
        // Numbers are given once.
        let ranges = try await withThrowingTaskGroup(of: ClosedRange<Int64>.self) { group in
            for _ in 0..<10 { group.addTask { try await log.leaseIdentifiers(site: first, count: 100) } }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.lowerBound < $1.lowerBound }
        }
        #expect(ranges.allSatisfy { $0.count == 100 && $0.lowerBound >= SyncIdentifiers.firstLeased })
        for (left, right) in zip(ranges, ranges.dropFirst()) { #expect(left.upperBound < right.lowerBound) }
        try await checkSnapshots(log, other)
        let value = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let hash = "b3c9d6a7"
        await #expect(throws: SyncLogError.self) { try await log.add(value, hash: hash) }
        await #expect(throws: SyncLogError.self) { try await log.value(hash: hash) }
    }

    private func checkSnapshots(_ log: any SyncLog, _ other: any SyncLog) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("hello".utf8).write(to: file)
        let hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        func snapshot(_ position: Int64, isProposed: Bool = false) -> SyncSnapshot {
            SyncSnapshot(
                id: UUID(), position: position, modelHash: "hash", hash: hash, byteCount: 5, isProposed: isProposed)
        }
        await #expect(throws: SyncLogError.alreadyBegun) { try await log.add(snapshot(0), from: file) }
        let (whole, proposed) = (snapshot(3), snapshot(5, isProposed: true))
        for snapshot in [whole, whole, proposed] { try await log.add(snapshot, from: file) }
        #expect(try await other.snapshots() == [whole])
        #expect(
            try await log.append(entry(UUID(), 1, snapshot: proposed.id), after: 4) == .appended(position: 5))
        #expect(try await other.snapshots().map(\.id) == [whole.id, proposed.id])
        await #expect(throws: SyncLogError.self) {
            try await log.append(entry(UUID(), 1, snapshot: UUID()), after: 5)
        }
        #expect(try await log.head() == 5)
        let copy = file.appendingPathExtension("copy")
        defer { try? FileManager.default.removeItem(at: copy) }
        try await other.read(proposed, to: copy)
        #expect(try Data(contentsOf: copy) == Data("hello".utf8))
        await #expect(throws: SyncLogError.self) {
            try await other.read(snapshot(1), to: file.appendingPathExtension("none"))
        }
        try await log.compact(through: 4)
        await #expect(throws: SyncLogError.compacted(oldest: 4)) { try await other.entries(after: 0, limit: 10) }
        #expect(try await other.entries(after: 3, limit: 10).map(\.position) == [4, 5])
    }

    @Test("PostgreSQL keeps a log") func postgres() async throws {
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        try await check(PostgresLog(name, in: database), PostgresLog(name, in: TestDatabase.open()))
    }

    @Test("two hubs before one database are one") func hubs() async throws {
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let token = try await database.makeToken(log: name, access: "administer", label: "test", days: 1)
        try await withHub(database) { first in
            try await withHub(try await TestDatabase.open()) { second in
                try await check(
                    HTTPLog(hub: first, name: name) { token }, HTTPLog(hub: second, name: name) { token })
            }
        }
    }

    @Test("tokens allow what they say, and nothing of other logs") func tokens() async throws {
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let reading = try await database.makeToken(log: name, access: "read", label: "reader", days: 1)
        let expired = try await database.makeToken(log: name, access: "write", label: "late", days: -1)
        try await withHub(database) { hub in
            #expect(try await HTTPLog(hub: hub, name: name) { reading }.head() == 0)
            let entry = entry(UUID(), 1)
            for (log, token, isKnown) in [
                (name, reading, true), (name, expired, false), (name, "", false), ("other", reading, false),
            ] {
                do {
                    _ = try await HTTPLog(hub: hub, name: log) { token }.append(entry, after: 0)
                    Issue.record("\(token) may append to \(log)")
                } catch SyncLogError.forbidden { #expect(isKnown) } catch SyncLogError.unauthorized {
                    #expect(!isKnown)
                }
            }
            let listed = try #require(
                try await database.tokens().first { $0.log == name && $0.label == "reader" })
            #expect(try await database.revokeToken(listed.name))
            await #expect(throws: SyncLogError.self) { try await HTTPLog(hub: hub, name: name) { reading }.head() }
        }
    }

    @Test("a client that nobody here wrote is answered, also when it is wrong") func curl() async throws {
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let token = try await database.makeToken(log: name, access: "write", label: "curl", days: 1)
        var limits = HubLimits()
        limits.entryBytes = 2000
        try await withHub(database, limits: limits) { hub in
            let log = "\(hub)v1/logs/\(name)"
            let bearer = ["-H", "Authorization: Bearer \(token)"]
            let entry = """
                {"kind":"changes","site":"\(UUID().uuidString)","count":1,"modelHash":"h","date":0,"body":"YQ=="}
                """
            func expect(_ end: String, _ arguments: String..., token: Bool = true) throws {
                let answer = try curl((token ? bearer : []) + arguments)
                #expect(answer.hasSuffix(end), "\(arguments): \(answer)")
            }
            try expect("{\"head\":0} 200", "\(log)/head")
            try expect(" 401", "\(log)/head", token: false)
            try expect(" 200", "-d", entry, "\(log)/entries?after=0")
            try expect("{\"head\":1} 200", "\(log)/head")
            try expect(" 422", "-d", "{}", "\(log)/entries?after=1")
            try expect(" 422", "-d", entry, "\(log)/entries?after=x")
            try expect(" 413", "-d", String(repeating: "x", count: 3000), "\(log)/entries?after=1")
            try expect(" 404", "\(hub)v1/logs/../../etc/passwd")
            try expect("{\"isWell\":true} 200", "\(hub)health", token: false)
            let metrics = try curl(["\(hub)metrics"])
            #expect(metrics.contains("ashlar_hub_entries_total 1\n"))
        }
    }

    private func curl(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["curl", "-s", "-w", " %{http_code}"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    @Test("a database that is not there is an error that may pass, again and again") func absentDatabase() async throws
    {
        let database = PostgresDatabase("postgresql://nobody@127.0.0.1:1/nothing")
        for _ in 0..<20 {
            await #expect(throws: SyncLogError.self) { try await database.migrate() }
            #expect(await database.isReachable() == false)
        }
    }

    @Test("a hub that is not there is an error that may pass") func absence() async throws {
        let log = HTTPLog(hub: try #require(URL(string: "http://127.0.0.1:1/")), name: "log") { "" }
        do {
            _ = try await log.head()
            Issue.record("nobody answers there")
        } catch let error as SyncLogError {
            #expect(error.isTransient)
        }
    }
}
