import AshlarSQLite
import Foundation
import Synchronization
import Testing

@testable import Ashlar

/// The reports and records of the migrations of several stores, and the settings that each store may have.
@Suite struct SeveralMigrationsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeStores(_ number: Int = 0) throws {
        for configuration in Outpost.configurations {
            let url = folder.file("\(configuration.name).store")
            try Outpost.makeStore(number, at: url, configuration: configuration.name, Outpost.insertRows)
        }
    }

    private func execute(_ name: String, _ statements: String...) throws {
        let connection = try Connection(path: folder.file(name).path, flags: 2)
        for statement in statements { try connection.execute(statement) }
    }

    private func tables(_ name: String) throws -> Set<String> {
        let connection = try StoreFile(url: folder.file(name)).connectToRead(.shared)
        return Set(try SchemaCatalogue(connection).tables.keys)
    }

    @Test func eachStoreHasItsLedger() throws {
        try makeStores()
        var configurations = Outpost.configurations(in: folder)
        configurations[2].migration.programName = "Surveyor"
        for _ in 0..<2 {
            let container = try ModelContainer(for: OutpostModel.self, configurations: configurations)
            for (index, store) in container.stores.enumerated() {
                let records = try store.migrationHistory()
                #expect(records.map(\.kind) == [.migration, .migration])
                #expect(records.map(\.source) == ["Outpost", "Outpost 2"])
                #expect(records.map(\.destination) == ["Outpost 2", "Outpost 3"])
                #expect(records.allSatisfy { ($0.program == "Surveyor") == (index == 2) })
                #expect(try ModelContainer.migrationHistory(ofStoreAt: store.url) == records)
                let known = try store.metadata().knownVersions
                #expect(known == Set(OutpostModel.modelDescription.versions.map(\.shortHash)))
            }
            #expect(try container.migrationHistory() == container.stores[0].migrationHistory())
        }
    }

    @Test func progressSaysWhichStoreItIsAbout() async throws {
        try makeStores()
        let seen = Told()
        let configurations = Outpost.configurations(in: folder)
        let container = try await ModelContainer(
            opening: OutpostModel.self, configurations: configurations[0], configurations[1], configurations[2]
        ) { seen.add($0) }
        #expect(try ModelContext(container).fetchCount(Memo.all) == 3)
        let all = seen.all
        var urls: [URL] = []
        for progress in all where urls.last != progress.url { urls.append(progress.url) }
        #expect(urls == configurations.map(\.url))
        for url in urls {
            let fractions = all.filter { $0.url == url }.map(\.fractionCompleted)
            #expect(fractions == fractions.sorted())
            #expect(fractions.first == 0 && fractions.last == 1)
        }
    }

    @Test func whatWasAddedByHandIsKeptInEachStore() throws {
        try makeStores()
        try execute(
            "Map.store", "CREATE VIEW \"days\" AS SELECT \"day\" FROM \"Visit\"",
            "ALTER TABLE \"Landmark\" ADD COLUMN \"note\" TEXT", "UPDATE \"Landmark\" SET \"note\" = 'mine'")
        let container = try Outpost.container(in: folder)
        #expect(try container.integrityProblems().isEmpty)
        let connection = try StoreFile(url: folder.file("Map.store")).connectToRead(.shared)
        #expect(try connection.rows("SELECT \"day\" FROM \"days\"").count == 2)
        #expect(try connection.text("SELECT \"note\" FROM \"Landmark\"") == "mine")
    }

    @Test func aStoreThatSomebodyAlteredIsLeftAsItIs() throws {
        try makeStores()
        try execute("Map.store", "ALTER TABLE \"Visit\" DROP COLUMN \"day\"")
        let before = try Data(contentsOf: folder.file("Map.store"))
        do {
            _ = try Outpost.container(in: folder)
            Issue.record("a column is missing")
        } catch StoreError.alteredSchema(let url, let differences) {
            #expect(url.lastPathComponent == "Map.store")
            #expect(differences == ["The column Visit.day is missing."])
        }
        #expect(try Data(contentsOf: folder.file("Map.store")) == before)
    }

    @Test func aPlanIsOfTheEntitiesThatTheStoreHolds() throws {
        try makeStores()
        for configuration in Outpost.configurations {
            let url = folder.file("\(configuration.name).store")
            let plan = try ModelContainer.plannedMigration(ofStoreAt: url, for: OutpostModel.self)
            #expect(plan.steps.map(\.destination) == ["Outpost 2", "Outpost 3"])
            let text = plan.steps.flatMap(\.statements).joined(separator: "\n")
            #expect(text.contains("\"Memo\"") == (configuration.name == "Cloud"))
            #expect(text.contains("\"Visit\"") == (configuration.name == "Map"))
            #expect(!text.contains("\"Preference\""))
        }
    }

    @Test func aStoreIsMigratedWithoutTheOthers() throws {
        try makeStores()
        for configuration in Outpost.configurations {
            let url = folder.file("\(configuration.name).store")
            try ModelContainer.migrateStore(at: url, for: OutpostModel.self)
            #expect(try ModelContainer.metadata(ofStoreAt: url).isCurrent(for: OutpostModel.self))
            #expect(try !ModelContainer.plannedMigration(ofStoreAt: url, for: OutpostModel.self).isNeeded)
        }
        #expect(try ModelContainer.metadata(ofStoreAt: folder.file("Cloud.store")).entityNames.count == 3)
        // The new entity Sketch has no relationship to any other. Only a container decides which store it belongs to.
        #expect(try !tables("Local.store").contains("Sketch"))
        #expect(try tables("Map.store").isSuperset(of: ["Landmark", "Picture", "Visit"]))
        let container = try Outpost.container(in: folder)
        #expect(try tables("Local.store").contains("Sketch"))
        #expect(try tables("Cloud.store").isDisjoint(with: ["Sketch", "Landmark", "Preference"]))
        let record = try #require(try container.stores[1].migrationHistory().last)
        #expect(record.kind == .schemaUpdate && record.detail == "with Sketch")
        #expect(try OutpostSnapshot(container).lines.count == 7)
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test func removalsAreFinishedInEveryStore() throws {
        _ = try Outpost.container(in: folder)
        try execute("Map.store", "ALTER TABLE \"Landmark\" ADD COLUMN \"old$removed1\" TEXT")
        try execute(
            "Local.store", "CREATE TABLE \"Gone$removed1\" (\"id$\" INTEGER PRIMARY KEY)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) "
                + "INSERT INTO \"Gone$removed1\" SELECT i FROM n")
        let container = try Outpost.container(in: folder)
        try Outpost.fill(ModelContext(container))
        #expect(try container.stores.map { try $0.hasPendingDeferredMigration() } == [false, true, true])
        #expect(try container.hasPendingDeferredMigration())
        var slices = 1
        while try container.finishDeferredMigrationTask() { slices += 1 }
        #expect(slices == 3)
        #expect(try !container.hasPendingDeferredMigration())
        #expect(try !tables("Local.store").contains("Gone$removed1"))
        #expect(try container.stores[0].migrationHistory().isEmpty)
        #expect(try container.stores[1].migrationHistory().map(\.detail).contains("Gone"))
        #expect(try container.stores[2].migrationHistory().map(\.detail).contains("Landmark.old"))
        #expect(try OutpostSnapshot(container).lines.count == 7)
    }

    @Test func aBackupIsOfOneStore() throws {
        try makeStores()
        var configurations = Outpost.configurations(in: folder)
        configurations[2].migration.backup = folder.file("before.store")
        configurations[0].migration.isAutomatic = false
        do {
            _ = try ModelContainer(for: OutpostModel.self, configurations: configurations)
            Issue.record("the store of Memo may not be migrated")
        } catch StoreError.migrationRequired(let url, _, _) {
            #expect(url.lastPathComponent == "Cloud.store")
        }
        configurations[0].migration.isAutomatic = true
        _ = try ModelContainer(for: OutpostModel.self, configurations: configurations)
        let backup = try ModelContainer.metadata(ofStoreAt: folder.file("before.store"))
        #expect(backup.versionName == "Outpost")
        #expect(backup.entityNames == ["Landmark", "Visit"])
    }
}

/// Keeps the reports of migrations.
private final class Told: Sendable {
    private let list = Mutex<[MigrationProgress]>([])

    var all: [MigrationProgress] { list.withLock { $0 } }

    func add(_ progress: MigrationProgress) { list.withLock { $0.append(progress) } }
}
