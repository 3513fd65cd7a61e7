import AshlarSQLite
import Foundation
import Synchronization
import Testing

@_spi(Generated) @testable import Ashlar

/// A migration that writes tables anew needs no write-ahead log if no other connection has the store open.
@Suite struct RollbackJournalTests {
    let folder: TemporaryFolder
    var url: URL { folder.file() }
    private var journal: String { url.path + "-journal" }

    init() throws { folder = try TemporaryFolder() }

    /// A counter that several threads increment.
    private final class Count: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }

        @discardableResult
        func increase() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    private func migration(_ journalThreshold: Int64) -> MigrationOptions {
        var options = MigrationOptions()
        options.rollbackJournalThreshold = journalThreshold
        return options
    }

    /// Migrates the store, and returns whether it had a rollback journal meanwhile.
    @discardableResult
    private func usesJournal(
        _ migration: MigrationOptions, _ options: StoreOptions = StoreOptions()
    ) throws -> Bool {
        let count = Count()
        let journal = journal
        let monitor = MigrationMonitor { progress in
            guard case .migrating = progress.phase, FileManager.default.fileExists(atPath: journal) else { return }
            count.increase()
        }
        let opened = try Harbour.open(url, Harbour.current, options, migration: migration, monitor: monitor)
        try opened.pool.write { connection in
            let hasLog = try connection.hasWriteAheadLog
            #expect(hasLog)
            #expect(try connection.integer("PRAGMA synchronous") == (options.synchronous == .full ? 2 : 1))
            #expect(connection.ending.busyTimeout == options.busyMilliseconds)
        }
        #expect(!FileManager.default.fileExists(atPath: journal))
        try Harbour.expectCurrent(url)
        return count.value > 0
    }

    @Test func aLargeStore() throws {
        try Harbour.makeStore(at: url, ships: 400, photo: 12_000)
        let isUsed = try usesJournal(MigrationOptions())
        #expect(isUsed)
    }

    @Test func aSmallStore() throws {
        try Harbour.makeStore(at: url)
        let isUsed = try usesJournal(MigrationOptions())
        #expect(!isUsed)
    }

    @Test func optionsAreAsTheyWere() throws {
        try Harbour.makeStore(at: url)
        let isUsed = try usesJournal(migration(0), StoreOptions(synchronous: .full, busyTimeout: .milliseconds(1234)))
        #expect(isUsed)
    }

    @Test func noTableIsWrittenAnew() throws {
        try Harbour.makeStore(at: url)
        var versions = Array(Harbour.current.versions.prefix(2))
        versions[1].migration = [.renameTable("Crate", to: "Chest")]
        let model = ModelDescription(
            name: Harbour.current.name, entities: [], versions: versions,
            schema: Harbour.model(1).schema.map { $0.replacing("\"Crate\"", with: "\"Chest\"") },
            firstSchema: Harbour.current.firstSchema)
        let monitor = MigrationMonitor { [journal] _ in #expect(!FileManager.default.fileExists(atPath: journal)) }
        try Harbour.open(url, model, migration: migration(0), monitor: monitor)
        #expect(try Harbour.connect(url).integer("SELECT count(*) FROM Chest") == 12)
    }

    /// A backup needs the log: with it, another connection can still read the earlier state of the store.
    @Test func aBackup() throws {
        try Harbour.makeStore(at: url)
        var migration = migration(0)
        migration.backup = folder.file("backup.store")
        let isUsed = try usesJournal(migration)
        #expect(!isUsed)
    }

    /// Another program may ship the log, and checkpoint it afterwards.
    @Test func theLogIsShipped() throws {
        try Harbour.makeStore(at: url)
        let isUsed = try usesJournal(migration(0), StoreOptions(walAutocheckpoint: 0))
        #expect(!isUsed)
    }

    @Test func anotherHasTheStoreOpen() throws {
        try Harbour.makeStore(at: url)
        let other = try Harbour.connect(url)
        #expect(try other.integer("SELECT count(*) FROM Crate") == 12)
        let isUsed = try usesJournal(migration(0))
        #expect(!isUsed)
    }

    /// Without a log, new pages are written once.
    @Test func itNeedsLessRoom() throws {
        try Harbour.makeStore(at: url, ships: 400, photo: 12_000)
        let before = try size()
        let planned = try ModelContainer.plannedMigration(
            ofStoreAt: url, for: Harbour.current, options: MigrationOptions())
        let connection = try Harbour.connect(url)
        let metadata = try #require(try StoreMetadata(connection))
        let migrator = StoreMigrator(model: Harbour.current, url: url, isWritable: true)
        let room = try migrator.prepare(connection, metadata, hasLog: false).room.storeBytes
        #expect(room < planned.neededBytes * 2 / 3)
        var poor = migrator
        poor.freeSpace = FreeSpace { _ in (room - 1, 1) }
        let content = try Data(contentsOf: url)
        #expect {
            _ = try poor.bringUpToDate(connection, metadata)
        } throws: {
            if case StoreError.insufficientSpace = $0 { true } else { false }
        }
        #expect(try Data(contentsOf: url) == content)
        try usesJournal(MigrationOptions())
        #expect(try size() - before <= room)
    }

    private func size() throws -> Int64 {
        try (FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// A connection that opens the store during a migration waits as long as a migration may take, whatever its busy
    /// timeout. After the migration, one without a timeout may still find the store locked while the other opens it.
    @Test func whoComesMeanwhileWaits() async throws {
        try Harbour.makeStore(at: url)
        let (url, journal) = (url, journal)
        let isWaiting = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let failures = Count()
        let begun = Count()
        let released = Count()
        let monitor = MigrationMonitor { progress in
            guard case .migrating = progress.phase, FileManager.default.fileExists(atPath: journal),
                begun.increase() == 1
            else { return }
            Thread.detachNewThread {
                let monitor = MigrationMonitor { if $0.phase == .waiting { isWaiting.signal() } }
                while true {
                    do {
                        try Harbour.open(
                            url, Harbour.current, StoreOptions(busyTimeout: .zero),
                            migration: MigrationOptions(), monitor: monitor)
                    } catch StoreError.locked where released.value > 0 {
                        continue
                    } catch {
                        Issue.record(error)
                        failures.increase()
                        for _ in 0..<3 { isWaiting.signal() }
                    }
                    break
                }
                ended.signal()
            }
            for _ in 0..<3 { isWaiting.wait() }
            released.increase()
        }
        try Harbour.open(
            url, Harbour.current, StoreOptions(cacheSize: 0), migration: migration(0), monitor: monitor)
        #expect(begun.value > 0)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                ended.wait()
                continuation.resume()
            }
        }
        #expect(failures.value == 0)
        #expect(try ModelContainer.migrationHistory(ofStoreAt: url).count == 3)
    }

    // MARK: The files after the process is killed

    /// Copies of the file and its journal, as they were at some moments of a migration.
    private func remains() throws -> [URL] {
        try Harbour.makeStore(at: url)
        let (url, journal, count) = (url, journal, Count())
        let monitor = MigrationMonitor { progress in
            guard case .migrating = progress.phase, FileManager.default.fileExists(atPath: journal),
                progress.completedStatements % 4 == 0
            else { return }
            let copy = url.path + "-\(count.increase())"
            #expect(throws: Never.self) {
                try FileManager.default.copyItem(atPath: url.path, toPath: copy)
                try FileManager.default.copyItem(atPath: journal, toPath: copy + "-journal")
            }
        }
        try Harbour.open(
            url, Harbour.current, StoreOptions(cacheSize: 0), migration: migration(0), monitor: monitor)
        #expect(count.value > 10)
        return (0..<count.value).map { URL(fileURLWithPath: url.path + "-\($0 + 1)") }
    }

    @Test func aJournalIsUndone() throws {
        let remains = try remains()
        for (number, copy) in remains.enumerated() {
            switch number % 4 {
            case 0: try Harbour.open(copy)
            case 1: #expect(try ModelContainer.metadata(ofStoreAt: copy).versionName == "Harbour")
            case 2:
                let planned = try ModelContainer.plannedMigration(
                    ofStoreAt: copy, for: Harbour.current, options: MigrationOptions())
                #expect(planned.steps.count == 3)
            default:
                #expect {
                    let configuration = ModelConfiguration(url: copy, allowsSave: false)
                    _ = try StoreOpener(model: Harbour.current, configuration: configuration).open()
                } throws: {
                    if case StoreError.migrationRequired(copy, "Harbour", "Harbour 4") = $0 { true } else { false }
                }
            }
            #expect(!FileManager.default.fileExists(atPath: copy.path + "-journal"))
            try Harbour.open(copy)
            try Harbour.expectCurrent(copy)
        }
    }

    // MARK: Checks against the store before the migration

    /// A migration goes on despite broken references that existed before, and keeps them.
    @Test(arguments: [.max, 0] as [Int64]) func referencesThatAreBrokenAlready(_ journalThreshold: Int64) throws {
        try Harbour.makeStore(at: url)
        try Harbour.execute(
            url, "PRAGMA foreign_keys = OFF", "UPDATE Entry SET ship = 999 WHERE id$ = 7",
            "INSERT INTO \"Sailor$ships\" (source$, target$) VALUES (3, 777)")
        try Harbour.open(url, migration: migration(journalThreshold))
        try Harbour.expectCurrent(url)
        let connection = try Harbour.connect(url)
        #expect(try connection.integer("SELECT ship FROM Entry WHERE id$ = 7") == 999)
        #expect(try connection.integer("SELECT count(*) FROM \"Seaman$ships\" WHERE target$ = 777") == 1)
    }

    /// A migration that breaks references itself is undone.
    @Test(arguments: [.max, 0] as [Int64]) func referencesThatAMigrationBreaks(_ journalThreshold: Int64) throws {
        try Harbour.makeStore(at: url)
        try Harbour.execute(url, "PRAGMA foreign_keys = OFF", "UPDATE Entry SET ship = 999 WHERE id$ = 7")
        var versions = Harbour.current.versions
        versions[3].migration.append(
            .updateRows(of: "Entry", columns: ["ship"], values: ["999"], where: "id$ IN (8, 9)"))
        let model = ModelDescription(
            name: Harbour.current.name, entities: [], versions: versions, schema: Harbour.current.schema,
            firstSchema: Harbour.current.firstSchema)
        let before = try Harbour.rows(of: url)
        #expect {
            try Harbour.open(url, model, migration: migration(journalThreshold))
        } throws: {
            if case StoreError.migrationBrokeReferences(url, _, _, ["Entry"]) = $0 { true } else { false }
        }
        #expect(try Harbour.rows(of: url) == before)
    }
}
