import AshlarSQLite
import CFaultInjection
import Foundation
import RandomNumbers
import Testing
import ThreadTraits

@testable import Ashlar

/// The disk fails, or the process is killed, at each single operation of a migration in turn. The store is entirely old
/// or entirely new, and the next attempt succeeds.
@Suite(.serialized, .ownThreads) struct FaultTests {
    /// The operation during which the disk fails.
    enum Scenario: String, CaseIterable, CustomTestStringConvertible {
        case plain
        /// Few pages in memory, and a log that is copied at every commit, touch more of the disk.
        case hungry
        /// With a rollback journal in place of the log.
        case journal
        case hungryJournal
        case backup
        case deferred
        /// A program whose newest version is the second migrates first, so that two ledgers meet.
        case secondVersion

        var testDescription: String { rawValue }

        var options: StoreOptions {
            switch self {
            case .hungry, .hungryJournal: StoreOptions(cacheSize: 0, synchronous: .full, walAutocheckpoint: 1)
            default: StoreOptions()
            }
        }

        var hasJournal: Bool { self == .journal || self == .hungryJournal }

        func migrate(_ folder: URL) throws {
            let url = folder.appendingPathComponent("harbour.store")
            var migration = MigrationOptions(defersRemovals: self == .deferred)
            if hasJournal { migration.rollbackJournalThreshold = 0 }
            if self == .backup { migration.backup = folder.appendingPathComponent("backup.store") }
            try Harbour.open(url, Harbour.current, options, migration: migration)
        }

        func makeStore(at url: URL) throws {
            try Harbour.makeStore(at: url, ships: 6)
            if self == .secondVersion { try Harbour.open(url, Harbour.model(2)) }
        }
    }

    /// The rows of a store before and after a migration, and a template of its files.
    struct Example {
        let scenario: Scenario
        let template: TemporaryFolder
        let before: [String: [[SQLiteValue]]]
        let after: [String: [[SQLiteValue]]]
        /// The number of operations of the disk.
        let count: Int

        init(_ scenario: Scenario) throws {
            self.scenario = scenario
            template = try TemporaryFolder()
            try scenario.makeStore(at: template.file())
            before = try Harbour.rows(of: template.file())
            let folder = try TemporaryFolder()
            try FileManager.default.copyItem(at: template.file(), to: folder.file())
            fault_arm(folder.url.path, .max, 0, FAULT_KILL, 0)
            let result = Result { try scenario.migrate(folder.url) }
            count = Int(fault_disarm())
            try result.get()
            after = try Harbour.rows(of: folder.file())
            #expect(count > 30)
        }

        func folder() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            try FileManager.default.copyItem(at: template.file(), to: folder.file())
            return folder
        }

        /// Checks the store after a fault, and that the next attempt succeeds.
        func expectWhole(_ folder: TemporaryFolder, failed: Bool?, _ comment: Comment) throws {
            if scenario.hasJournal {
                // The first reader finds a journal that was left.
                let name = try ModelContainer.metadata(ofStoreAt: folder.file()).versionName
                #expect(name == "Harbour" || name == "Harbour 4", comment)
            }
            let found = try Harbour.rows(of: folder.file())
            #expect(found == before || found == after, comment)
            if let failed, !failed { #expect(found == after, comment) }
            if scenario == .backup, found == after {
                #expect(try Harbour.rows(of: folder.file("backup.store")) == before, comment)
            }
            try scenario.migrate(folder.url)
            try Harbour.expectCurrent(folder.file(), comment)
            #expect(try Harbour.rows(of: folder.file()) == after, comment)
            let history = try ModelContainer.migrationHistory(ofStoreAt: folder.file())
            #expect(history.map(\.destination) == ["Harbour 2", "Harbour 3", "Harbour 4"], comment)
            if scenario == .backup {
                #expect(try Harbour.rows(of: folder.file("backup.store")) == before, comment)
                #expect(try ModelContainer.metadata(ofStoreAt: folder.file("backup.store")).versionName == "Harbour")
            }
        }
    }

    init() { #expect(fault_install() == SQLITE_OK) }

    static let codes: [(code: Int32, isSticky: Bool)] = [
        (SQLITE_FULL, false), (SQLITE_FULL, true), (SQLITE_IOERR | 3 << 8, true), (SQLITE_IOERR | 4 << 8, false),
    ]

    /// All operations if the effort is more than 1, otherwise some of them, evenly spread.
    private func numbers(_ count: Int, samples: Int) -> [Int] {
        TestEffort.factor > 1 ? Array(1...count) : Array(stride(from: 1, through: count, by: max(1, count / samples)))
    }

    @Test("row 165: any operation fails", arguments: Scenario.allCases)
    func anyOperationFails(_ scenario: Scenario) throws {
        let example = try Example(scenario)
        for (position, (code, isSticky)) in Self.codes.enumerated() {
            // Each scenario tries at least two of the codes.
            if TestEffort.factor == 1, position % 2 != scenario.rawValue.count % 2 { continue }
            for number in numbers(example.count, samples: 2) {
                let comment: Comment = "\(scenario), \(code)\(isSticky ? ", from then on" : ""), operation \(number)"
                let folder = try example.folder()
                fault_arm(folder.url.path, Int32(number), code, FAULT_FAIL, isSticky ? 1 : 0)
                let result = Result { try scenario.migrate(folder.url) }
                _ = fault_disarm()
                var hasFailed = false
                if case .failure(let error) = result {
                    hasFailed = true
                    #expect(error is StoreError, comment)
                }
                try example.expectWhole(folder, failed: hasFailed, comment)
            }
        }
    }

    #if os(Linux) || os(macOS)
        @Test("row 165: killed at any operation", arguments: Scenario.allCases)
        func killedAtAnyOperation(_ scenario: Scenario) async throws {
            let example = try Example(scenario)
            for number in numbers(example.count, samples: 2) {
                let folder = try example.folder()
                let (path, name) = (folder.url.path, scenario.rawValue)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, name = name as String, number = number as Int] in
                    _ = fault_install()
                    fault_arm(path, Int32(number), 0, FAULT_KILL, 0)
                    try Scenario(rawValue: name)?.migrate(URL(fileURLWithPath: path))
                    raise(SIGKILL)
                }
                try example.expectWhole(folder, failed: nil, "\(scenario), killed at operation \(number)")
            }
        }
    #endif

    /// The log that a crash left is part of the store that is migrated.
    @Test func aLogThatACrashLeft() throws {
        let folder = try TemporaryFolder()
        let living = folder.file("living.store")
        try Harbour.makeStore(at: living)
        let connection = try Harbour.connect(living)
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.execute("INSERT INTO Buoy (place) VALUES ('in the log')")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: living.path + suffix, toPath: folder.file().path + suffix)
        }
        try Harbour.open(folder.file())
        try Harbour.expectCurrent(folder.file())
        let place = try Harbour.connect(folder.file()).text("SELECT place FROM Mark ORDER BY id$ DESC")
        #expect(place == "in the log")
    }

    /// Readers keep their snapshot, and the migration waits for a writer that comes in between.
    @Test(arguments: [.max, 0] as [Int64]) func anotherReadsAndWrites(_ journalThreshold: Int64) throws {
        let folder = try TemporaryFolder()
        try Harbour.makeStore(at: folder.file())
        let reader = try Harbour.connect(folder.file())
        try reader.execute("BEGIN")
        #expect(try reader.integer("SELECT count(*) FROM Crate") == 12)
        let writer = try Harbour.connect(folder.file())
        try writer.execute("BEGIN IMMEDIATE")
        try writer.execute("INSERT INTO Buoy (place) VALUES ('meanwhile')")
        #expect {
            try Harbour.open(
                folder.file(), Harbour.current, StoreOptions(busyTimeout: .zero),
                migration: MigrationOptions(waitingTime: .milliseconds(60)))
        } throws: {
            if case StoreError.locked = $0 { true } else { false }
        }
        let monitor = MigrationMonitor { progress in
            guard progress.phase == .waiting else { return }
            try? writer.execute("COMMIT")
        }
        var migration = MigrationOptions()
        migration.rollbackJournalThreshold = journalThreshold
        try Harbour.open(folder.file(), migration: migration, monitor: monitor)
        #expect(try reader.integer("SELECT count(*) FROM Crate") == 12)
        try reader.execute("COMMIT")
        #expect(try reader.integer("SELECT count(*) FROM Mark WHERE place = 'meanwhile'") == 1)
        try Harbour.expectCurrent(folder.file())
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere")) func aFolderThatCannotBeWritten() throws {
        let folder = try TemporaryFolder()
        try Harbour.makeStore(at: folder.file())
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
        defer {
            try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        }
        #expect {
            try Harbour.open(folder.file())
        } throws: {
            if case StoreError.migrationRequired = $0 { true } else { false }
        }
    }

    #if os(Linux) || os(macOS)
        /// One of them migrates, and the others wait for it.
        @Test(arguments: [.max, 0] as [Int64]) func severalProcessesAtOnce(_ journalThreshold: Int64) async throws {
            let folder = try TemporaryFolder()
            try Harbour.makeStore(at: folder.file(), ships: 1500)
            let path = folder.file().path
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in ["a", "b", "c", "d"] {
                    group.addTask {
                        await #expect(processExitsWith: .success) {
                            [path = path as String, name = name as String, threshold = journalThreshold as Int64] in
                            // Each process begins when all have started.
                            let url = URL(fileURLWithPath: path)
                            let folder = url.deletingLastPathComponent()
                            let ready = folder.appendingPathComponent("ready-\(name)").path
                            _ = FileManager.default.createFile(atPath: ready, contents: nil)
                            let names = ["a", "b", "c", "d"].map { folder.appendingPathComponent("ready-\($0)").path }
                            while !names.allSatisfy({ FileManager.default.fileExists(atPath: $0) }) { usleep(500) }
                            var migration = MigrationOptions(programName: name)
                            migration.rollbackJournalThreshold = threshold
                            try Harbour.open(url, migration: migration)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try Harbour.expectCurrent(folder.file())
            let history = try ModelContainer.migrationHistory(ofStoreAt: folder.file())
            #expect(history.map(\.destination) == ["Harbour 2", "Harbour 3", "Harbour 4"])
            #expect(Set(history.map(\.program)).count == 1)
        }
    #endif
}
