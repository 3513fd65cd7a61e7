import Foundation
import Testing

@testable import Ashlar

/// Contexts of the main actor, of background tasks and of actors.
@Suite struct ContextsTests {
    let container: ModelContainer

    init() throws { container = try memoryContainer(StudioModel.self) }

    // MARK: The main context

    @MainActor
    @Test("row 41: the main context is one and lives with its container")
    func theMainContextIsOneAndLivesWithItsContainer() async throws {
        weak var gone: ModelContext?
        do {
            let container = try memoryContainer(StudioModel.self)
            let context = container.mainContext
            #expect(context === container.mainContext && context.container == container)
            context.insert(Topic(name: "t"))
            try context.save()
            #expect(try ModelContext(container).fetchCount(Topic.all) == 1)
            gone = context
        }
        // The context is released on the main actor, on which this test runs.
        await until { gone == nil }
        #expect(gone == nil)
    }

    @MainActor
    @Test func theMainContextTakesOverWhatOthersSave() async throws {
        let topic = Topic(name: "old")
        container.mainContext.insert(topic)
        try container.mainContext.save()
        let identifier = topic.persistentModelID
        try await container.performBackgroundTask { context in
            (try context.model(for: identifier) as Topic).name = "new"
            try context.save()
        }
        await until { topic.name == "new" }
        #expect(topic.name == "new")
    }

    @MainActor
    @Test("row 74: the main context saves by itself") func theMainContextSavesByItself() async throws {
        let topic = Topic(name: "t")
        container.mainContext.insert(topic)
        #expect(container.mainContext.hasChanges)
        let container = container
        await until { (try? ModelContext(container).fetchCount(Topic.all)) == 1 }
        #expect(!container.mainContext.hasChanges && !topic.persistentModelID.isTemporary)
        topic.name = "changed"
        await until { (try? ModelContext(container).fetch(Topic.all).first?.name) == "changed" }
        container.mainContext.autosaveEnabled = false
        topic.name = "by hand"
        for _ in 0..<100 { await Task.yield() }
        #expect(container.mainContext.hasChanges)
    }

    @MainActor
    @Test func anErrorOfAnAutosaveIsThrownLater() async throws {
        let context = container.mainContext
        let toolbox = Toolbox(name: "without tools")
        context.insert(toolbox)
        await until { context.errors.isWaiting }
        #expect(throws: SaveError.self) { try context.fetch(Toolbox.all) }
        #expect(toolbox.isInserted)
        toolbox.tools.append(Tool(name: "saw"))
        try context.save()
    }

    /// Yields to other tasks until a condition holds, or so often that it never will.
    @MainActor
    private func until(_ condition: () -> Bool) async {
        for _ in 0..<100_000 where !condition() { await Task.yield() }
    }

    // MARK: Background contexts

    @Test("row 41: a background context keeps its objects") func aBackgroundContextKeepsItsObjects() async throws {
        let background = container.newBackgroundContext()
        let identifier = try await background.perform { context in
            let topic = Topic(name: "t")
            context.insert(topic)
            return topic.persistentModelID
        }
        let (isInserted, count) = try background.performAndWait { context in
            (
                context.registeredModel(for: identifier).map { (topic: Topic) in topic.isInserted },
                try context.fetchCount(Topic.all)
            )
        }
        #expect(isInserted == true && count == 1)
        let nested = try background.performAndWait { context in
            try background.performAndWait { inner in inner === context }
        }
        #expect(nested)
        #expect(try ModelContext(container).fetchCount(Topic.all) == 0)
    }

    @Test func aBackgroundContextSavesByItselfWhereAsked() async throws {
        let background = container.newBackgroundContext()
        try await background.perform { context in
            context.autosaveEnabled = true
            context.insert(Topic(name: "t"))
        }
        #expect(try ModelContext(container).fetchCount(Topic.all) == 1)
        await #expect(throws: SaveError.self) {
            try await background.perform { $0.insert(Toolbox(name: "without tools")) }
        }
    }

    @Test("row 72: many tasks share a background context") func manyTasksShareABackgroundContext() async throws {
        let background = container.newBackgroundContext()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<20 {
                        try await background.perform { context in
                            context.insert(Topic(name: "\(task) \(round)"))
                            if round.isMultiple(of: 5) { try context.save() }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await background.perform { try $0.save() }
        #expect(try ModelContext(container).fetchCount(Topic.all) == 160)
    }

    // MARK: Actors

    actor Importer: ModelActor {
        nonisolated let modelContainer: ModelContainer
        nonisolated let modelExecutor: any ModelExecutor

        init(modelContainer: ModelContainer) {
            self.modelContainer = modelContainer
            modelExecutor = DefaultSerialModelExecutor(modelContainer: modelContainer)
        }

        func add(_ name: String) throws -> PersistentIdentifier {
            let topic = Topic(name: name)
            modelContext.insert(topic)
            try modelContext.save()
            return topic.persistentModelID
        }

        func name(of identifier: PersistentIdentifier) -> String? { self[identifier, as: Topic.self]?.name }

        func isArticle(_ identifier: PersistentIdentifier) -> Bool { self[identifier, as: Article.self] != nil }
    }

    @Test("row 178: a model actor") func aModelActor() async throws {
        let importer = Importer(modelContainer: container)
        let identifier = try await importer.add("imported")
        #expect(await importer.name(of: identifier) == "imported")
        #expect(await !importer.isArticle(identifier))
        let topic: Topic = try ModelContext(container).model(for: identifier)
        #expect(topic.name == "imported")
    }
}
