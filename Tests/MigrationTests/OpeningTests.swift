import AshlarSQLite
import Foundation
import RandomNumbers
import Synchronization
import Testing

@_spi(Generated) @testable import Ashlar

/// Opening a store of an older version, and the progress that it reports.
@Suite struct OpeningTests {
    let folder: TemporaryFolder
    var url: URL { folder.file() }

    init() throws { folder = try TemporaryFolder() }

    /// Records the reports to a monitor.
    private final class Told: Sendable {
        private let list = Mutex<[MigrationProgress]>([])
        var all: [MigrationProgress] { list.withLock { $0 } }
        func add(_ progress: MigrationProgress) { list.withLock { $0.append(progress) } }
    }

    @Test("row 157: the whole chain") func theWholeChain() throws {
        try Harbour.makeStore(at: url)
        try Harbour.open(url)
        try Harbour.expectCurrent(url)
        let connection = try Harbour.connect(url)
        #expect(try connection.integer("SELECT sum(entryCount) FROM Ship") == 33)
        #expect(try connection.integer("SELECT count(*) FROM Ship WHERE code = 'none'") == 2)
        #expect(try connection.integer("SELECT count(*) FROM \"Seaman$commands\"") == 9)
        #expect(try connection.text("SELECT \"key\" FROM Ship WHERE name = 'Ship 3'") == "ship 3")
        #expect(try connection.text("SELECT DISTINCT entity$ FROM Mark") == "Buoy")
        #expect(try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = 'Ship'") == 12)
    }

    @Test("row 167: the ledger") func theLedger() throws {
        try Harbour.makeStore(at: url)
        #expect(try ModelContainer.migrationHistory(ofStoreAt: url).isEmpty)
        try Harbour.open(url, Harbour.model(2), migration: MigrationOptions(programName: "two"))
        try Harbour.open(url, migration: MigrationOptions(programName: "four"))
        let records = try ModelContainer.migrationHistory(ofStoreAt: url)
        #expect(records.map(\.kind) == [.migration, .migration, .migration])
        #expect(records.map(\.source) == ["Harbour", "Harbour 2", "Harbour 3"])
        #expect(records.map(\.destination) == ["Harbour 2", "Harbour 3", "Harbour 4"])
        #expect(records.map(\.program) == ["two", "four", "four"])
        #expect(records.map(\.versionHash) == Harbour.current.versions.dropFirst().map(\.versionHash))
        #expect(records.allSatisfy { abs($0.date.timeIntervalSinceNow) < 3600 && !$0.sqliteVersion.isEmpty })
        // A program without a name in its options gets one.
        #expect(!MigrationOptions().program.isEmpty)
        // An opening without a migration adds nothing.
        try Harbour.open(url)
        #expect(try ModelContainer.migrationHistory(ofStoreAt: url).count == 3)
    }

    @Test func tellsHowFarItIs() throws {
        try Harbour.makeStore(at: url, ships: 1000)
        let told = Told()
        let planned = try ModelContainer.plannedMigration(
            ofStoreAt: url, for: Harbour.current, options: MigrationOptions())
        try Harbour.open(url, monitor: MigrationMonitor { told.add($0) })
        let all = told.all
        for (earlier, later) in zip(all, all.dropFirst()) {
            #expect(earlier.fractionCompleted <= later.fractionCompleted)
            #expect(earlier.completedRows <= later.completedRows)
        }
        let last = try #require(all.last)
        #expect(last.fractionCompleted == 1)
        #expect(last.completedRows == last.estimatedRows && last.estimatedRows == planned.estimatedRows)
        #expect(last.estimatedRows > 1000 * 5)
        #expect(last.completedStatements == last.totalStatements)
        // Tables that several versions rewrite are rewritten once.
        let count = planned.steps.map(\.statements.count).reduce(0, +)
        #expect(last.totalStatements < count && last.totalStatements > count / 2)
        let phases = all.map(\.phase)
        for phase in [
            MigrationProgress.Phase.migrating(from: "Harbour", to: "Harbour 2"),
            .migrating(from: "Harbour 3", to: "Harbour 4"), .updatingSchema, .checking,
        ] { #expect(phases.contains(phase)) }
        // A long statement reports more than its beginning and end.
        #expect(Dictionary(grouping: all, by: \.completedStatements).values.contains { $0.count > 4 })
        let silent = Told()
        try Harbour.open(url, monitor: MigrationMonitor { silent.add($0) })
        #expect(silent.all.isEmpty)
    }

    /// A migration can be canceled between statements and in the middle of one.
    @Test func cancelling() throws {
        try Harbour.makeStore(at: url, ships: 700)
        let before = try Harbour.rows(of: url)
        let counter = Told()
        let copy = folder.file("copy.store")
        try ModelContainer.backUpStore(at: url, to: copy)
        try Harbour.open(copy, monitor: MigrationMonitor { counter.add($0) })
        let count = counter.all.count
        for number in stride(from: 1, to: count - 2, by: max(1, count / (5 * TestEffort.factor))) {
            let seen = Atomic(0)
            let box = Mutex<MigrationMonitor?>(nil)
            let monitor = MigrationMonitor { _ in
                let (_, count) = seen.add(1, ordering: .relaxed)
                if count == number { box.withLock { $0?.cancel() } }
            }
            box.withLock { $0 = monitor }
            #expect(throws: CancellationError.self, "\(number)") { try Harbour.open(url, monitor: monitor) }
            #expect(try Harbour.rows(of: url) == before)
            #expect(try ModelContainer.metadata(ofStoreAt: url).versionName == "Harbour")
            #expect(try folder.names() == ["copy.store", "harbour.store"])
        }
        try Harbour.open(url)
        try Harbour.expectCurrent(url)
    }

    private enum HarbourModel: ManagedObjectModel {
        static var modelDescription: ModelDescription { Harbour.current }
    }

    @Test func cancellingATask() async throws {
        try Harbour.makeStore(at: url)
        let before = try Harbour.rows(of: url)
        let url = url
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        // The migration runs on a thread that may block, not on one of the tasks' pool.
        let cancelled = DispatchSemaphore(value: 0)
        let task = Task {
            try await ModelContainer(
                opening: HarbourModel.self, configurations: ModelConfiguration(url: url)
            ) { _ in
                continuation.yield()
                cancelled.wait()
                cancelled.signal()
            }
        }
        for await _ in stream { break }
        task.cancel()
        cancelled.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try Harbour.rows(of: url) == before)
        let told = Told()
        let container = try await ModelContainer(
            opening: HarbourModel.self, configurations: ModelConfiguration(url: url)
        ) { told.add($0) }
        #expect(try container.metadata().versionName == "Harbour 4")
        #expect(try container.migrationHistory().count == 3)
        #expect(!told.all.isEmpty)
    }

    // MARK: Stores that cannot be opened

    @Test func withoutMigrating() throws {
        try Harbour.makeStore(at: url)
        let before = try Data(contentsOf: url)
        #expect {
            try Harbour.open(url, migration: MigrationOptions(isAutomatic: false))
        } throws: {
            if case StoreError.migrationRequired(url, "Harbour", "Harbour 4") = $0 { true } else { false }
        }
        #expect {
            let configuration = ModelConfiguration(url: url, allowsSave: false)
            _ = try StoreOpener(model: Harbour.current, configuration: configuration).open()
        } throws: {
            if case StoreError.migrationRequired(url, "Harbour", "Harbour 4") = $0 { true } else { false }
        }
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func aNewerStore() throws {
        try Harbour.makeStore(at: url)
        try Harbour.open(url)
        let made = folder.file("made.store")
        try Harbour.open(made)
        for store in [url, made] {
            let before = try Data(contentsOf: store)
            #expect {
                try Harbour.open(store, Harbour.model(2))
            } throws: {
                guard case StoreError.newerVersion(store, "Harbour 4", "Harbour 2", let differences) = $0 else {
                    return false
                }
                return differences.first == "It is nearest to \"Harbour 2\"."
                    && differences.contains("Crate: not in the store")
                    && differences.contains("Officer: only in the store")
            }
            #expect(try Data(contentsOf: store) == before)
        }
    }

    @Test func anUnknownStore() throws {
        let other = ModelDescription(
            name: Harbour.current.name, entities: [],
            versions: [
                ModelDescription.Version(name: "other", versionHash: "h", schemaHash: "s", entityHashes: "Ship 1")
            ], schema: Harbour.model(1).schema)
        try Harbour.open(url, other)
        #expect {
            try Harbour.open(url)
        } throws: {
            if case StoreError.unknownVersion(url, "other", let differences) = $0 {
                differences.contains("Ship: differs")
            } else {
                false
            }
        }
    }

    @Test func aStoreThatWasAltered() throws {
        try Harbour.makeStore(at: url)
        try Harbour.execute(
            url, "ALTER TABLE Ship DROP COLUMN colour", "ALTER TABLE Entry RENAME COLUMN text TO words",
            "DROP TABLE Crate")
        let before = try Harbour.rows(of: url)
        #expect {
            try Harbour.open(url)
        } throws: {
            guard case StoreError.alteredSchema(url, let differences) = $0 else { return false }
            return differences == [
                "The column Entry.text is missing.", "The column Ship.colour is missing.",
                "The table Crate is missing.",
            ]
        }
        #expect(try Harbour.rows(of: url) == before)
    }

    /// A program without the schema of its first version reports the differences that it can find.
    @Test func aStoreThatWasAlteredOfAnOldModel() throws {
        let model = ModelDescription(
            name: Harbour.current.name, entities: [], versions: Harbour.current.versions, schema: Harbour.current.schema
        )
        try Harbour.makeStore(at: url)
        try Harbour.execute(url, "ALTER TABLE Ship RENAME COLUMN tons TO mass")
        #expect {
            try Harbour.open(url, model)
        } throws: {
            guard case StoreError.alteredSchema(url, let differences) = $0 else { return false }
            return differences.count == 1 && differences[0].contains("no such column")
        }
    }

    @Test("row 165: rows that do not fit") func rowsThatDoNotFit() throws {
        try Harbour.makeStore(at: url)
        try Harbour.execute(url, "UPDATE Entry SET ship = NULL WHERE id$ = 7")
        let before = try Harbour.rows(of: url)
        #expect {
            try Harbour.open(url)
        } throws: {
            if case StoreError.migrationRefused(url, "Harbour 3", "Harbour 4", "Entry", 7, _) = $0 {
                true
            } else {
                false
            }
        }
        #expect(try Harbour.rows(of: url) == before)
        #expect(try ModelContainer.migrationHistory(ofStoreAt: url).isEmpty)
    }
}
