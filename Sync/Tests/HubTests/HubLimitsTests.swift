import AshlarSync
import Foundation
import HubServer
import Testing

@testable import PostgresLog

/// Clients without a token, and a database that stands still.
extension HubTests {
    /// Sends a text to a port, and returns when the other end closes the connection.
    private func sendAndWait(_ text: String, to hub: URL) async throws {
        let script = "exec 3<>/dev/tcp/127.0.0.1/$1; printf \"$2\" >&3; cat <&3 >/dev/null"
        _ = try await run("bash", ["-c", script, "bash", "\(hub.port ?? 0)", text])
    }

    private var hasty: HubLimits {
        var limits = HubLimits()
        limits.firstRequestTimeout = .milliseconds(200)
        limits.idleTimeout = .milliseconds(200)
        return limits
    }

    @Test("a connection without a request, with half of one, or without a next one is closed")
    func idleConnections() async throws {
        try await withHub(try await TestDatabase.open(), limits: hasty) { hub in
            for text in [
                "", "GET /health HTTP/1.1\\r\\nHost: x\\r\\nX", "GET /health HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n",
                "POST /v1/logs/a/entries?after=0 HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 100\\r\\n\\r\\nabc",
            ] { try await sendAndWait(text, to: hub) }
        }
    }

    @Test("a request that is refused is not read to its end") func endlessBody() async throws {
        try await withHub(try await TestDatabase.open()) { hub in
            _ = try await run(
                "bash",
                [
                    "-c",
                    "(printf 'POST /v1/logs/a/entries?after=0 HTTP/1.1\\r\\nHost: x\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n';"
                        + "while printf '10000\\r\\n%065536d\\r\\n' 0; do :; done) 2>/dev/null >/dev/tcp/127.0.0.1/\(hub.port ?? 0)",
                ])
        }
    }

    @Test("made-up tokens of one address are limited, and known tokens are not") func strangers() async throws {
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let token = try await database.makeToken(log: name, access: "read", label: "test", days: 1)
        var limits = HubLimits()
        limits.strangersPerSecond = 0.000_1
        limits.requestsPerSecond = 1_000_000
        try await withHub(database, limits: limits) { hub in
            let log = HTTPLog(hub: hub, name: name) { "made up" }
            await #expect(throws: SyncLogError.tooManyRequests(seconds: 1)) { _ = try await log.head() }
        }
        limits.strangersPerSecond = 1
        try await withHub(database, limits: limits) { hub in
            let log = HTTPLog(hub: hub, name: name) { token }
            #expect(try await log.head() == 0)
            var refused = 0
            for number in 0..<200 {
                do {
                    _ = try await HTTPLog(hub: hub, name: name) { "made up \(number)" }.head()
                } catch SyncLogError.tooManyRequests { refused += 1 } catch SyncLogError.unauthorized {}
            }
            #expect(refused > 0)
            for _ in 0..<20 { #expect(try await log.head() == 0) }
        }
    }

    @Test("a hub before a PostgreSQL that stands still says so") func standingDatabase()
        async throws
    {
        // The server accepts connections, and never answers.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let silent = try SilentServer(at: folder.path + "/.s.PGSQL.5432")
        defer { silent.stop() }
        let host = folder.path.replacingOccurrences(of: "/", with: "%2F")
        let database = PostgresDatabase("postgresql://nobody@\(host):5432/nothing", patience: .seconds(1))
        try await withHub(database) { hub in
            #expect(try await curl(["\(hub)health"]) == "{\"isWell\":false} 503")
            let answer = try await curl(["-H", "Authorization: Bearer nobody", "\(hub)v1/logs/feed/head"])
            #expect(answer.hasSuffix(" 503") && !answer.contains("in time"), "\(answer)")
        }
    }

    @Test("a statement that takes too long is given up, and its connection with it") func slowStatement() async throws {
        let address = try #require(TestDatabase.address)
        let database = PostgresDatabase(address, connections: 1, patience: .seconds(1))
        try await database.migrate()
        let name = "log-\(UUID())"
        let log = try await PostgresLog(name, in: database)
        #expect(try await log.head() == 0)
        // Another connection holds a lock on the log's row.
        let other = try PostgresConnection(address, patience: .seconds(60))
        try other.run("BEGIN")
        try other.run("SELECT 1 FROM ashlar_log WHERE name = '\(name)' FOR UPDATE")
        do {
            _ = try await log.leaseIdentifiers(site: UUID(), count: 1)
            Issue.record("the row is locked")
        } catch let error as SyncLogError {
            #expect(error.isTransient)
        }
        try other.run("ROLLBACK")
        #expect(try await log.leaseIdentifiers(site: UUID(), count: 1).count == 1)
    }

    @Test("the metrics name logs and sites only with their token") func metrics() async throws {
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let token = try await database.makeToken(log: name, access: "write", label: "Ada's \"phone\"", days: 1)
        var limits = HubLimits()
        limits.metricsToken = "secret"
        try await withHub(database, limits: limits) { hub in
            let log = HTTPLog(hub: hub, name: name) { token }
            let site = UUID()
            let entry = SyncEntry(kind: .changes, site: site, count: 1, modelHash: "h", date: Date(), body: Data())
            _ = try await log.append(entry, after: 0)
            #expect(try await !curl(["\(hub)metrics"]).contains(name))
            let text = try await curl(["-H", "Authorization: Bearer secret", "\(hub)metrics"])
            #expect(text.contains("ashlar_hub_log_head{log=\"\(name)\"} 1\n"), "\(text)")
            let labels = "log=\"\(name)\",site=\"\(site)\",label=\"Ada's \\\"phone\\\"\""
            for line in [
                "site_entries{\(labels)} 1\n", "site_lag{\(labels)} 1\n",
                "site_last_seen_timestamp_seconds{\(labels)} ",
            ] {
                #expect(text.contains(line), "\(line)")
            }
        }
    }
}

/// A socket at a path that accepts connections and never answers.
private final class SilentServer: Sendable {
    private let descriptor: Int32

    init(at path: String) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let size = MemoryLayout.size(ofValue: address.sun_path)
        try #require(path.utf8.count < size)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        try #require(listen(descriptor, 100) == 0)
    }

    func stop() { close(descriptor) }
}
