import Ashlar
import AshlarSync
import Foundation
import PostgresLog
import Testing

/// A database whose disk is full.
extension StoreTests {
    static let smallDisk = ProcessInfo.processInfo.environment["ASHLAR_SMALL_DISK"]

    private func psql(_ address: String, _ statement: String) async throws {
        let done = try await run("psql", ["-q", "-v", "ON_ERROR_STOP=1", address, "-c", statement])
        try #require(done.status == 0, "\(statement)")
    }

    @Test(
        "what a full disk refuses is sent when there is room again, and nothing is there by halves",
        .enabled(if: StoreTests.smallDisk != nil, "Scripts/test mounts a small disk where it may")
    ) func fullDisk() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let address = try #require(TestDatabase.address)
        let disk = try #require(Self.smallDisk)
        try await psql(address, "CREATE TABLESPACE small LOCATION '\(disk)'")
        try await psql(address, "CREATE DATABASE small TABLESPACE small")
        let small = String(address.dropLast("ashlar".count)) + "small"
        try await psql(
            small, "CREATE TABLE filler AS SELECT repeat(md5(i::text), 50) FROM generate_series(1, 9000) AS i")
        let database = PostgresDatabase(small)
        try await database.migrate()
        let token = try await database.makeToken(log: "log", access: "administer", label: "test", days: 1)
        try await withHub(database) { hub in
            let phone = try store("phone", HTTPLog(hub: hub, name: "log") { token })
            let tablet = try store("tablet", HTTPLog(hub: hub, name: "log") { token })
            for store in [phone, tablet] { try await store.sync.synchronize() }
            var generator = SystemRandomNumberGenerator()
            var (failure, count): ((any Error)?, Int) = (nil, 0)
            while failure == nil, count < 500 {
                count += 1
                let context = ModelContext(phone.container)
                // Some are large values, which are sent separately, and some are in their entries.
                let size = count % 2 == 0 ? 300_000 : 60_000
                let picture = Data((0..<size / 8).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } })
                context.insert(Note(likes: 1, picture: picture, title: "\(count)"))
                try context.save()
                do { try await phone.sync.synchronize() } catch { failure = error }
            }
            let error = try #require(failure as? SyncLogError)
            #expect(error.isTransient, "\(error)")
            // Committed rows can be read, and failed writes leave nothing behind.
            do { try await tablet.sync.synchronize() } catch let error as SyncLogError { #expect(error.isTransient) }
            let seen = try ModelContext(tablet.container).fetchCount(Note.all)
            #expect(seen == count - 1 || seen == count)
            #expect(try ModelContext(phone.container).fetchCount(Note.all) == count)
            try await psql(small, "DROP TABLE filler")
            for store in [phone, tablet] { try await store.sync.synchronize() }
            let notes = try ModelContext(phone.container).fetchValues(Note.order { $0.title.ascending })
            #expect(notes.count == count)
            #expect(try ModelContext(tablet.container).fetchValues(Note.order { $0.title.ascending }) == notes)
            for store in [phone, tablet] { #expect(try store.container.integrityProblems() == []) }
        }
    }
}
