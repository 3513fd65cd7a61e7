import Foundation
import Testing

@testable import Ashlar

/// Batch operations, query generations and the history of a container of several stores.
@Suite struct SeveralStoresOperationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func files(_ name: String) throws -> Int {
        try ExternalDataFolder(storePath: folder.file(name).path).names().count
    }

    // MARK: Batch operations

    @Test("rows 49, 141, 144: batch operations write the store of their entity")
    func batchesWriteTheirStore() throws {
        let container = try Outpost.container(in: folder)
        let context = ModelContext(container)
        try Outpost.fill(context)
        let large = Data(repeating: 7, count: 200_000)
        let landmark = try #require(try context.fetch(Landmark.all).first)
        #expect(
            try context.batchInsert(
                contentsOf: (0..<50).map { Landmark.Values(name: "s\($0)", plan: $0 < 2 ? large : nil) })
                == 50)
        #expect(try files("Cloud.store") == 0 && files("Map.store") == 2)
        let inserted = try context.fetch(Landmark.where { $0.name == "s1" })
        #expect(inserted.map(\.plan) == [large])
        #expect(inserted.map(\.persistentModelID.storeIdentifier) == [container.stores[2].storeIdentifier])
        #expect(inserted.map(\.persistentModelID.rowID) == [landmark.persistentModelID.rowID + 2])
        #expect(try context.batchUpdate(Memo.where { $0.rank > 0 }) { $0.rank += 10 } == 2)
        #expect(try context.fetch(Memo.order { $0.rank.ascending }).map(\.rank) == [0, 11, 12])
        #expect(try context.batchUpdate(Visit.all) { $0.landmark = inserted[0] } == 2)
        let other = ModelContext(container)
        #expect(try other.fetch(Visit.all).map(\.landmark?.name) == ["s1", "s1"])
        var request = BatchDeleteRequest(Landmark.where { $0.name.hasPrefix("s") })
        request.options.resultType = .identifiers
        let deleted = try context.execute(request)
        #expect(deleted.count == 50)
        #expect(deleted.identifiers?.contains { $0.storeIdentifier != container.stores[2].storeIdentifier } == false)
        #expect(try context.fetchCount(Visit.all) == 0 && context.fetchCount(Landmark.all) == 1)
        #expect(try files("Map.store") == 0)
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test func aBatchThatBreaksAReferenceSaysWhich() throws {
        let container = try Outpost.container(in: folder)
        let context = ModelContext(container)
        try Outpost.fill(context)
        let landmark = Landmark(name: "gone")
        context.insert(landmark)
        try context.save()
        try ModelContext(container).batchDelete(Landmark.where { $0.name == "gone" })
        let visit = try #require(try context.fetch(Visit.all).min { $0.persistentModelID < $1.persistentModelID })
        do {
            try context.batchUpdate(Visit.all) { $0.landmark = landmark }
            Issue.record("there is no such landmark")
        } catch BatchError.brokenReference(let entity, let relationship, let object) {
            #expect(entity == "Visit" && relationship == "landmark" && object == visit.persistentModelID)
        }
        let other = ModelContext(container)
        #expect(try other.fetch(Visit.all).map(\.landmark?.name) == ["Mémo 1", "Mémo 1"])
    }

    @Test func aBatchNeedsAStoreThatCanBeWritten() throws {
        try Outpost.fill(ModelContext(try Outpost.container(in: folder)))
        var configurations = Array(Outpost.configurations(in: folder)[..<2])
        configurations[0].allowsSave = false
        let context = ModelContext(try ModelContainer(for: OutpostModel.self, configurations: configurations))
        do {
            try context.batchUpdate(Memo.all) { $0.rank = 1 }
            Issue.record("the store of Memo is read only")
        } catch BatchError.readOnly(let url) {
            #expect(url.lastPathComponent == "Cloud.store")
        }
        #expect(try context.batchUpdate(Preference.all) { $0.setting = "small" } == 1)
        do {
            try context.batchDelete(Landmark.all)
            Issue.record("there is no store of Landmark")
        } catch StoreError.entityWithoutStore(let name) {
            #expect(name == "Landmark")
        }
    }

    // MARK: Query generations

    @Test("rows 49, 134: a pinned context sees one state of every store")
    func everyStoreIsPinned() throws {
        let container = try Outpost.container(in: folder)
        let (pinned, writing) = (ModelContext(container), ModelContext(container))
        try Outpost.fill(writing)
        try pinned.setQueryGeneration(from: .current)
        // The first read uses one store.
        #expect(try pinned.fetchCount(Memo.all) == 3)
        for landmark in try writing.fetch(Landmark.all) { landmark.name = "changed" }
        writing.insert(Memo(title: "new"))
        writing.insert(Preference(key: "new"))
        try writing.save()
        #expect(try pinned.fetchCount(Memo.all) == 3 && pinned.fetchCount(Preference.all) == 1)
        #expect(try pinned.fetch(Landmark.all).map(\.name) == ["Mémo 1"])
        let sizes = try ["Cloud", "Local", "Map"].map { name in
            try folder.file("\(name).store-wal").resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        }
        #expect(!sizes.contains(0))
        let status = container.writeAheadLogStatus()
        #expect(status.size == sizes.reduce(0, +) && status.pinnedGenerations.count == 1)
        try pinned.setQueryGeneration(from: nil)
        try pinned.refreshAllObjects()
        #expect(try pinned.fetchCount(Memo.all) == 4)
        #expect(try pinned.fetch(Landmark.all).map(\.name) == ["changed"])
    }

    @Test func theLogOfAnyStoreMayBeLimited() throws {
        var configurations = Outpost.configurations(in: folder)
        configurations[2].options.pinnedLogLimit = 1
        let container = try ModelContainer(for: OutpostModel.self, configurations: configurations)
        let (pinned, writing) = (ModelContext(container), ModelContext(container))
        try pinned.setQueryGeneration(from: .current)
        #expect(try pinned.fetchCount(Memo.all) == 0)
        writing.insert(Landmark(name: "new"))
        try writing.save()
        do {
            _ = try pinned.fetchCount(Memo.all)
            Issue.record("the log of the third store is longer than a byte")
        } catch StoreError.queryGenerationExpired {}
    }

    @Test func aStoreInMemoryHasNoGenerations() throws {
        let container = try ModelContainer(
            for: OutpostModel.self, configurations: Outpost.configurations(in: folder)[0],
            ModelConfiguration(configuration: OutpostModel.Configuration.local, isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        #expect(throws: StoreError.self) { try context.setQueryGeneration(from: .current) }
        #expect(try context.withQueryGeneration { try context.fetchCount(Memo.all) } == 0)
    }
}
