import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// Batch deletions: deletion rules, counts, and the state of loaded objects.
@Suite struct BatchDeleteTests {
    private func denied(_ error: any Error, _ entity: String, _ relationship: String) -> Bool {
        guard case BatchError.deletionDenied(entity, relationship, _) = error else { return false }
        return true
    }

    @Test("row 143: all rows of a condition are deleted at once")
    func allRowsOfAConditionAreDeletedAtOnce() throws {
        let context = try memoryContext()
        let samples = (0..<10).map { Sample(count: Int64($0), name: "\($0)") }
        for sample in samples { context.insert(sample) }
        try context.save()
        context.statementCount = 0
        #expect(try context.batchDelete(Sample.where { $0.count < 4 }) == 4)
        #expect(context.statementCount <= 4)
        #expect(samples.map(\.isDeleted) == (0..<10).map { $0 < 4 } && !context.hasChanges)
        #expect(samples[0].name == "0" && samples[0].modelContext == nil)
        #expect(try context.fetchCount(Sample.all) == 6)
        #expect(try context.batchDelete(Sample.order { $0.count.descending }.limit(2)) == 2)
        #expect(try context.fetch(Sample.order { $0.count.ascending }).map(\.count) == [4, 5, 6, 7])
        try context.delete(model: Sample.self, where: #Predicate<Sample> { $0.count == 5 })
        #expect(try context.fetchCount(Sample.all) == 3)
        try context.delete(model: Sample.self)
        #expect(try context.fetchCount(Sample.all) == 0)
        try context.container.expectSound()
    }

    @Test(
        "row 143: an object with changes leaves the context with its row",
        arguments: [MergePolicy.error, .mergeByPropertyObjectTrump], [false, true])
    func changedObjectsLeaveWithTheirRows(_ policy: MergePolicy, _ isOfAnother: Bool) throws {
        let context = try memoryContext()
        context.mergePolicy = policy
        context.automaticallyMergesChangesFromParent = true
        let owners = ["a", "b"].map { Owner(name: $0) }
        let gone = Nullified(name: "gone", owner: owners[0])
        let kept = Nullified(name: "kept", owner: owners[0])
        for object in owners { context.insert(object) }
        try context.save()
        (gone.name, kept.name) = ("gone too", "kept too")
        gone.owner = owners[1]
        let batch = isOfAnother ? ModelContext(context.container) : context
        #expect(try batch.batchDelete(Nullified.where { $0.name == "gone" }) == 1)
        context.processPendingChanges()
        #expect(gone.isDeleted && gone.modelContext == nil && gone.name == "gone too")
        #expect(owners[0].nullified.array == [kept] && owners[1].nullified.isEmpty)
        try context.save()
        #expect(!context.hasChanges)
        #expect(try context.fetched(Nullified.self).map(\.name) == ["kept too"])
    }

    @Test(arguments: [1, 7, 100, 1000] as [Int64])
    func veryManyRowsAreDeletedInSlices(_ rowsOfSlice: Int64) throws {
        let context = try memoryContext()
        for number in 0..<500 { context.insert(Sample(count: Int64(number * 7919 % 500), name: "\(number)")) }
        try context.save()
        var request = BatchDeleteRequest(Sample.where { $0.count >= 100 })
        request.options.resultType = .identifiers
        var deletion = BatchDeletion(request, context.container)
        deletion.rowsOfSlice = rowsOfSlice
        let expected = try context.fetchIdentifiers(Sample.where { $0.count >= 100 }).sorted()
        let result = try context.container.pool.write { connection in
            try connection.transaction { try deletion.run(connection, BatchRange()) }
        }
        #expect(result.count == 400 && result.identifiers == expected)
        let others = ModelContext(context.container)
        #expect(try others.fetchValues(Sample.order { $0.count.ascending }).map(\.count) == Array(0..<100))
        // The noted rows were cleared, and a step of few rows is not divided.
        request.options.resultType = .count
        deletion = BatchDeletion(request, context.container)
        deletion.rowsOfSlice = rowsOfSlice
        let none = try context.container.pool.write { connection in
            try connection.transaction { try deletion.run(connection, BatchRange(after: 0, through: 400)) }
        }
        #expect(none.count == 0)
        try context.container.expectSound()
    }

    @Test("row 143: cascades of very many rows that are deeper than SQLite's own")
    func deepCascadesOfVeryManyRows() throws {
        let context = try memoryContext()
        let nodes = (0..<3000).map { Node(name: "\($0)") }
        for (node, parent) in zip(nodes.dropFirst(), nodes) { node.parent = parent }
        for node in nodes { context.insert(node) }
        try context.save()
        var deletion = BatchDeletion(BatchDeleteRequest(Node.where { $0.name != "" }), context.container)
        deletion.rowsOfSlice = 10
        let result = try context.container.pool.write { connection in
            try connection.transaction { try deletion.run(connection, BatchRange()) }
        }
        #expect(result.count == 3000)
        #expect(try ModelContext(context.container).fetchCount(Node.all) == 0)
    }

    @Test func subclassesAreDeletedUnlessTheyAreLeftOut() throws {
        let context = try memoryContext()
        for vehicle in [Car(name: "a"), Truck(name: "b", load: 1), Boat(name: "c")] as [Vehicle] {
            context.insert(vehicle)
        }
        try context.save()
        try context.delete(model: Car.self, includeSubclasses: false)
        #expect(try context.fetch(Vehicle.order { $0.name.ascending }).map(\.name) == ["b", "c"])
        try context.delete(model: Vehicle.self, where: #Predicate<Vehicle> { $0.name == "b" })
        #expect(try context.fetch(Vehicle.all).map(\.name) == ["c"])
    }

    @Test func identifiersAreThoseOfWhatWasAskedFor() throws {
        let context = try memoryContext()
        let playlists = (0..<3).map { Playlist(name: "\($0)") }
        for playlist in playlists {
            context.insert(playlist)
            playlist.tracks = ToMany([Track(name: "t"), Track(name: "u")])
        }
        try context.save()
        var request = BatchDeleteRequest(Playlist.where { $0.name != "1" })
        request.options.resultType = .identifiers
        let result = try context.execute(request)
        #expect(result.count == 2)
        #expect(result.identifiers == [playlists[0].persistentModelID, playlists[2].persistentModelID])
        #expect(try context.fetchCount(Track.all) == 2)
        var nodes = BatchDeleteRequest(Node.self, identifiers: [])
        nodes.options.resultType = .identifiers
        #expect(try context.execute(nodes) == BatchResult(count: 0, identifiers: []))
        // The row IDs of the tracks are also those of playlists.
        let tracks = try context.fetchIdentifiers(Track.all)
        let unsaved = Playlist(name: "unsaved").persistentModelID
        for identifiers in [tracks, [unsaved]] {
            #expect(throws: BatchError.self) {
                try context.execute(BatchDeleteRequest(Playlist.self, identifiers: identifiers))
            }
        }
        #expect(try context.fetchCount(Playlist.all) == 1)
    }

    @Test func aChainOfCascadesMayBeLong() throws {
        let context = try memoryContext()
        var nodes = [Node(name: "0")]
        for number in 1..<1300 { nodes.append(Node(name: "\(number)", parent: nodes[number - 1])) }
        for node in nodes { context.insert(node) }
        try context.save()
        #expect(try context.batchDelete(Node.where { $0.name == "200" }) == 1)
        #expect(try context.fetchCount(Node.all) == 200)
        #expect(!nodes[199].isDeleted && nodes[200].isDeleted && nodes[1299].isDeleted)
        // The request deletes every row, though cascades remove most of them.
        #expect(try context.batchDelete(Node.all) == 200)
        try context.container.expectSound()
    }

    @Test("row 143: deletion rules hold for batch deletions")
    func deletionRulesHold() throws {
        let context = try memoryContext()
        let owner = Owner(name: "o")
        context.insert(owner)
        let (nullified, cascaded, ignored) = (
            Nullified(name: "n", owner: owner), Cascaded(name: "c", owner: owner), Ignored(name: "i", owner: owner)
        )
        for object in [nullified, cascaded, ignored] as [any PersistentModel] { context.insert(object) }
        try context.save()
        #expect(try context.batchDelete(Owner.all) == 1)
        #expect(cascaded.isDeleted && !nullified.isDeleted && nullified.owner == nil)
        #expect(try context.fetched(Nullified.self).first?.owner == nil)

        let second = Owner(name: "p")
        context.insert(second)
        let obstacle = Denied(name: "d", owner: second)
        context.insert(obstacle)
        try context.save()
        #expect {
            try context.batchDelete(Owner.all)
        } throws: { denied($0, "Owner", "denied") }
        #expect(try context.fetchCount(Owner.all) == 1 && context.fetchCount(Denied.all) == 1)
        obstacle.owner = nil
        try context.save()
        let required = Required(name: "r", owner: second)
        context.insert(required)
        try context.save()
        #expect {
            try context.batchDelete(Owner.all)
        } throws: { error in
            guard case BatchError.brokenReference("Required", "owner", required.persistentModelID) = error else {
                return false
            }
            return true
        }
        #expect(!second.isDeleted && required.owner === second)
    }

    @Test func rulesThatForeignKeysCannotCarryOutHoldToo() throws {
        let context = try memoryContext()
        let engines = (0..<3).map { Engine(name: "\($0)") }
        let chassis = engines.map { Chassis(name: $0.name, engine: $0) }
        for chassis in chassis { context.insert(chassis) }
        try context.save()
        // The chassis holds the reference and cascades to its engine.
        #expect(try context.batchDelete(Chassis.where { $0.name != "1" }) == 2)
        #expect(try context.fetch(Engine.all).map(\.name) == ["1"] && engines[0].isDeleted && !engines[1].isDeleted)
        #expect(throws: BatchError.self) { try context.batchDelete(Engine.all) }
    }

    @Test func objectsOfOtherContextsFollowWhereTheyMerge() throws {
        let container = try memoryContainer()
        let (first, second, third) = (ModelContext(container), ModelContext(container), ModelContext(container))
        second.automaticallyMergesChangesFromParent = true
        for number in 0..<4 { first.insert(Sample(count: Int64(number), name: "\(number)")) }
        try first.save()
        let seen = try second.fetch(Sample.order { $0.count.ascending })
        let unseen = try third.fetch(Sample.order { $0.count.ascending })
        seen[3].title = "mine"
        first.author = "batch"
        try first.batchUpdate(Sample.where { $0.count > 1 }) { $0.title = "t" }
        try first.batchDelete(Sample.where { $0.count == 0 })
        second.processPendingChanges()
        #expect(seen[0].isDeleted && seen[1].title == nil && seen[2].title == "t" && seen[3].title == "mine")
        #expect(!unseen[0].isDeleted && unseen[2].title == nil)
        // Both contexts changed the title.
        #expect(throws: SaveError.self) { try second.save() }
        second.mergePolicy = .mergeByPropertyObjectTrump
        try second.save()
        unseen[3].name = "other"
        #expect(throws: SaveError.self) { try third.save() }
    }

    @Test("row 145: identifiers of a batch are merged")
    func identifiersOfABatchAreMerged() throws {
        let container = try memoryContainer()
        let (writer, reader) = (ModelContext(container), ModelContext(container))
        try writer.batchInsert(contentsOf: (0..<3).map { Label.Values(name: "\($0)") })
        let labels = try reader.fetch(Label.order { $0.name.ascending })
        var update = BatchUpdateRequest(Label.where { $0.name < "2" }) { $0.name = "u" }
        update.options.resultType = .identifiers
        let updated = try writer.execute(update).identifiers ?? []
        var deletion = BatchDeleteRequest(Label.where { $0.name == "2" })
        deletion.options.resultType = .identifiers
        let deleted = try writer.execute(deletion).identifiers ?? []
        #expect(labels.map(\.name) == ["0", "1", "2"])
        try reader.mergeChanges(
            from: ContextNotification(updatedIdentifiers: updated, deletedIdentifiers: deleted))
        #expect(labels.map(\.name) == ["u", "u", "2"] && labels.map { $0.isDeleted } == [false, false, true])
    }

    @Test func pendingChangesStayOnTop() throws {
        let context = try memoryContext()
        let samples = (0..<4).map { Sample(count: Int64($0), name: "\($0)") }
        for sample in samples { context.insert(sample) }
        try context.save()
        samples[0].title = "pending"
        samples[1].count = 50
        context.insert(Sample(count: 60, name: "new"))
        context.delete(samples[2])
        // The store does not contain these changes yet.
        #expect(try context.batchUpdate(Sample.where { $0.count < 40 }) { $0.name = "batch" } == 4)
        #expect(samples[0].name == "batch" && samples[0].title == "pending" && samples[1].count == 50)
        #expect(context.hasChanges)
        try context.save()
        #expect(
            try context.fetched(Sample.self).map { "\($0.name) \($0.count) \($0.title ?? "-")" }.sorted()
                == ["batch 0 pending", "batch 3 -", "batch 50 -", "new 60 -"])
    }

    @Test func aChildContextWorksOnTheStore() throws {
        let context = try memoryContext()
        let samples = (0..<3).map { Sample(count: Int64($0), name: "\($0)") }
        for sample in samples { context.insert(sample) }
        try context.save()
        let child = ModelContext(parent: context)
        let own = try child.fetch(Sample.order { $0.count.ascending })
        try child.batchUpdate(Sample.all) { $0.count += 10 }
        try child.batchDelete(Sample.where { $0.count == 12 })
        #expect(samples.map(\.count) == [10, 11, 12] && samples.map(\.isDeleted) == [false, false, true])
        #expect(own.prefix(2).map(\.count) == [10, 11] && own[2].isDeleted)
    }

    @Test func filesOfDeletedRowsAreDeletedToo() throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(for: AtticModel.self, at: folder.file())
        let context = ModelContext(container)
        let large = Data(repeating: 5, count: 150_000)
        func files() throws -> Int { try ExternalDataFolder(storePath: folder.file().path).names().count }
        for number in 0..<4 {
            let box = Box(label: number == 0 ? large : Data([1]))
            context.insert(box)
            for item in 0..<2 { context.insert(Item(counts: [], name: "\(number) \(item)", photo: large, box: box)) }
        }
        try context.save()
        #expect(try files() == 9)
        // Deleting a box deletes its items.
        let first = try #require(try context.fetch(Item.where { $0.name == "0 0" }).first?.box)
        #expect(try context.batchDelete(Box.where { $0 == first }) == 1)
        #expect(try files() == 6)
        #expect(try context.batchUpdate(Item.where { $0.name.hasSuffix(" 0") }) { $0.photo = nil } == 3)
        #expect(try files() == 3)
        #expect(try context.batchDelete(Item.where { $0.name == "1 1" }) == 1)
        #expect(try files() == 2)
        #expect(throws: (any Error).self) {
            var request = BatchDeleteRequest(Box.all)
            request.options.progress = { _ in throw CancellationError() }
            try context.execute(request)
        }
        #expect(try files() == 2 && context.fetched(Item.self).count { $0.photo == large } == 2)
        try context.batchDelete(Box.all)
        #expect(try files() == 0)
        #expect(try container.pool.write { $0.state.externalData?.markers.count } == 0)
    }

    @Test func aStoreThatCannotBeWrittenIsLeftAlone() throws {
        let folder = try TemporaryFolder()
        _ = try ModelContainer(for: TortureModel.self, at: folder.file())
        let configuration = ModelConfiguration(url: folder.file(), allowsSave: false)
        let context = ModelContext(try ModelContainer(for: TortureModel.self, configurations: configuration))
        for operation in [
            { try context.batchDelete(Sample.all) }, { try context.batchUpdate(Sample.all) { $0.flag = true } },
            { try context.batchInsert(contentsOf: [Sample().values]) },
        ] {
            #expect {
                try operation()
            } throws: { error in
                guard case BatchError.readOnly = error else { return false }
                return "\(error)".contains("cannot be written")
            }
        }
    }
}
