import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Every store of a container is migrated by itself, and records its entities.
@Suite struct StoreMigrationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func rows(_ name: String, _ sql: String) throws -> [[SQLiteValue]] {
        try StoreFile(url: folder.file(name)).connectToRead(.shared).rows(sql)
    }

    @Test("row 157: the stores are migrated as one store would be")
    func eachStoreIsMigrated() throws {
        for number in 0...1 {
            let folder = try TemporaryFolder()
            for configuration in Outpost.configurations {
                let url = folder.file("\(configuration.name).store")
                try Outpost.makeStore(number, at: url, configuration: configuration.name, Outpost.insertRows)
            }
            try Outpost.makeStore(number, at: folder.file("whole.store"), Outpost.insertRows)
            let several = try Outpost.container(in: folder)
            let whole = try ModelContainer(for: OutpostModel.self, at: folder.file("whole.store"))
            #expect(try OutpostSnapshot(several) == OutpostSnapshot(whole))
            #expect(try OutpostSnapshot(several).lines.count == 7)
            for store in several.stores {
                let metadata = try store.metadata()
                #expect(metadata.versionName == "Outpost 3")
                #expect(metadata.entityNames == store.entityNames)
                #expect(metadata.isCurrent(for: OutpostModel.self))
            }
            try Outpost.fill(ModelContext(try Outpost.memory()))
            #expect(try several.integrityProblems().isEmpty)
        }
    }

    @Test func aStoreWhosePartDidNotChangeKeepsItsTables() throws {
        try Outpost.makeStore(1, at: folder.file("Cloud.store"), configuration: "Cloud", Outpost.insertRows)
        let sql =
            "SELECT \"rootpage\", \"sql\" FROM \"sqlite_schema\" WHERE \"tbl_name\" <> '\(MigrationLedger.tableName)' "
            + "ORDER BY \"rootpage\""
        let before = try rows("Cloud.store", sql)
        let container = try Outpost.container(in: folder)
        #expect(try rows("Cloud.store", sql) == before)
        #expect(try container.stores[0].metadata().versionName == "Outpost 3")
        #expect(try ModelContext(container).fetchCount(Memo.all) == 3)
    }

    @Test func aReadOnlyStoreWhosePartDidNotChangeIsOpened() throws {
        try Outpost.makeStore(1, at: folder.file("Cloud.store"), configuration: "Cloud", Outpost.insertRows)
        try Outpost.makeStore(1, at: folder.file("Map.store"), configuration: "Map", Outpost.insertRows)
        let before = try Data(contentsOf: folder.file("Cloud.store"))
        var configurations = Outpost.configurations(in: folder)
        configurations[0].allowsSave = false
        do {
            let container = try ModelContainer(for: OutpostModel.self, configurations: configurations)
            #expect(try ModelContext(container).fetch(Emblem.all).map(\.memoCount).sorted() == [1, 3])
            #expect(try container.stores[0].metadata().versionName == "Outpost 2")
        }
        #expect(try Data(contentsOf: folder.file("Cloud.store")) == before)
        // A store that would change is refused.
        try Outpost.makeStore(0, at: folder.file("old.store"), configuration: "Cloud", Outpost.insertRows)
        configurations[0].url = folder.file("old.store")
        #expect(throws: StoreError.self) {
            try ModelContainer(for: OutpostModel.self, configurations: configurations)
        }
    }

    @Test("a store with the objects of others is left as it is")
    func aStoreOfEverythingIsRefused() throws {
        for number in [0, 1] {
            let url = folder.file("whole \(number).store")
            try Outpost.makeStore(number, at: url, Outpost.insertRows)
            let before = try Data(contentsOf: url)
            let configuration = ModelConfiguration(configuration: OutpostModel.Configuration.cloud, url: url)
            do {
                _ = try ModelContainer(for: OutpostModel.self, configurations: configuration)
                Issue.record("it has objects of Landmark")
            } catch StoreError.objectsOfOtherStore(_, let entities) {
                #expect(entities == ["Landmark", "Preference", "Visit"])
            }
            #expect(try Data(contentsOf: url) == before)
            #expect(try ModelContext(ModelContainer(for: OutpostModel.self, at: url)).fetchCount(Landmark.all) == 1)
        }
    }

    @Test("the store of an older program becomes one of several when the others' objects are out of it")
    func aStoreIsDivided() throws {
        let url = folder.file("Cloud.store")
        try Outpost.makeStore(at: url, Outpost.insertRows)
        var moved: [(String, Double)] = []
        do {
            let context = ModelContext(try ModelContainer(for: OutpostModel.self, at: url))
            for landmark in try context.fetch(Landmark.all) {
                moved.append((landmark.name, landmark.latitude))
                context.delete(landmark)
            }
            for preference in try context.fetch(Preference.all) { context.delete(preference) }
            for visit in try context.fetch(Visit.all) { context.delete(visit) }
            try context.save()
        }
        let container = try Outpost.container(in: folder)
        let context = ModelContext(container)
        for (name, latitude) in moved { context.insert(Landmark(latitude: latitude, name: name)) }
        try context.save()
        #expect(try context.fetchCount(Memo.all) == 3)
        let names = "('Landmark', 'Visit', 'Preference')"
        #expect(
            try rows("Cloud.store", "SELECT 1 FROM \"sqlite_schema\" WHERE \"tbl_name\" IN \(names)").isEmpty)
        #expect(try container.stores[0].metadata().entityNames == ["Emblem", "Memo", "Reminder"])
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test("a store of some entities is one of all when it is opened so, and back, and no rowid is used twice")
    func aStoreGetsTablesAndLosesThem() throws {
        let cloud = Outpost.configurations(in: folder)[0]
        let url = cloud.url
        do {
            let context = ModelContext(try ModelContainer(for: OutpostModel.self, configurations: cloud))
            context.insert(Memo(title: "kept"))
            try context.save()
        }
        var identifier: Int64 = 0
        do {
            let context = ModelContext(try ModelContainer(for: OutpostModel.self, at: url))
            #expect(try context.fetch(Memo.all).map(\.title) == ["kept"])
            let sketch = Sketch(text: "gone")
            context.insert(sketch)
            context.insert(Landmark(latitude: 4, name: "gone"))
            try context.save()
            identifier = sketch.persistentModelID.rowID
            for landmark in try context.fetch(Landmark.all) { context.delete(landmark) }
            context.delete(sketch)
            try context.save()
        }
        do {
            let context = ModelContext(try ModelContainer(for: OutpostModel.self, configurations: cloud))
            #expect(try context.fetch(Memo.all).map(\.title) == ["kept"])
            #expect(try context.container.stores[0].metadata().entityNames.contains("Sketch") == false)
        }
        let context = ModelContext(try ModelContainer(for: OutpostModel.self, at: url))
        let sketch = Sketch(text: "new")
        context.insert(sketch)
        try context.save()
        #expect(sketch.persistentModelID.rowID == identifier + 1)
        #expect(try context.container.integrityProblems().isEmpty)
    }

    @Test("a read-only store is not changed for another configuration")
    func aReadOnlyStoreOfAnotherConfiguration() throws {
        let cloud = Outpost.configurations(in: folder)[0]
        _ = try ModelContainer(for: OutpostModel.self, configurations: cloud)
        let before = try Data(contentsOf: cloud.url)
        #expect(throws: StoreError.self) {
            try ModelContainer(
                for: OutpostModel.self, configurations: ModelConfiguration(url: cloud.url, allowsSave: false))
        }
        #expect(try Data(contentsOf: cloud.url) == before)
    }

    @Test("a store whose entities are known is migrated, whatever the rest of its model was")
    func aStoreOfAnUnknownVersion() throws {
        let url = folder.file("Map.store")
        try Outpost.makeStore(at: url, configuration: "Map") { connection in
            try Outpost.insertRows(connection)
            try connection.execute(
                "UPDATE \"ashlar$metadata\" SET \"value\" = 'unknown' WHERE \"key\" IN ('versionHash', 'schemaHash')")
        }
        let container = try Outpost.container(in: folder)
        #expect(try ModelContext(container).fetchCount(Visit.where { $0.date != nil }) == 2)
        #expect(try container.stores[2].metadata().isCurrent(for: OutpostModel.self))
        #expect(try container.integrityProblems().isEmpty)
        // A store whose entities are unknown is refused.
        let other = folder.file("other.store")
        try Outpost.makeStore(at: other, configuration: "Map") { connection in
            try connection.executeScript(
                """
                UPDATE "ashlar$metadata" SET "value" = 'unknown' WHERE "key" IN ('versionHash', 'schemaHash');
                UPDATE "ashlar$metadata" SET "value" = 'Landmark 1234\nVisit 5678' WHERE "key" = 'entityHashes'
                """)
        }
        let configuration = ModelConfiguration(configuration: OutpostModel.Configuration.map, url: other)
        do {
            _ = try ModelContainer(for: OutpostModel.self, configurations: configuration)
            Issue.record("nobody knows its version")
        } catch StoreError.unknownVersion {}
    }

    @Test func entitiesThatAreRelatedLaterMustBeTogether() throws {
        func version(_ name: String, _ parts: [ModelDescription.MigrationPart]) -> ModelDescription.Version {
            ModelDescription.Version(
                name: name, versionHash: name, schemaHash: name, entityHashes: "A 1\nB 1",
                migration: ["1", "2", "3"].map { .deleteRows(of: $0, where: "1") }, parts: parts)
        }
        let versions = [
            version("1", []),
            version(
                "2",
                [
                    ModelDescription.MigrationPart(from: ["A"], to: ["A"], statements: 0..<1),
                    ModelDescription.MigrationPart(from: ["B"], to: ["B"], statements: 1..<2),
                    ModelDescription.MigrationPart(from: [], to: ["N"], statements: 2..<3),
                ]),
            version("3", [ModelDescription.MigrationPart(from: ["A", "N"], to: ["A", "N"], statements: 0..<3)]),
            version("4", [ModelDescription.MigrationPart(from: ["A", "B", "N"], to: ["A", "B"], statements: 0..<2)]),
        ]
        func chain(_ last: Int, _ held: Set<String>, _ wanted: Set<String>) throws -> PartialMigrationChain {
            let model = ModelDescription(name: "M", entities: [], versions: Array(versions[...last]), schema: [])
            return try PartialMigrationChain(model, from: 0, held: held, wanted: wanted, folder.file())
        }
        // A new entity goes to the store that holds it in the last version.
        #expect(try chain(2, ["A"], ["A", "N"]).held == ["A", "N"])
        #expect(try chain(2, ["A"], ["A", "N"]).versions.map(\.migration.count) == [2, 3])
        #expect(try chain(2, ["B"], ["B"]).versions.map(\.migration.count) == [1, 0])
        #expect(try chain(3, ["A", "B"], ["A", "B"]).versions.map(\.migration.count) == [3, 3, 3])
        do {
            _ = try chain(3, ["A"], ["A", "B"])
            Issue.record("B is elsewhere")
        } catch StoreError.dividedMigration(_, let from, let to, let entities, let missing) {
            #expect((from, to) == ("3", "4"))
            #expect(entities == ["A", "N"] && missing == ["B"])
        }
    }
}
