import AshlarSync
import AshlarSyncTesting
import Foundation
import HubServer
import Hummingbird
import Logging
import PostgresLog
import ServiceLifecycle
import Synchronization
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

/// Runs a program to its end, on its own thread. The hub needs the threads of the tasks to answer the program.
func run(_ program: String, _ arguments: [String]) async throws -> (output: String, status: Int32) {
    try await withCheckedThrowingContinuation { continuation in
        Thread {
            continuation.resume(
                with: Result {
                    let process = Process()
                    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                    process.arguments = [program] + arguments
                    let pipe = Pipe()
                    process.standardOutput = pipe
                    process.standardError = FileHandle.nullDevice
                    try process.run()
                    let output = pipe.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    return (String(decoding: output, as: UTF8.self), process.terminationStatus)
                })
        }.start()
    }
}

/// A hub that runs while a test does.
func withHub<Result>(
    _ database: PostgresDatabase, limits: HubLimits = HubLimits(), certificate: HubCertificate? = nil,
    _ body: (URL) async throws -> Result
) async throws -> Result {
    let logger = Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() }
    let hub = HubServer(PostgresBackend(database), limits: limits, logger: logger)
    return try await withService(scheme: certificate == nil ? "http" : "https", body) { told in
        try hub.application(host: "127.0.0.1", port: 0, certificate: certificate, onRunning: told)
    }
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
    scheme: String = "http", _ body: (URL) async throws -> Result,
    _ make: (@escaping @Sendable (Int) async -> Void) throws -> some ApplicationProtocol
) async throws -> Result {
    let (ports, told) = AsyncStream<Int>.makeStream()
    // The server finishes its requests before it stops: one that is canceled while a connection opens traps.
    let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
            services: [try make { told.yield($0) }], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }))
    let task = Task { try await group.run() }
    var port = 0
    for await found in ports {
        port = found
        break
    }
    let address = try #require(URL(string: "\(scheme)://127.0.0.1:\(port)/"))
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

    @Test("PostgreSQL keeps a log") func postgres() async throws {
        let problems = try await SyncLogConformance().problems { name in
            try await PostgresLog(name, in: TestDatabase.open())
        }
        #expect(problems == [])
    }

    @Test("two hubs before one database are one") func hubs() async throws {
        let database = try await TestDatabase.open()
        try await withHub(database) { first in
            try await withHub(try await TestDatabase.open()) { second in
                // Each log is used through the two hubs by turns, with one token, as both append as the same sites.
                let tokens = Mutex<[String: String]>([:])
                let problems = try await SyncLogConformance().problems { name in
                    let known = tokens.withLock { $0[name] }
                    let isFirst = known == nil
                    let token =
                        if let known { known } else {
                            try await database.makeToken(log: name, access: "administer", label: "test", days: 1)
                        }
                    tokens.withLock { $0[name] = token }
                    return HTTPLog(hub: isFirst ? first : second, name: name) { token }
                }
                #expect(problems == [])
            }
        }
    }

    @Test("a value whose bytes do not have its hash is refused") func values() async throws {
        let log = try await PostgresLog("log-\(UUID())", in: TestDatabase.open())
        await #expect(throws: SyncLogError.self) { try await log.add(Data([1, 2, 3]), hash: "b3c9d6a7") }
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
                {"kind":"changes","site":"\(UUID().uuidString)","count":1,"modelHash":"h","date":0,"body":"YQ==","largeValues":[]}
                """
            func expect(_ end: String, _ arguments: String..., token: Bool = true) async throws {
                let answer = try await curl((token ? bearer : []) + arguments)
                #expect(answer.hasSuffix(end), "\(arguments): \(answer)")
            }
            try await expect("{\"head\":0} 200", "\(log)/head")
            try await expect(" 401", "\(log)/head", token: false)
            try await expect(" 200", "-d", entry, "\(log)/entries?after=0")
            try await expect("{\"head\":1} 200", "\(log)/head")
            try await expect(" 422", "-d", "{}", "\(log)/entries?after=1")
            // An entry without the list of its large values comes from an old program, and is refused.
            let unlisted = entry.replacingOccurrences(of: ",\"largeValues\":[]", with: "")
            try await expect(" 422", "-d", unlisted, "\(log)/entries?after=1")
            let long = entry.replacingOccurrences(of: "\"h\"", with: "\"\(String(repeating: "h", count: 1000))\"")
            try await expect(" 422", "-d", long, "\(log)/entries?after=1")
            try await expect(" 422", "-d", entry, "\(log)/entries?after=x")
            try await expect(" 413", "-d", String(repeating: "x", count: 3000), "\(log)/entries?after=1")
            try await expect(" 404", "\(hub)v1/logs/../../etc/passwd")
            try await expect("{\"isWell\":true} 200", "\(hub)health", token: false)
            let metrics = try await curl(["\(hub)metrics"])
            #expect(metrics.contains("ashlar_hub_entries_total 1\n"))
        }
    }

    func curl(_ arguments: [String]) async throws -> String {
        try await run("curl", ["-s", "-w", " %{http_code}"] + arguments).output
    }

    @Test("a database that is not there is an error that may pass, again and again") func absentDatabase() async throws
    {
        let database = PostgresDatabase("postgresql://nobody@127.0.0.1:1/nothing")
        for _ in 0..<20 {
            await #expect(throws: SyncLogError.self) { try await database.migrate() }
            #expect(await database.isReachable() == false)
        }
    }

    @Test func aClientLearnsNothingOfTheDatabaseThatCannotBeReached() async throws {
        try await withHub(PostgresDatabase("postgresql://nobody@127.0.0.1:1/nothing")) { hub in
            let answer = try await curl(["-H", "Authorization: Bearer nobody", "\(hub)v1/logs/feed/head"])
            #expect(answer.hasSuffix(" 503") && answer.contains("\"unreachable\""), "\(answer)")
            for part in ["127.0.0.1", "port", "nobody", "nothing", "onnection"] {
                #expect(!answer.contains(part), "\(answer)")
            }
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
