import Ashlar
@_spi(Hub) import AshlarSync
import Foundation
import PostgresLog
import Testing

/// The operator's functions for logs.
@Suite(.enabled(if: TestDatabase.address != nil, "ASHLAR_DATABASE says where a PostgreSQL is; Scripts/test starts one"))
struct AdministrationTests {
    private func entry(_ site: UUID, _ count: Int64) -> SyncEntry {
        SyncEntry(kind: .changes, site: site, count: count, modelHash: "hash", date: Date(), body: Data("body".utf8))
    }

    /// A log with entries of one site.
    private func prepared(_ database: PostgresDatabase, entries: Int64) async throws -> (
        name: String, PostgresLog, UUID
    ) {
        let name = "log-\(UUID())"
        let log = try await PostgresLog(name, in: database)
        let site = UUID()
        for position in 0..<entries { _ = try await log.append(entry(site, position + 1), after: position) }
        return (name, log, site)
    }

    private func snapshot(at position: Int64, _ log: PostgresLog, isProposed: Bool = false) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let bytes = Data("bytes".utf8)
        try bytes.write(to: file)
        let snapshot = SyncSnapshot(
            id: UUID(), position: position, modelHash: "hash", hash: ContentHash.hexadecimal(of: bytes), byteCount: 5,
            isProposed: isProposed)
        try await log.add(snapshot, from: file)
    }

    @Test func logsAreListedWithTheirSizes() async throws {
        let database = try await TestDatabase.open()
        let (name, log, site) = try await prepared(database, entries: 3)
        try await snapshot(at: 2, log)
        let found = try #require(try await database.logs().first { $0.name == name })
        #expect(found.head == 3 && found.entryCount == 3 && found.entryBytes > 100)
        #expect(found.snapshotCount == 1 && found.snapshotBytes == 5)
        let sites = try await database.sites(ofLog: name)
        #expect(sites.map(\.site) == [site] && sites.map(\.entryCount) == [3])
    }

    @Test func aLogIsCutAfterAPosition() async throws {
        let database = try await TestDatabase.open()
        let (name, log, site) = try await prepared(database, entries: 5)
        try await snapshot(at: 2, log)
        try await snapshot(at: 4, log)
        for position in [-1, 6] as [Int64] {
            await #expect(throws: SyncLogError.self) { try await database.cutLog(name, after: position) }
        }
        try await database.cutLog(name, after: 3)
        #expect(try await log.head() == 3)
        #expect(try await log.snapshots().map(\.position) == [2])
        #expect(try await log.append(entry(site, 4), after: 3) == .appended(position: 4))
        await #expect(throws: SyncLogError.missing("the log nothing")) {
            try await database.cutLog("nothing", after: 0)
        }
    }

    @Test func storesGoOnAfterAnEntryThatNobodyCanFollowIsTakenOut() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let log = try await PostgresLog(name, in: database)
        let configuration = ModelConfiguration(
            url: folder.appendingPathComponent("a.store"), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: NotesModel.self, configurations: configuration)
        let sync = try StoreSync(container, with: log)
        try await sync.synchronize()
        // A step to a version that no program has, from an administrator. The snapshot's file claims to have that
        // version.
        let begin = try #require(try await log.snapshots().first)
        let file = folder.appendingPathComponent("made up")
        try await log.read(begin, to: file)
        var bytes = try Data(contentsOf: file)
        let version = String(repeating: "f", count: 64)
        let place = try #require(bytes.range(of: Data(begin.modelHash.utf8)))
        bytes.replaceSubrange(place, with: Data(version.utf8))
        try bytes.write(to: file)
        let snapshot = SyncSnapshot(
            id: UUID(), position: 1, modelHash: version, hash: ContentHash.hexadecimal(of: bytes),
            byteCount: Int64(bytes.count), isProposed: true)
        try await log.add(snapshot, from: file)
        _ = try await log.append(
            SyncEntry(
                kind: .modelVersion, site: UUID(), count: 1, modelHash: version, date: Date(), snapshot: snapshot.id,
                body: Data()), after: 0)
        await #expect(throws: SyncError.newerModelVersion(version)) { try await sync.synchronize() }
        try await database.removeEntry(at: 1, ofLog: name)
        try await sync.synchronize()
        #expect(try await sync.keptEvents().map(\.kind) == [.entryRejected])
        await #expect(throws: SyncLogError.missing("the entry 2")) {
            try await database.removeEntry(at: 2, ofLog: name)
        }
    }

    @Test func repairRemovesSnapshotsThatNobodyCanUse() async throws {
        let database = try await TestDatabase.open()
        let (name, log, _) = try await prepared(database, entries: 2)
        #expect(try await database.repairLog(name) == [])
        try await snapshot(at: 3, log, isProposed: true)
        #expect(try await database.repairLog(name) == [])
        _ = try await log.append(entry(UUID(), 1), after: 2)
        #expect(try await database.repairLog(name).count == 1)
        #expect(try await database.repairLog(name) == [])
    }

    @Test func aSiteIsReleasedForAnotherToken() async throws {
        let database = try await TestDatabase.open()
        let (name, log, site) = try await prepared(database, entries: 1)
        let other = log.forHolder("other")
        await #expect(throws: SyncLogError.self) { _ = try await other.append(entry(site, 2), after: 1) }
        try await database.releaseSite(site, ofLog: name)
        #expect(try await other.append(entry(site, 2), after: 1) == .appended(position: 2))
        await #expect(throws: SyncLogError.self) { try await database.releaseSite(UUID(), ofLog: name) }
    }

    @Test func numbersOfARevokedTokenAreGivenAgain() async throws {
        let database = try await TestDatabase.open()
        let (name, log, _) = try await prepared(database, entries: 1)
        let holder = String(repeating: "a", count: 64)
        let taken = try await log.forHolder(holder).leaseIdentifiers(site: UUID(), count: 1000)
        _ = try await log.leaseIdentifiers(site: UUID(), count: 10)
        #expect(try await database.returnNumbers(of: String(holder.prefix(12)), ofLog: name) == 1000)
        let again = [
            try await log.leaseIdentifiers(site: UUID(), count: 400),
            try await log.leaseIdentifiers(site: UUID(), count: 600),
        ]
        #expect(again[0].lowerBound == taken.lowerBound && again[1].upperBound == taken.upperBound)
        #expect(again[0].upperBound + 1 == again[1].lowerBound)
        // Numbers that an entry may use cannot be returned.
        await #expect(throws: (any Error).self) { _ = try await database.returnNumbers(of: "", ofLog: name) }
        let writer = String(repeating: "b", count: 64)
        _ = try await log.forHolder(writer).append(entry(UUID(), 1), after: 1)
        await #expect(throws: SyncLogError.self) {
            _ = try await database.returnNumbers(of: String(writer.prefix(12)), ofLog: name)
        }
    }

    @Test func aLogIsCompactedAsFarAsItsStoresHaveRead() async throws {
        let database = try await TestDatabase.open()
        let (name, log, _) = try await prepared(database, entries: 5)
        for position in [2, 4] as [Int64] { try await snapshot(at: position, log) }
        for (holder, position) in [("here", 5), ("behind", 3)] as [(String, Int64)] {
            try await database.noteReading(ofLog: name, by: holder, through: position)
        }
        #expect(try await database.compactLog(name, offlineDays: 30) == 2)
        #expect(try await log.entries(after: 2, limit: 10).map(\.position) == [3, 4, 5])
        #expect(try await database.compactLog(name, offlineDays: 30) == nil)
        // Compaction does not wait for a store that was away for too long.
        #expect(try await database.compactLog(name, offlineDays: 0) == 4)
        await #expect(throws: SyncLogError.compacted(oldest: 5)) { _ = try await log.entries(after: 3, limit: 10) }
    }

    @Test func aLogIsDeletedWithItsTokens() async throws {
        let database = try await TestDatabase.open()
        let (name, log, _) = try await prepared(database, entries: 1)
        let token = try await database.makeToken(log: name, access: "write", label: "", days: 1)
        try await database.deleteLog(name)
        #expect(try await database.access(ofToken: token, toLog: name) == nil)
        #expect(try await !database.logs().contains { $0.name == name })
        await #expect(throws: (any Error).self) { try await log.head() }
    }
}
