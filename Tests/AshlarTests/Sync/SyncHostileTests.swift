import AshlarSQLite
import AshlarSync
import Digests
import Foundation
import RandomNumbers
import RandomSeeds
import SyncLogs
import Testing

@testable import Ashlar

/// Logs and snapshots from an attacker or from a broken disk.
@Suite struct SyncHostileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func container(_ name: String) throws -> ModelContainer {
        try ModelContainer(
            for: HarborModel.self,
            configurations: ModelConfiguration(
                url: folder.file("\(name).store"), options: StoreOptions(historyTracking: true)))
    }

    /// Makes a store with an object and a change that no log has, and a log with the entries of another store.
    private func prepared() async throws -> (log: URL, container: ModelContainer) {
        let url = folder.file("log")
        let log = try StoreLog(at: url)
        let (writer, reader) = (try container("writer"), try container("reader"))
        let syncs = [try StoreSync(writer, with: log), try StoreSync(reader, with: log)]
        for number in 0..<3 {
            let context = ModelContext(writer)
            let port = Port(name: "port \(number)")
            context.insert(port)
            context.insert(Vessel(name: "vessel \(number)"))
            for index in 0..<5 { context.insert(Quay(number: Int64(number * 10 + index), port: port)) }
            try context.save()
            for sync in syncs { try await sync.synchronize() }
        }
        let context = ModelContext(writer)
        for number in 3..<8 { context.insert(Port(name: "port \(number)")) }
        try context.save()
        try await syncs[0].synchronize()
        let own = ModelContext(reader)
        own.insert(Port(name: "mine"))
        try own.save()
        return (url, reader)
    }

    /// Follows a log in a file. Either succeeds, or fails with an error of the log or the engine. The store stays as
    /// sound as before.
    private func follow(_ url: URL, _ container: ModelContainer, _ comment: String) async throws -> (any Error)? {
        do {
            let sync = try StoreSync(container, with: StoreLog(at: url))
            try await sync.synchronize()
            try container.expectSound("\(comment)")
            return nil
        } catch {
            let isTyped = error is SyncLogError || error is SyncError
            #expect(isTyped, "\(comment): \(error)")
            try container.expectSound("\(comment)")
            let names = try ModelContext(container).fetch(Port.all).map(\.name)
            #expect(names.contains("mine") && names.contains("port 0"), "\(comment)")
            return error
        }
    }

    @Test("files that are no logs, or more than logs, are refused") func foreignFiles() async throws {
        var generator = SeededGenerator(seed: 1)
        for (number, count) in [1, 100, 5000].enumerated() {
            let url = folder.file("random\(number)")
            try Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }).write(to: url)
            #expect(throws: SyncLogError.self) { try StoreLog(at: url) }
        }
        let changes = [
            "CREATE TRIGGER t AFTER INSERT ON \"entry\" BEGIN DELETE FROM \"entry\"; END",
            "CREATE TRIGGER sqliteish AFTER INSERT ON \"entry\" BEGIN SELECT count(*) FROM \"entry\" a, \"entry\" b; END",
            "CREATE TABLE other (a)", "CREATE VIEW v AS SELECT 1", "CREATE INDEX i ON \"entry\" (\"content\")",
            "DROP TABLE \"value\"", "ALTER TABLE \"state\" ADD COLUMN \"more\" INTEGER",
            "ALTER TABLE \"entry\" RENAME COLUMN \"content\" TO \"other\"",
            "DROP TABLE \"value\"; CREATE VIEW \"value\" AS SELECT '' AS \"hash\", x'' AS \"bytes\"",
            "PRAGMA application_id = 7", "PRAGMA user_version = 3",
        ]
        for (number, change) in changes.enumerated() {
            let url = folder.file("changed\(number)")
            _ = try StoreLog(at: url)
            try execute(change, url)
            #expect(throws: SyncLogError.self, "\(change)") { try StoreLog(at: url) }
        }
    }

    private func execute(_ script: String, _ url: URL) throws {
        try Connection(path: url.path, flags: SQLITE_OPEN_READWRITE).executeScript(script)
    }

    @Test(
        "a log with absurd rows is refused, and the store goes on",
        arguments: [
            "UPDATE \"sqlite_sequence\" SET \"seq\" = 9223372036854775807",
            "UPDATE \"sqlite_sequence\" SET \"seq\" = -5", "UPDATE \"sqlite_sequence\" SET \"seq\" = 'x'",
            "DELETE FROM \"sqlite_sequence\"", "DELETE FROM \"state\"",
            "INSERT INTO \"state\" SELECT * FROM \"state\"", "UPDATE \"state\" SET \"compacted\" = -1",
            "UPDATE \"state\" SET \"compacted\" = 9223372036854775807",
            "UPDATE \"state\" SET \"nextIdentifier\" = 1",
            "UPDATE \"state\" SET \"nextIdentifier\" = -9223372036854775807",
            "UPDATE \"entry\" SET \"content\" = x'00'", "UPDATE \"entry\" SET \"content\" = zeroblob(1000000)",
            "UPDATE \"entry\" SET \"content\" = NULL", "UPDATE \"entry\" SET \"content\" = CAST(\"position\" AS BLOB)",
            "DELETE FROM \"entry\" WHERE \"position\" = 4", "DELETE FROM \"entry\"",
            "UPDATE \"entry\" SET \"position\" = 9223372036854775807 WHERE \"position\" = 4",
            "UPDATE \"entry\" SET \"position\" = -4 WHERE \"position\" = 4",
            "UPDATE \"snapshot\" SET \"description\" = x'7B7D'", "DELETE FROM \"snapshot\"", "DELETE FROM \"part\"",
            "UPDATE \"part\" SET \"bytes\" = zeroblob(5000)",
            "UPDATE \"entry\" SET \"content\" = CAST(replace(CAST(\"content\" AS TEXT), '\"count\":', '\"count\":-') AS BLOB)",
            "UPDATE \"entry\" SET \"content\" = CAST(replace(CAST(\"content\" AS TEXT), '\"kind\":\"changes\"', "
                + "'\"kind\":\"modelVersion\"') AS BLOB)",
            "UPDATE \"entry\" SET \"content\" = CAST(replace(hex(zeroblob(20000)), '00', '[') AS BLOB)",
        ])
    func absurdRows(change: String) async throws {
        let (url, reader) = try await prepared()
        try execute(change, url)
        _ = try await follow(url, reader, change)
        // As a new store.
        do {
            let beginner = try container("beginner")
            try await StoreSync(beginner, with: StoreLog(at: url)).synchronize()
            try beginner.expectSound("\(change)")
        } catch {
            #expect(error is SyncLogError || error is SyncError, "\(change): \(error)")
        }
    }

    @Test("a damaged log is followed, or refused, and the store goes on", arguments: seeds())
    func damagedLogs(seed: Seed) async throws {
        var generator = SeededGenerator(seed: seed)
        let (url, reader) = try await prepared()
        var bytes = try Data(contentsOf: url)
        for _ in 0..<Int.random(in: 1...40, using: &generator) {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[position] = UInt8(truncatingIfNeeded: generator.next())
        }
        if generator.oneIn(4) { bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator)) }
        let damaged = folder.file("damaged")
        try bytes.write(to: damaged)
        _ = try await follow(damaged, reader, "seed \(seed)")
    }

    @Test("somebody who says that he is this store, with a count that none comes after, is in nobody's way")
    func stolenSite() async throws {
        let (url, reader) = try await prepared()
        let log = try StoreLog(at: url)
        let sync = try StoreSync(reader, with: log)
        try await sync.synchronize()
        let head = try await log.head()
        let own = try #require(try await log.entries(after: head - 1, limit: 1).first).entry
        for (index, count) in [Int64.max, .min, (1 << 62) - 1].enumerated() {
            var entry = own
            (entry.count, entry.previous) = (count, nil)
            _ = try await log.append(entry, after: head + Int64(index))
        }
        let context = ModelContext(reader)
        context.insert(Port(name: "later"))
        try context.save()
        try await sync.synchronize()
        let other = try container("other")
        try await StoreSync(other, with: log).synchronize()
        #expect(try ModelContext(other).fetchCount(Port.where { $0.name == "later" }) == 1)
        for container in [reader, other] { try container.expectSound("a stolen site") }
    }

    // MARK: Snapshots

    /// A log that returns a snapshot from a file. Unchecked as the class above it; it never changes.
    private final class OtherSnapshotLog: ForwardingLog, @unchecked Sendable {
        let file: URL
        let position: Int64?

        init(_ log: StoreLog, _ file: URL, position: Int64? = nil) {
            (self.file, self.position) = (file, position)
            super.init(log)
        }

        override func snapshots() async throws -> [SyncSnapshot] {
            let bytes = try Data(contentsOf: file)
            return try await log.snapshots().suffix(1).map { snapshot in
                var snapshot = snapshot
                snapshot.hash = SHA256.hexadecimal(of: bytes)
                snapshot.byteCount = Int64(bytes.count)
                snapshot.position = position ?? snapshot.position
                return snapshot
            }
        }

        override func read(_ snapshot: SyncSnapshot, to file: URL) async throws {
            try FileManager.default.copyItem(at: self.file, to: file)
        }
    }

    /// Makes a log whose newest snapshot has all rows. Returns the log and the snapshot's file.
    private func snapshot() async throws -> (StoreLog, URL) {
        let (url, reader) = try await prepared()
        let log = try StoreLog(at: url)
        let sync = try StoreSync(reader, with: log)
        try await sync.synchronize()
        try await sync.makeSnapshot()
        let file = folder.file("snapshot")
        try await log.read(#require(try await log.snapshots().last), to: file)
        return (log, file)
    }

    /// Begins a store with a snapshot. It is sound, or empty.
    private func begin(_ log: any SyncLog, _ comment: String) async throws -> (any Error)? {
        let container = try container("begun-\(UUID().uuidString)")
        do {
            try await StoreSync(container, with: log).synchronize()
            try container.expectSound("\(comment)")
            return nil
        } catch {
            #expect(error is SyncLogError || error is SyncError, "\(comment): \(error)")
            try container.expectSound("\(comment)")
            #expect(try ModelContext(container).fetchCount(Port.all) == 0, "\(comment)")
            return error
        }
    }

    @Test(
        "a snapshot with rows that no store has is refused as a whole",
        arguments: [
            "UPDATE \"Port\" SET \"id$\" = 0 WHERE \"id$\" = (SELECT min(\"id$\") FROM \"Port\")",
            "UPDATE \"Port\" SET \"id$\" = -7 WHERE \"id$\" = (SELECT min(\"id$\") FROM \"Port\")",
            "UPDATE \"Port\" SET \"id$\" = 9223372036854775807 WHERE \"id$\" = (SELECT max(\"id$\") FROM \"Port\")",
            "UPDATE \"Quay\" SET \"port\" = 77", "UPDATE \"Quay\" SET \"port\" = -77",
            "UPDATE \"Vessel\" SET \"entity$\" = 'Nothing'", "UPDATE \"Vessel\" SET \"entity$\" = ''",
            "DROP TABLE \"Quay\"", "ALTER TABLE \"Quay\" ADD COLUMN \"more\" INTEGER",
            "DROP TABLE \"Port\"; CREATE TABLE \"Port\" (\"id$\" INTEGER PRIMARY KEY)",
            "DROP TABLE \"Beacon\"; CREATE VIEW \"Beacon\" AS SELECT 1 AS \"id$\"",
        ])
    func badSnapshots(change: String) async throws {
        let (log, file) = try await snapshot()
        do {
            let connection = try Connection(path: file.path, flags: SQLITE_OPEN_READWRITE)
            try connection.executeScript("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            let triggers = try connection.rows("SELECT \"name\" FROM \"sqlite_schema\" WHERE \"type\" = 'trigger'")
            for row in triggers { try connection.execute("DROP TRIGGER \"\(row[0].storedText)\"") }
            try connection.executeScript(change)
        }
        let error = try await begin(OtherSnapshotLog(log, file), change)
        #expect(error is SyncError, "\(change): \(String(describing: error))")
    }

    @Test("a snapshot at a position that no log has is refused", arguments: [-1, .min, .max, (1 << 62) + 1] as [Int64])
    func badPositions(position: Int64) async throws {
        let (log, file) = try await snapshot()
        let error = try await begin(OtherSnapshotLog(log, file, position: position), "\(position)")
        #expect(error is SyncLogError)
    }

    @Test("a damaged snapshot whose hash is right is used, or refused as a whole", arguments: seeds())
    func damagedSnapshots(seed: Seed) async throws {
        var generator = SeededGenerator(seed: seed)
        let (log, file) = try await snapshot()
        var bytes = try Data(contentsOf: file)
        for _ in 0..<Int.random(in: 1...30, using: &generator) {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[position] = UInt8(truncatingIfNeeded: generator.next())
        }
        if generator.oneIn(4) { bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator)) }
        let damaged = folder.file("damaged")
        try bytes.write(to: damaged)
        _ = try await begin(OtherSnapshotLog(log, damaged), "seed \(seed)")
    }
}
