import Ashlar
import AshlarSQLite
import AshlarSync
import Foundation
import GeneratorPipeline
import PlannedModel
import Testing

/// A history of four transactions.
enum JournalStore: KeptStore {
    static var model: any ManagedObjectModel.Type { JournalModel.self }

    static func make(in folder: URL) async throws {
        let container = try ModelContainer(
            for: model, configurations: configuration(in: folder, historyTracking: true))
        let context = ModelContext(container)
        try fill(context)
        try context.save()
        (context.author, context.name) = ("second", "editor")
        let memos = try context.fetch(Memo.order { $0.text.ascending })
        memos[0].stars = 5
        memos[1].topics.removeAll()
        try context.save()
        context.author = "third"
        context.delete(memos[1])
        try context.save()
        try context.batchUpdate(Memo.all) { $0.stars += 1 }
    }

    static func fill(_ context: ModelContext) throws {
        context.author = "first"
        let topic = Topic(name: "topic")
        context.insert(topic)
        for text in ["a", "b", "c"] {
            let memo = Memo(text: text)
            memo.code = "code of \(text)"
            topic.memos.insert(memo)
        }
    }

    static func check(_ context: ModelContext) throws {
        let memos = try context.fetch(Memo.order { $0.text.ascending })
        #expect(memos.map(\.text) == ["a", "c"] && memos.map(\.stars) == [6, 1])
        #expect(memos.map { $0.topics.map(\.name) } == [["topic"], ["topic"]])
        #expect(try context.container.isHistoryTracked())
        let transactions = try context.fetchHistory(.all)
        #expect(transactions.count == 4)
        #expect(transactions.prefix(3).map(\.author) == ["first", "second", "third"])
        #expect(transactions.prefix(3).map(\.contextName) == [nil, "editor", "editor"])
        #expect(transactions.allSatisfy { $0.timestamp > Date(timeIntervalSinceReferenceDate: 0) })
        let changes = transactions.map { transaction in
            transaction.changes.map { change in
                let properties = change.updatedProperties.sorted().joined(separator: ",")
                return "\(change.changedObjectID.entityName) \(change.changeType) \(properties)"
            }.sorted()
        }
        #expect(changes == JournalStore.changes)
        let deletion = transactions.dropFirst(2).first?.changes.first { $0.changeType == .delete }
        #expect(deletion?.tombstone?.value(of: "code") == "code of b")
        let updated = transactions.last?.changes.map(\.changedObjectID)
        #expect(updated.map(Set.init) == Set(memos.map(\.persistentModelID)))
    }

    private static let changes = [
        ["Memo insert ", "Memo insert ", "Memo insert ", "Topic insert "],
        ["Memo update stars", "Memo update topics", "Topic update memos"],
        ["Memo delete "],
        ["Memo update stars", "Memo update stars"],
    ]

    static func edit(_ context: ModelContext) throws {
        context.author = "later"
        for memo in try context.fetch(Memo.all) { memo.text += "!" }
    }

    static func checkEdited(_ context: ModelContext) throws {
        let transactions = try context.fetchHistory(.all)
        #expect(transactions.map(\.author).last == "later" && transactions.count == 5)
        #expect(transactions.last?.changes.map(\.updatedProperties) == [["text"], ["text"]])
    }
}

/// Two stores of one container: one has a configuration's entities, and the other the rest.
enum PostboxStore: KeptStore {
    static var model: any ManagedObjectModel.Type { PostboxModel.self }

    static func configurations(in folder: URL) -> [ModelConfiguration] {
        [configuration("Sent", of: PostboxModel.Configuration.sent, in: folder), configuration("Rest", in: folder)]
    }

    static func fill(_ context: ModelContext) throws {
        let letter = Letter(text: "Dear Bob")
        context.insert(letter)
        for value in [80, 5] as [Int64] { letter.stamps.insert(Stamp(value: value)) }
        context.insert(Draft(text: "Dear"))
    }

    static func check(_ context: ModelContext) throws {
        #expect(try context.fetch(Letter.all).map(\.text) == ["Dear Bob"])
        #expect(try context.fetch(Letter.all).first?.stamps.map(\.value).sorted() == [5, 80])
        #expect(try context.fetch(Draft.all).map(\.text) == ["Dear"])
        #expect(context.container.stores.map(\.entityNames) == [["Letter", "Stamp"], ["Draft"]])
    }

    static func edit(_ context: ModelContext) throws {
        for draft in try context.fetch(Draft.all) {
            context.insert(Letter(text: draft.text + " Ann"))
            context.delete(draft)
        }
        context.insert(Draft(text: "Next"))
    }

    static func checkEdited(_ context: ModelContext) throws {
        #expect(try context.fetch(Letter.all).map(\.text).sorted() == ["Dear Ann", "Dear Bob"])
        #expect(try context.fetch(Draft.all).map(\.text) == ["Next"])
    }
}

/// A store that follows a log, with a change that it did not yet send; the log is beside it.
enum HouseholdStore: KeptStore {
    static var model: any ManagedObjectModel.Type { HouseholdModel.self }

    static func log(in folder: URL) throws -> StoreLog { try StoreLog(at: folder.appending(path: "Household.log")) }

    static func make(in folder: URL) async throws {
        let log = try log(in: folder)
        let tabletFolder = try TemporaryFolder()
        let devices = try [folder, tabletFolder.url].map { folder in
            let container = try ModelContainer(
                for: model, configurations: configuration(in: folder, historyTracking: true))
            return (context: ModelContext(container), sync: try StoreSync(container, with: log))
        }
        try fill(devices[0].context)
        try devices[0].context.save()
        for device in devices { try await device.sync.synchronize() }
        let kitchen = try #require(try devices[1].context.fetch(Room.all).first)
        kitchen.chores.insert(Chore(title: "Sweep"), at: 0)
        for chore in try devices[1].context.fetch(Chore.where { $0.title == "Wash" }) { chore.points += 10 }
        try devices[1].context.save()
        for device in devices.reversed() { try await device.sync.synchronize() }
        // This one is not sent.
        for chore in try devices[0].context.fetch(Chore.where { $0.title == "Wash" }) { chore.points += 5 }
        devices[0].context.insert(Room(name: "Attic"))
        try devices[0].context.save()
    }

    static func fill(_ context: ModelContext) throws {
        let kitchen = Room(name: "Kitchen")
        context.insert(kitchen)
        for title in ["Wash", "Dry"] { kitchen.chores.append(Chore(points: 1, title: title)) }
    }

    static func check(_ context: ModelContext) throws {
        let rooms = try context.fetch(Room.order { $0.name.ascending })
        #expect(rooms.map(\.name) == ["Attic", "Kitchen"])
        #expect(rooms.last?.chores.map(\.title) == ["Sweep", "Wash", "Dry"])
        #expect(rooms.last?.chores.map(\.points) == [0, 16, 1])
    }

    static func edit(_ context: ModelContext) throws {
        let attic = try #require(try context.fetch(Room.where { $0.name == "Attic" }).first)
        for chore in try context.fetch(Chore.where { $0.title == "Dry" }) { attic.chores.append(chore) }
    }

    static func checkEdited(_ context: ModelContext) throws {
        let rooms = try context.fetch(Room.order { $0.name.ascending })
        #expect(rooms.map { $0.chores.map(\.title) } == [["Dry"], ["Sweep", "Wash"]])
    }
}

/// A store of an older version of its model: renamed, converted, new, reordered and removed things.
enum DepotStore: KeptStore {
    static var model: any ManagedObjectModel.Type { DepotModel.self }

    static let modelPath = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "Models/Depot.xcdatamodeld").path

    static func make(in folder: URL) async throws {
        let plan = try #require(ModelPlan.make(modelPath: modelPath).plan)
        let url = configuration(in: folder).url
        do {
            _ = try ModelContainer(
                describedBy: ModelDescription.ofAllVersions(plan)[0], configuration: configuration(in: folder))
        }
        let connection = try Connection(toWrite: url)
        try connection.execute("INSERT INTO Shelf (code) VALUES ('A'), ('B')")
        try connection.execute(
            "INSERT INTO Crate (label, weight, shelf) VALUES ('one', 10, 1), ('two', 20, 1), ('three', 30, NULL)")
        try connection.execute("INSERT INTO Notice (text) VALUES ('Closed')")
    }

    static func fill(_ context: ModelContext) throws {}

    static func check(_ context: ModelContext) throws {
        #expect(try context.container.migrationHistory().map(\.destination) == ["Depot 2"])
        let racks = try context.fetch(Rack.order { $0.code.ascending })
        #expect(racks.map(\.code) == ["A", "B"] && racks.map(\.place) == ["hall", "hall"])
        #expect(racks.map { $0.crates.map(\.title) } == [["one", "two"], []])
        let crates = try context.fetch(Crate.order { $0.weight.ascending })
        #expect(crates.map(\.title) == ["one", "two", "three"] && crates.map(\.weight) == [10, 20, 30])
        #expect(crates.map(\.note) == [nil, nil, nil])
    }

    static func edit(_ context: ModelContext) throws {
        let rack = try #require(try context.fetch(Rack.order { $0.code.ascending }).first)
        for crate in try context.fetch(Crate.where { $0.rack == nil }) { rack.crates.insert(crate, at: 0) }
    }

    static func checkEdited(_ context: ModelContext) throws {
        let rack = try context.fetch(Rack.order { $0.code.ascending }).first
        #expect(rack?.crates.map(\.title) == ["three", "one", "two"])
    }
}
