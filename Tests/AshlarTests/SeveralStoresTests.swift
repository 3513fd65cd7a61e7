import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Several stores in one container: each entity in one of them, and everything else as with one.
@Suite struct SeveralStoresTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func tables(_ name: String) throws -> [String] {
        let connection = try StoreFile(url: folder.file(name)).connectToRead(.shared)
        return try connection.rows(
            """
            SELECT "name" FROM "sqlite_schema" WHERE "type" = 'table' AND "name" NOT LIKE '%$%'
            AND "name" NOT LIKE 'sqlite%' ORDER BY "name"
            """
        ).map { row in if case .text(let name) = row[0] { name } else { "" } }
    }

    /// A model without entities, which can have a store all the same.
    private enum EmptyModel: ManagedObjectModel {
        static let modelDescription = ModelDescription(
            name: "Empty", entities: [],
            versions: [ModelDescription.Version(name: "Empty", versionHash: "a", schemaHash: "b", entityHashes: "")],
            schema: TortureModel.modelDescription.schema.filter { $0.hasPrefix("CREATE TABLE \"ashlar$metadata\"") })
    }

    @Test func aModelWithoutEntitiesHasAStore() throws {
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            let container = try ModelContainer(for: EmptyModel.self, at: folder.file())
            #expect(try container.metadata().modelName == "Empty")
        }
    }

    @Test("rows 23, 49: each entity is in the store of its configuration")
    func eachEntityIsInOneStore() throws {
        let container = try Outpost.container(in: folder)
        try Outpost.fill(ModelContext(container))
        #expect(try tables("Cloud.store") == ["Emblem", "Memo"])
        #expect(try tables("Local.store") == ["Preference", "Sketch"])
        #expect(try tables("Map.store") == ["Landmark", "Picture", "Visit"])
        #expect(container.stores.map(\.configuration.name) == ["Cloud", "Local", "Map"])
        #expect(container.store(of: Reminder.self)?.url.lastPathComponent == "Cloud.store")
        #expect(container.store(of: Sketch.self)?.url.lastPathComponent == "Local.store")
        let snapshot = try OutpostSnapshot(container)
        let single = try memoryContainer(OutpostModel.self)
        try Outpost.fill(ModelContext(single))
        #expect(try snapshot == OutpostSnapshot(single))
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test func aStoreAloneIsWhatItIsTogether() throws {
        do {
            let container = try Outpost.container(in: folder)
            try Outpost.fill(ModelContext(container))
        }
        let alone = try ModelContainer(for: OutpostModel.self, configurations: Outpost.configurations(in: folder)[2])
        let context = ModelContext(alone)
        #expect(try context.fetch(Visit.all).count == 2)
        #expect(throws: StoreError.self) { try context.fetch(Memo.all) }
        do {
            _ = try context.fetchCount(Memo.all)
            Issue.record("there is no store of Memo")
        } catch StoreError.entityWithoutStore(let name) {
            #expect(name == "Memo")
        }
        context.insert(Memo(title: "nowhere"))
        do {
            try context.save()
            Issue.record("there is no store of Memo")
        } catch StoreError.entityWithoutStore(let name) {
            #expect(name == "Memo")
        }
        context.insert(Visit(date: nil))
        try context.save()
        #expect(try context.fetchCount(Visit.all) == 3)
    }

    @Test("the first store in order has an entity of several, and one without a configuration the rest")
    func theFirstHasIt() throws {
        let both = ModelConfiguration(
            configuration: OutpostModel.Configuration.cloud, url: folder.file("a.store"))
        let rest = ModelConfiguration(url: folder.file("b.store"))
        let container = try ModelContainer(for: OutpostModel.self, configurations: both, rest)
        #expect(container.stores[0].entityNames == ["Emblem", "Memo", "Reminder"])
        #expect(container.stores[1].entityNames == ["Landmark", "Picture", "Preference", "Sketch", "Visit"])
        try Outpost.fill(ModelContext(container))
        #expect(try tables("b.store") == ["Landmark", "Picture", "Preference", "Sketch", "Visit"])
        do {
            _ = try ModelContainer(
                for: OutpostModel.self, configurations: ModelConfiguration(url: folder.file("c.store")), both)
            Issue.record("nothing is left for the second")
        } catch StoreError.configurationWithoutEntities(_, let name) {
            #expect(name == "a")
        }
    }

    @Test func identifiersTellTheirStore() throws {
        let container = try Outpost.container(in: folder)
        let context = ModelContext(container)
        try Outpost.fill(context)
        let memo = try #require(try context.fetch(Memo.all).first)
        let landmark = try #require(try context.fetch(Landmark.all).first)
        let visit = try #require(landmark.visits.first)
        #expect(memo.persistentModelID.storeIdentifier == container.stores[0].storeIdentifier)
        #expect(landmark.persistentModelID.storeIdentifier == container.stores[2].storeIdentifier)
        #expect(visit.landmark?.persistentModelID == landmark.persistentModelID)
        #expect(container.store(of: landmark.persistentModelID)?.id == container.stores[2].id)
        let uri = landmark.persistentModelID.uriRepresentation
        let identifier = try #require(PersistentIdentifier(uriRepresentation: uri))
        #expect(identifier == landmark.persistentModelID)
        // The same store in another container has the same identifiers.
        let map = try ModelContainer(for: OutpostModel.self, configurations: Outpost.configurations(in: folder)[2])
        let other = ModelContext(map)
        let same: Landmark = try other.model(for: identifier)
        #expect(same.name == landmark.name)
        #expect(same.persistentModelID == identifier)
        #expect(throws: StoreError.self) { let _: Memo = try other.model(for: memo.persistentModelID) }
    }

    @Test("row 21: fetched properties lead from one store to another")
    func fetchedPropertiesCrossStores() throws {
        let context = ModelContext(try Outpost.container(in: folder))
        try Outpost.fill(context)
        let memos = try context.fetch(Memo.order { $0.rank.ascending })
        let names = try memos.map { try $0.landmarks.map(\.name) }
        #expect(names == [[], ["Mémo 1"], []])
    }

    @Test func aSaveOfSeveralStoresIsOneTransaction() throws {
        let container = try Outpost.container(in: folder)
        let context = ModelContext(container)
        try Outpost.fill(context)
        let before = try OutpostSnapshot(container)
        context.insert(Memo(title: "new"))
        context.insert(Landmark(name: "new"))
        context.insert(Preference(key: "size"))
        #expect(throws: SaveError.self) { try context.save() }
        #expect(try OutpostSnapshot(container) == before)
        context.insertedModelsArray.compactMap { $0 as? Preference }.first?.key = "colour"
        try context.save()
        #expect(try OutpostSnapshot(container).lines.count == before.lines.count + 3)
    }

    @Test func permanentIdentifiersAndDerivedValues() throws {
        let context = ModelContext(try Outpost.container(in: folder))
        try Outpost.fill(context)
        let emblem = try #require(try context.fetch(Emblem.where { $0.name == "green" }).first)
        #expect(emblem.memoCount == 1)
        let memo = Memo(title: "ÄÖ")
        let landmark = Landmark(name: "Ü")
        context.insert(memo)
        context.insert(landmark)
        memo.emblems = [emblem]
        try context.obtainPermanentIdentifiers(for: [memo, landmark])
        let identifiers = [memo.persistentModelID, landmark.persistentModelID]
        #expect(identifiers.allSatisfy { !$0.isTemporary })
        try context.save()
        #expect([memo.persistentModelID, landmark.persistentModelID] == identifiers)
        #expect(emblem.memoCount == 2)
        #expect(memo.plainTitle == "ao")
        #expect(landmark.plainName == "u")
    }

    @Test("large values are in the folder of their store")
    func externalData() throws {
        let large = Data(repeating: 7, count: 200_000)
        let container = try Outpost.container(in: folder)
        let context = ModelContext(container)
        let memo = Memo(scan: large, title: "m")
        let landmark = Landmark(name: "s", plan: large)
        context.insert(memo)
        context.insert(landmark)
        try context.save()
        func files(_ name: String) throws -> Int {
            try ExternalDataFolder(storePath: folder.file(name).path).names().count
        }
        #expect(try files("Cloud.store") == 1)
        #expect(try files("Map.store") == 1)
        #expect(try context.fetched(Memo.self)[0].scan == large)
        #expect(try context.fetched(Landmark.self)[0].plan == large)
        landmark.plan = nil
        try context.save()
        #expect(try files("Cloud.store") == 1)
        #expect(try files("Map.store") == 0)
        try container.execute("DELETE FROM \"Memo\"")
        #expect(try container.removeOrphanedExternalData() == 1)
        #expect(try files("Cloud.store") == 0)
    }

    // MARK: In memory

    @Test func inMemoryAndMixed() throws {
        let memory = try Outpost.memory()
        try Outpost.fill(ModelContext(memory))
        let configurations = Outpost.configurations(in: folder)
        let mixed = try ModelContainer(
            for: OutpostModel.self,
            configurations: configurations[0],
            ModelConfiguration(configuration: OutpostModel.Configuration.local, isStoredInMemoryOnly: true),
            configurations[2])
        try Outpost.fill(ModelContext(mixed))
        #expect(try OutpostSnapshot(mixed) == OutpostSnapshot(memory))
        #expect(Set(memory.stores.map(\.storeIdentifier)).count == 3)
        try memory.stores[1].backUp(to: folder.file("copy.store"))
        let copy = try ModelContainer(
            for: OutpostModel.self,
            configurations: ModelConfiguration(
                configuration: OutpostModel.Configuration.local, url: folder.file("copy.store")))
        #expect(try ModelContext(copy).fetch(Preference.all).map(\.setting) == ["big"])
    }

    // MARK: Errors

    @Test func whatCannotBeOpenedIsSaid() throws {
        func error(_ configurations: [ModelDescription.Configuration], _ names: [String] = []) -> String {
            do {
                _ = try ModelContainer(
                    for: OutpostModel.self,
                    configurations: configurations.enumerated().map { index, configuration in
                        ModelConfiguration(
                            configuration: configuration,
                            url: folder.file(names.isEmpty ? "\(index).store" : names[index]))
                    })
                return "none"
            } catch StoreError.unknownConfiguration(_, let name, _, let known) {
                return "unknown \(name) \(known)"
            } catch StoreError.duplicateStore(let url) {
                return "duplicate \(url.lastPathComponent)"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            error([ModelDescription.Configuration("Clod", entities: ["Memo"])])
                == "unknown Clod [\"Cloud\", \"Local\", \"Map\"]")
        #expect(error(Array(Outpost.configurations[..<2]), ["a", "a"]) == "duplicate a")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func aDividedRelationshipIsNamed() throws {
        let current = OutpostModel.modelDescription
        let model = ModelDescription(
            name: current.name, entities: current.entities, versions: current.versions, schema: current.schema,
            configurations: [
                ModelDescription.Configuration("Sites", entities: ["Landmark", "Picture"]),
                ModelDescription.Configuration("Reminders", entities: ["Reminder"]),
            ], parts: current.parts)
        func configuration(_ number: Int) -> ModelConfiguration {
            ModelConfiguration(configuration: model.configurations[number], url: folder.file())
        }
        do {
            _ = try StoreContent.contents(of: model, [configuration(0)])
            Issue.record("Landmark.visits is divided")
        } catch StoreError.dividedRelationship(let entity, let relationship, let destination) {
            #expect([entity, relationship, destination] == ["Landmark", "visits", "Visit"])
        }
        do {
            _ = try StoreContent.contents(of: model, [configuration(1)])
            Issue.record("Reminder is in the table of Memo")
        } catch StoreError.dividedHierarchy(let entity, let parent) {
            #expect([entity, parent] == ["Reminder", "Memo"])
        }
    }

    @Test func tooManyStoresAreRefused() throws {
        do {
            try StoresOpener.checkCount(200)
            Issue.record("200 stores")
        } catch StoreError.tooManyStores(let count, let limit) {
            #expect(count == 200 && limit < 200)
        }
    }
}
