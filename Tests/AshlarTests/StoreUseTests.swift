import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// Operations on each of several stores: locks, reading only, files, changes by others.
@Suite struct StoreUseTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func impatient() -> StoreOptions { StoreOptions(busyTimeout: .milliseconds(50)) }

    @Test("row 50: one of several stores may be read only")
    func oneMayBeReadOnly() throws {
        do {
            let container = try Outpost.container(in: folder)
            try Outpost.fill(ModelContext(container))
        }
        var configurations = Outpost.configurations(in: folder)
        configurations[0].allowsSave = false
        let container = try ModelContainer(for: OutpostModel.self, configurations: configurations)
        #expect(container.stores.map(\.isReadOnly) == [true, false, false])
        #expect(!container.isReadOnly)
        let context = ModelContext(container)
        let landmark = try #require(try context.fetch(Landmark.all).first)
        landmark.name = "changed"
        try context.save()
        let memo = try #require(try context.fetch(Memo.all).first)
        memo.title = "changed"
        landmark.name = "changed again"
        do {
            try context.save()
            Issue.record("the store of Memo is read only")
        } catch SaveError.readOnlyStore(let url, let entity) {
            #expect(url.lastPathComponent == "Cloud.store")
            #expect(entity == "Memo")
        }
        #expect(throws: SaveError.self) { try context.obtainPermanentIdentifiers(for: [inserted(Memo(), context)]) }
        context.rollback()
        #expect(try context.fetched(Landmark.self).map(\.name) == ["changed"])
        #expect(throws: StoreError.self) { try container.stores[0].vacuum() }
        // If all stores are read-only, so is the container.
        for index in configurations.indices { configurations[index].allowsSave = false }
        let fixed = try ModelContainer(for: OutpostModel.self, configurations: configurations)
        #expect(fixed.isReadOnly)
        #expect(try ModelContext(fixed).fetchCount(Memo.all) == 3)
    }

    @Test(.enabled(if: Immutability.isAvailable, "this machine cannot make folders immutable"))
    func oneMayBeOnAMediumThatCannotBeWritten() throws {
        for hasLog in [true, false] {
            let (medium, living) = try (TemporaryFolder(), TemporaryFolder())
            var container: ModelContainer? = try Outpost.container(in: living)
            try Outpost.fill(ModelContext(#require(container)))
            // While the store is in use, all rows are in its log.
            if hasLog {
                try ForeignDatabase.copyFiles(of: living.file("Map.store"), to: medium.file("Map.store"))
            }
            container = nil
            if !hasLog {
                try FileManager.default.copyItem(at: living.file("Map.store"), to: medium.file("Map.store"))
            }
            let before = try medium.contents()
            var configurations = Outpost.configurations(in: living)
            configurations[2].url = medium.file("Map.store")
            try Immutability.hold(medium.url) {
                let container = try ModelContainer(for: OutpostModel.self, configurations: configurations)
                #expect(container.stores.map(\.isReadOnly) == [false, false, true])
                let context = ModelContext(container)
                #expect(try context.fetch(Landmark.all).map(\.visits.count) == [2])
                context.insert(Memo(title: "new"))
                try context.save()
                #expect(try context.fetchCount(Memo.all) == 4)
                #expect(try container.integrityProblems().isEmpty)
                try container.vacuum()
            }
            #expect(try medium.contents() == before)
        }
    }

    private func inserted<Model: PersistentModel>(_ model: Model, _ context: ModelContext) -> Model {
        context.insert(model)
        return model
    }

    @Test func onlyWrittenStoresAreLocked() throws {
        let container = try Outpost.container(in: folder, options: impatient())
        let context = ModelContext(container)
        try Outpost.fill(context)
        let other = try Connection(path: folder.file("Cloud.store").path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("BEGIN IMMEDIATE")
        context.insert(Landmark(name: "free"))
        try context.save()
        context.insert(Landmark(name: "held back"))
        context.insert(Memo(title: "held back"))
        do {
            try context.save()
            Issue.record("the store of Memo is locked")
        } catch StoreError.locked(let url, _, _) {
            #expect(url.lastPathComponent == "Cloud.store")
        }
        #expect(try context.fetched(Landmark.self).count == 2)
        try other.execute("ROLLBACK")
        try context.save()
        #expect(try context.fetched(Landmark.self).count == 3)
        #expect(try context.fetched(Memo.self).count == 4)
    }

    @Test("containers that name their stores in another order do not wait for each other for ever")
    func anyOrderOfStores() async throws {
        let configurations = Outpost.configurations(in: folder)
        let containers = try [configurations, configurations.reversed()].map {
            try ModelContainer(for: OutpostModel.self, configurations: $0)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, container) in containers.enumerated() {
                group.addTask {
                    let context = ModelContext(container)
                    for round in 0..<20 {
                        context.insert(Memo(title: "\(number) \(round)"))
                        context.insert(Landmark(name: "\(number) \(round)"))
                        context.insert(Preference(key: "\(number) \(round)"))
                        try context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        let context = ModelContext(containers[0])
        #expect(try context.fetchCount(Memo.all) == 40)
        #expect(try context.fetchCount(Landmark.all) == 40)
        #expect(try context.fetchCount(Preference.all) == 40)
    }

    @Test("rows 51, 53, 54: every store has its own metadata, checks and copies")
    func eachStoreByItself() throws {
        let container = try Outpost.container(in: folder)
        try Outpost.fill(ModelContext(container))
        let map = container.stores[2]
        try map.setMetadata(.string("east"), forKey: "side")
        #expect(try map.metadata().values == ["side": .string("east")])
        #expect(try container.stores[0].metadata().values.isEmpty)
        #expect(try container.metadata().storeIdentifier == container.stores[0].storeIdentifier)
        try container.setMetadata(.integer(1), forKey: "first")
        #expect(try container.stores[0].metadata().values == ["first": .integer(1)])
        #expect(try ModelContainer.metadata(ofStoreAt: folder.file("Map.store")).values == ["side": .string("east")])
        try container.vacuum()
        #expect(try container.checkpoint(.truncate).isComplete)
        #expect(try container.integrityProblems().isEmpty)
        #expect(throws: StoreError.self) { try container.backUp(to: folder.file("copy.store")) }
        try map.backUp(to: folder.file("copy.store"))
        #expect(throws: StoreError.self) { try ModelContainer.destroyStore(at: folder.file("Map.store")) }
        let copy = try ModelContainer(
            for: OutpostModel.self,
            configurations: ModelConfiguration(
                configuration: OutpostModel.Configuration.map, url: folder.file("copy.store")))
        #expect(try ModelContext(copy).fetchCount(Visit.all) == 2)
        // An integrity problem is found in its store.
        try container.execute(
            "PRAGMA foreign_keys = OFF; UPDATE \"Visit\" SET \"landmark\" = 99; PRAGMA foreign_keys = ON")
        #expect(try container.stores.map { try $0.integrityProblems().count } == [0, 0, 2])
        #expect(try container.integrityProblems().count == 2)
    }

    @Test("row 58: changes by others tell the store")
    func remoteChanges() async throws {
        let container = try Outpost.container(in: folder)
        let stream = container.remoteChanges
        let other = ModelContext(try Outpost.container(in: folder))
        other.insert(Landmark(name: "new"))
        try other.save()
        var iterator = stream.makeAsyncIterator()
        let change = await iterator.next()
        #expect(change?.storeIdentifier == container.stores[2].storeIdentifier)
        #expect(change?.url.lastPathComponent == "Map.store")
    }

    @Test("row 70: contexts of a container merge what others save in any store")
    func contextsMerge() throws {
        let container = try Outpost.container(in: folder)
        let first = ModelContext(container)
        first.automaticallyMergesChangesFromParent = true
        try Outpost.fill(first)
        let memo = try #require(try first.fetch(Memo.all).first)
        let landmark = try #require(try first.fetch(Landmark.all).first)
        let second = ModelContext(container)
        try second.fetch(Memo.all)[0].rank = 77
        try second.fetch(Landmark.all)[0].name = "elsewhere"
        try second.save()
        _ = try first.fetchCount(Preference.all)
        #expect(memo.rank == 77 && landmark.name == "elsewhere")
        let child = ModelContext(parent: first)
        child.insert(Memo(title: "child"))
        child.insert(Sketch(text: "child"))
        try child.save()
        try first.save()
        #expect(try second.fetchCount(Sketch.all) == 1)
    }
}
