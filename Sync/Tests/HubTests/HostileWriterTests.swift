import Ashlar
import AshlarSync
import Foundation
import PostgresLog
import Testing

/// A malicious writer with a valid token.
@Suite(.enabled(if: TestDatabase.address != nil, "ASHLAR_DATABASE says where a PostgreSQL is; Scripts/test starts one"))
struct HostileWriterTests {
    private func entry(
        _ site: UUID, _ count: Int64, kind: SyncEntry.Kind = .changes, snapshot: UUID? = nil
    ) -> SyncEntry {
        SyncEntry(
            kind: kind, site: site, count: count, modelHash: "hash", date: Date(timeIntervalSinceReferenceDate: 0),
            snapshot: snapshot, body: Data("body".utf8))
    }

    private func expectForbidden(_ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("it was allowed")
        } catch SyncLogError.forbidden {} catch { Issue.record(error) }
    }

    @Test func aSiteBelongsToTheTokenThatUsedItFirst() async throws {
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        func token(_ label: String, renewing: String? = nil) async throws -> String {
            try await database.makeToken(log: name, access: "write", label: label, days: 1, renewing: renewing)
        }
        let (victim, attacker) = (try await token("victim"), try await token("attacker"))
        let site = UUID()
        let server = try await PostgresLog(name, in: database)
        let ownSite = UUID()
        _ = try await server.append(entry(ownSite, 1), after: 0)
        try await withHub(database) { hub in
            let log = HTTPLog(hub: hub, name: name) { victim }
            #expect(try await log.append(entry(site, 1), after: 1) == .appended(position: 2))
            let other = HTTPLog(hub: hub, name: name) { attacker }
            await expectForbidden { _ = try await other.append(entry(site, 2), after: 2) }
            // The answer does not even reveal where an entry is.
            await expectForbidden { _ = try await other.append(entry(site, 1), after: 2) }
            // Sites of a program that uses the database directly are protected too.
            await expectForbidden { _ = try await other.append(entry(ownSite, 2), after: 2) }
            try await withHub(try await TestDatabase.open()) { second in
                let other = HTTPLog(hub: second, name: name) { attacker }
                await expectForbidden { _ = try await other.append(entry(site, 2), after: 2) }
            }
            #expect(try await log.append(entry(site, 2), after: 2) == .appended(position: 3))
            // With a token that renews the first one, the store goes on.
            let listed = try #require(try await database.tokens().first { $0.log == name && $0.label == "victim" })
            let renewal = try await token("victim", renewing: listed.name)
            #expect(try await database.revokeToken(listed.name))
            let renewed = HTTPLog(hub: hub, name: name) { renewal }
            #expect(try await renewed.append(entry(site, 3), after: 3) == .appended(position: 4))
        }
        await #expect(throws: SyncLogError.self) { _ = try await token("nobody", renewing: "000000000000") }
    }

    @Test func aTokenToWriteMakesNeitherVersionsNorSnapshots() async throws {
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("garbage".utf8).write(to: file)
        func snapshot(_ position: Int64, isProposed: Bool = false) -> SyncSnapshot {
            SyncSnapshot(
                id: UUID(), position: position, modelHash: "hash",
                hash: "a8b4ea0a3e2f6b0ea5d4dcb2a9a0d9e4f7f8a7e6d5c4b3a291807f6e5d4c3b2a", byteCount: 7,
                isProposed: isProposed)
        }
        let token = try await database.makeToken(log: name, access: "write", label: "test", days: 1)
        try await withHub(database) { hub in
            let log = HTTPLog(hub: hub, name: name) { token }
            let result = try await log.append(entry(UUID(), 1), after: 0)
            #expect(result == .appended(position: 1))
            await expectForbidden { try await log.add(snapshot(1), from: file) }
            await expectForbidden { try await log.add(snapshot(2, isProposed: true), from: file) }
            await expectForbidden {
                _ = try await log.append(entry(UUID(), 1, kind: .modelVersion, snapshot: UUID()), after: 1)
            }
            await expectForbidden { _ = try await log.append(entry(UUID(), 1, kind: .modelVersion), after: 1) }
            await expectForbidden { _ = try await log.append(entry(UUID(), 1, snapshot: UUID()), after: 1) }
        }
    }

    @Test func nobodyTakesAllNumbersOfALog() async throws {
        let database = try await TestDatabase.open()
        let log = try await PostgresLog("log-\(UUID())", in: database)
        let (greedy, modest) = (log.forHolder("greedy"), log.forHolder("modest"))
        await #expect(throws: SyncLogError.self) {
            _ = try await greedy.leaseIdentifiers(site: UUID(), count: (1 << 61) - (1 << 32) - (1 << 27))
        }
        let all = SyncIdentifiers.greatestLeaseCount
        for _ in 0..<256 { _ = try await greedy.leaseIdentifiers(site: UUID(), count: all) }
        await #expect(throws: SyncLogError.self) { _ = try await greedy.leaseIdentifiers(site: UUID(), count: 1) }
        #expect(try await modest.leaseIdentifiers(site: UUID(), count: 1 << 24).count == 1 << 24)
    }
}
