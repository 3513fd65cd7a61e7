import Ashlar
import AshlarSync
import Foundation
import Testing

/// Contexts with unsaved changes while their store follows a log.
@Suite struct HeldContextTests {
    let crew: Crew
    init() throws { crew = try Crew() }

    private func context(_ peer: Peer, _ isMerging: Bool) -> ModelContext {
        let context = ModelContext(peer.container)
        context.automaticallyMergesChangesFromParent = isMerging
        return context
    }

    @Test("An unsaved gain of a counter is added to what others added", arguments: [false, true])
    func sums(_ isMerging: Bool) async throws {
        let (first, second) = try await crew.pair { $0.insert(Counter(name: "meter", total: 10)) }
        let held = context(first, isMerging)
        let counter = try #require(try held.fetch(Counter.all).first)
        counter.total += 1
        try second.change { try $0.fetch(Counter.all).first?.total += 100 }
        try await exchange(second, first)
        try held.save()
        #expect(counter.total == 111)
        try await exchange(first, second)
        for peer in [first, second] { #expect(try peer.texts() == ["counter meter 111 -"]) }
    }

    @Test("Objects keep their identity when the store first meets its log", arguments: [false, true], [false, true])
    func renumbering(_ isMerging: Bool, _ isObjectTrump: Bool) async throws {
        // Another store begins the log, so that this store's objects get other numbers.
        let other = try crew.peer("other")
        try other.change { $0.insert(Person(name: "Bea")) }
        try await other.sync.synchronize()
        let peer = try crew.peer("mine")
        let held = context(peer, isMerging)
        if isObjectTrump { held.mergePolicy = .mergeByPropertyObjectTrump }
        let ada = Person(name: "Ada")
        let project = Project(title: "garden", owner: ada)
        held.insert(project)
        try held.save()
        let identifier = project.persistentModelID
        project.title = "unsaved"
        held.insert(Errand(title: "new", project: project))
        try await peer.sync.synchronize()
        #expect(try held.fetch(Project.all).map(\.title) == ["unsaved"])
        #expect(try held.fetch(Project.all).first === project)
        try held.save()
        #expect(project.persistentModelID != identifier)
        #expect(try held.model(for: identifier) as Project === project)
        let fresh = ModelContext(peer.container)
        #expect((try fresh.model(for: identifier) as Project).title == "unsaved")
        try await exchange(peer, other)
        let wanted = ["errand new 0 in unsaved []", "person Ada", "person Bea", "project unsaved of Ada"]
        #expect(try peer.texts() == wanted)
        #expect(try other.texts() == wanted)
    }

    @Test("Live results show a renumbered object once") func liveResults() async throws {
        let other = try crew.peer("other")
        try await other.sync.synchronize()
        let peer = try crew.peer("mine")
        let held = context(peer, true)
        held.insert(Counter(name: "a"))
        try held.save()
        let results = FetchedResultsController(Counter.all.order { $0.name }, in: held)
        try results.performFetch()
        try held.fetch(Counter.all).first?.note = "unsaved"
        try await peer.sync.synchronize()
        held.processPendingChanges()
        #expect(results.fetchedObjects.map(\.name) == ["a"])
        #expect(results.fetchedObjects.map(\.note) == ["unsaved"])
        try held.save()
        #expect(results.fetchedObjects.map(\.note) == ["unsaved"])
    }

    @Test("An undo finds an object that was renumbered") func undo() async throws {
        let other = try crew.peer("other")
        try await other.sync.synchronize()
        let peer = try crew.peer("mine")
        let held = context(peer, true)
        held.undoManager = ModelUndoManager()
        held.insert(Counter(name: "a"))
        held.processPendingChanges()
        try held.save()
        try await peer.sync.synchronize()
        held.undoManager?.undo()
        try held.save()
        #expect(try peer.texts() == [])
        held.undoManager?.redo()
        try held.save()
        try await exchange(peer, other)
        #expect(try other.texts() == ["counter a 0 -"])
    }

    @Test("An object that became one with another keeps its unsaved gain", arguments: [false, true])
    func merging(_ isMerging: Bool) async throws {
        let (first, second) = try await crew.pair { _ in }
        try first.change { $0.insert(Tag(name: "shop", used: 5)) }
        let held = context(second, isMerging)
        let tag = Tag(name: "shop", used: 7)
        held.insert(tag)
        try held.save()
        tag.used += 1000
        try await exchange(first, second)
        try held.save()
        #expect(try held.fetch(Tag.all).map(\.used) == [1012])
        #expect(try held.fetch(Tag.all).first === tag)
        try await exchange(second, first)
        for peer in [first, second] { #expect(try peer.texts() == ["tag shop 1012"]) }
    }
}
