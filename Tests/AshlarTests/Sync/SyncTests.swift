import AshlarSync
import Foundation
import Testing

@testable import Ashlar

/// The result of changes that several stores make, one case at a time.
@Suite struct SyncTests {
    let folder: TemporaryFolder
    let log: StoreLog
    let contexts = Contexts()

    /// The contexts of the objects that are read, which do not outlive them.
    final class Contexts { var all: [ModelContext] = [] }

    init() throws {
        folder = try TemporaryFolder()
        log = try StoreLog(at: folder.file("log"))
    }

    struct Peer {
        var container: ModelContainer
        var sync: StoreSync
        var context: ModelContext
    }

    func peer(_ name: String, author: String? = nil) throws -> Peer {
        let configuration = ModelConfiguration(
            url: folder.file("\(name).store"), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: HarborModel.self, configurations: configuration)
        var options = SyncOptions()
        options.entryAuthor = author
        return Peer(
            container: container, sync: try StoreSync(container, with: log, options: options),
            context: ModelContext(container))
    }

    /// Two stores that have the same objects.
    func pair(_ body: (ModelContext) -> Void) async throws -> (Peer, Peer) {
        let first = try peer("first", author: "Ada")
        body(first.context)
        try first.context.save()
        try await first.sync.synchronize()
        let second = try peer("second", author: "Bea")
        try await second.sync.synchronize()
        return (first, second)
    }

    func one<Model: PersistentModel>(_ type: Model.Type, _ peer: Peer) throws -> Model {
        let context = ModelContext(peer.container)
        contexts.all.append(context)
        return try #require(try context.fetch(FetchDescriptor<Model>()).first)
    }

    /// Changes the only object of a type, in a context of its own.
    func change<Model: PersistentModel>(_ peer: Peer, _ type: Model.Type, _ body: (Model) -> Void) throws {
        let context = ModelContext(peer.container)
        body(try #require(try context.fetch(FetchDescriptor<Model>()).first))
        try context.save()
    }

    @Test("large values of rows that a batch operation deletes stay until the log has the deletion")
    func batchDeletionOfLargeValues() async throws {
        let book = Data(repeating: 7, count: 300_000)
        let (first, second) = try await pair { $0.insert(Vessel(logbook: book, name: "Argo")) }
        try ModelContext(second.container).batchUpdate(Vessel.all) { $0.logbook = nil }
        try ModelContext(first.container).batchDelete(Vessel.all)
        // Reverts the deletion, and applies it again.
        try await first.sync.makeSnapshot(compacting: false)
        try await second.sync.synchronize()
        try await first.sync.synchronize()
        try await second.sync.synchronize()
        for peer in [first, second] {
            #expect(try ModelContext(peer.container).fetchCount(Vessel.all) == 0)
            #expect(try peer.container.integrityProblems() == [])
        }
    }

    @Test("a property that only one changed is kept beside the other's") func differentProperties() async throws {
        let (first, second) = try await pair { $0.insert(Port(country: "here", name: "Ada")) }
        try change(first, Port.self) { $0.country = "there" }
        try change(second, Port.self) { $0.name = "Bea" }
        for peer in [first, second, first] { try await peer.sync.synchronize() }
        for peer in [first, second] {
            let port = try one(Port.self, peer)
            #expect(port.name == "Bea")
            #expect(port.country == "there")
            #expect(try await peer.sync.keptEvents() == [])
        }
    }

    @Test("counters add, and the greatest and the first value stay") func rules() async throws {
        let (first, second) = try await pair {
            $0.insert(Vessel(name: "Ada", tonnage: 10))
            $0.insert(Quay(depth: 2, number: 1))
            $0.insert(Pennant(colour: "red", key: "A"))
        }
        for (peer, gain, depth, colour) in [(first, Int64(5), 4.0, "blue"), (second, 7, 3.0, "green")] {
            try change(peer, Vessel.self) { $0.tonnage = ($0.tonnage ?? 0) + gain }
            try change(peer, Quay.self) { $0.depth = depth }
            try change(peer, Pennant.self) { $0.colour = colour }
        }
        for peer in [first, second, first] { try await peer.sync.synchronize() }
        for peer in [first, second] {
            #expect(try one(Vessel.self, peer).tonnage == 22)
            #expect(try one(Quay.self, peer).depth == 4)
            #expect(try one(Pennant.self, peer).colour == "blue")
        }
        // The store that came second receives an event for each of its changes that was overruled.
        let events = try await second.sync.keptEvents()
        #expect(events.map(\.kind) == [.overruled, .overruled, .overruled])
        let wanted = events.reduce(into: [:]) { $0.merge($1.wanted) { $1 } }
        #expect(wanted == ["tonnage": "17", "depth": "3.0", "colour": "green"])
        #expect(try await first.sync.keptEvents() == [])
        try await second.sync.removeEvents(through: events.last?.number ?? 0)
        #expect(try await second.sync.keptEvents() == [])
    }

    @Test("two who add the same to a counter both add") func equalGains() async throws {
        let (first, second) = try await pair { $0.insert(Vessel(name: "Ada", tonnage: 10)) }
        for peer in [first, second] { try change(peer, Vessel.self) { $0.tonnage = ($0.tonnage ?? 0) + 1 } }
        for peer in [first, second, first] { try await peer.sync.synchronize() }
        for peer in [first, second] { #expect(try one(Vessel.self, peer).tonnage == 12) }
    }

    @Test("row 182: objects with the same unique value become one, which contexts find") func uniqueValues()
        async throws
    {
        let (first, second) = try await pair { $0.insert(Beacon(range: 1)) }
        let mine = Vessel(name: "Ada", tonnage: 1)
        second.context.insert(mine)
        second.context.insert(Mooring(label: "north", vessel: mine))
        try second.context.save()
        let identifier = mine.persistentModelID
        first.context.insert(Vessel(name: "Ada", tonnage: nil))
        try first.context.save()
        for peer in [first, second, first] { try await peer.sync.synchronize() }
        let vessel = try one(Vessel.self, second)
        #expect(vessel.persistentModelID != identifier)
        #expect(vessel.moorings.map(\.label) == ["north"])
        #expect(vessel.tonnage == 1)
        #expect(try second.sync.currentIdentifier(for: identifier) == vessel.persistentModelID)
        // A URI that was kept leads to the merged object too. The URI of an object that was not merged leads to that
        // object.
        #expect(try second.container.identifier(for: identifier.uriRepresentation) == vessel.persistentModelID)
        let mooring = try #require(vessel.moorings.first).persistentModelID
        #expect(try second.container.identifier(for: mooring.uriRepresentation) == mooring)
        #expect(try first.container.identifier(for: identifier.uriRepresentation) == nil)
        #expect(try second.container.identifier(for: #require(URL(string: "x-ashlar://other/Vessel/p1"))) == nil)
        #expect(try one(Vessel.self, first).persistentModelID.rowID == vessel.persistentModelID.rowID)
        let event = try #require(try await second.sync.keptEvents().first)
        #expect(event.kind == .merged)
        #expect(event.otherObject == vessel.persistentModelID.uriRepresentation)
    }

    @Test("a deletion that others deny is taken back, and told") func denied() async throws {
        let (first, second) = try await pair { $0.insert(Port(country: nil, name: "Ada")) }
        let vessel = Vessel(name: "Bea", tonnage: nil)
        first.context.insert(vessel)
        vessel.port = try first.context.fetch(FetchDescriptor<Port>()).first
        try first.context.save()
        let context = ModelContext(second.container)
        context.delete(try #require(try context.fetch(FetchDescriptor<Port>()).first))
        try context.save()
        for peer in [first, second, first] { try await peer.sync.synchronize() }
        #expect(try one(Vessel.self, second).port?.name == "Ada")
        #expect(try one(Vessel.self, first).port?.name == "Ada")
        #expect(try await second.sync.keptEvents().map(\.kind) == [.deletionDenied])
    }

    @Test("a deletion takes along what came meanwhile where it cascades") func cascade() async throws {
        let (first, second) = try await pair { $0.insert(Skipper(name: "Ada")) }
        let context = ModelContext(first.container)
        context.insert(
            Licence(number: "1", holder: try #require(try context.fetch(FetchDescriptor<Skipper>()).first)))
        try context.save()
        let other = ModelContext(second.container)
        other.delete(try #require(try other.fetch(FetchDescriptor<Skipper>()).first))
        try other.save()
        for peer in [first, second, first] { try await peer.sync.synchronize() }
        for peer in [first, second] {
            #expect(try ModelContext(peer.container).fetchCount(FetchDescriptor<Skipper>()) == 0)
            #expect(try ModelContext(peer.container).fetchCount(FetchDescriptor<Licence>()) == 0)
        }
    }

    @Test("a change of an object that is gone is told, or brings it back where the model says so")
    func goneObjects() async throws {
        let (first, second) = try await pair {
            $0.insert(Beacon(range: 1))
            $0.insert(Route(title: "north"))
        }
        let context = ModelContext(first.container)
        for beacon in try context.fetch(FetchDescriptor<Beacon>()) { context.delete(beacon) }
        for route in try context.fetch(FetchDescriptor<Route>()) { context.delete(route) }
        try context.save()
        try change(second, Beacon.self) { $0.range = 5 }
        try change(second, Route.self) { $0.title = "south" }
        for peer in [first, second, first] { try await peer.sync.synchronize() }
        for peer in [first, second] {
            #expect(try one(Beacon.self, peer).range == 5)
            #expect(try ModelContext(peer.container).fetchCount(FetchDescriptor<Route>()) == 0)
        }
        let events = try await second.sync.keptEvents()
        #expect(events.map(\.kind) == [.objectGone])
        #expect(events.first?.wanted["title"] == "south")
    }

    @Test("the history says who made what came, and in which store") func history() async throws {
        let (first, second) = try await pair { $0.insert(Beacon(range: 1)) }
        try change(first, Beacon.self) { $0.range = 2 }
        try await first.sync.synchronize()
        let token = try second.container.currentHistoryToken()
        try await second.sync.synchronize()
        let transactions = try second.container.fetchHistory(.fetchHistory(after: token))
        #expect(transactions.map(\.author) == ["Ada"])
        #expect(transactions.first?.changes.map(\.changeType) == [.update])
        #expect(UUID(uuidString: transactions.first?.contextName ?? "") != nil)
    }

    @Test("contexts merge what came, and what was taken off and put on again is no news to them") func contexts()
        async throws
    {
        let (first, second) = try await pair { $0.insert(Beacon(range: 1)) }
        let context = second.context
        context.automaticallyMergesChangesFromParent = true
        let beacon = try #require(try context.fetch(FetchDescriptor<Beacon>()).first)
        let route = Route(title: "mine")
        context.insert(route)
        try context.save()
        try change(first, Beacon.self) { $0.range = 2 }
        try await first.sync.synchronize()
        try await second.sync.synchronize()
        context.processPendingChanges()
        #expect(beacon.range == 2)
        #expect(route.title == "mine")
        #expect(!route.isDeleted)
        #expect(!context.hasChanges)
        route.title = "still mine"
        try context.save()
        #expect(try one(Route.self, second).title == "still mine")
    }

    @Test("a copy of a store is a site of its own, with numbers of its own") func copies() async throws {
        let (first, second) = try await pair { $0.insert(Beacon(range: 1)) }
        try first.container.backUp(to: folder.file("third.store"))
        let third = try peer("third")
        for (peer, title) in [(first, "first"), (third, "third")] {
            peer.context.insert(Route(title: title))
            try peer.context.save()
        }
        for peer in [first, third, second, first, third] { try await peer.sync.synchronize() }
        for peer in [first, second, third] {
            let titles = try ModelContext(peer.container).fetch(FetchDescriptor<Route>()).map(\.title)
            #expect(titles.sorted() == ["first", "third"])
        }
    }

    @Test("entries of a hostile peer are left out by all alike") func hostileEntries() async throws {
        let (first, second) = try await pair { $0.insert(Beacon(range: 1)) }
        let hash = try #require(try await log.snapshots().first).modelHash
        let bodies = [
            Data(), Data([0, 0, 0, 2, 0x7B, 0x7D]), Data([255, 255, 255, 255]), Data((0..<200).map { UInt8($0) }),
            Data([0, 0, 0, 29]) + Data(#"{"format":1,"columns":{"A":[]}}"#.utf8)
                + Data([0x50, 1, 1, 0x41, 0, 18, 0, 1]),
        ]
        for (index, body) in bodies.enumerated() {
            let head = try await log.head()
            _ = try await log.append(
                SyncEntry(
                    kind: .changes, site: UUID(), count: Int64(index + 1), modelHash: hash, date: Date(), body: body),
                after: head)
        }
        // A step to another version, and one to the same version, neither with a snapshot.
        for version in ["other", hash] {
            let step = SyncEntry(
                kind: .modelVersion, site: UUID(), count: 1, modelHash: version, date: Date(), body: Data())
            let head = try await log.head()
            #expect(try await log.append(step, after: head) == .appended(position: head + 1))
        }
        try change(first, Beacon.self) { $0.range = 3 }
        for peer in [first, second] { try await peer.sync.synchronize() }
        for peer in [first, second] {
            #expect(try one(Beacon.self, peer).range == 3)
            let kinds = try await peer.sync.keptEvents().map(\.kind)
            #expect(kinds == Array(repeating: .entryRejected, count: bodies.count + 2))
        }
    }
}
