import Foundation
import RandomNumbers
import Synchronization
import Testing

@testable import Ashlar

/// Contexts that stay at one state of the store while others write.
@Suite struct QueryGenerationTests {
    let folder: TemporaryFolder
    let container: ModelContainer
    let pinned: ModelContext
    let writing: ModelContext
    let article: Article

    init() throws {
        folder = try TemporaryFolder()
        container = try ModelContainer(for: StudioModel.self, at: folder.file())
        pinned = ModelContext(container)
        writing = ModelContext(container)
        article = Article(body: "body", title: "first", writer: Writer(name: "w"))
        article.topics = [Topic(name: "t")]
        writing.insert(article)
        try writing.save()
    }

    private func change() throws {
        article.title = "changed"
        article.writer?.name = "renamed"
        article.topics = []
        writing.insert(Article(title: "second", writer: article.writer))
        try writing.save()
    }

    @Test("row 134: every read of a pinned context sees its state")
    func everyReadSeesTheState() throws {
        try pinned.setQueryGeneration(from: .current)
        #expect(try pinned.fetchCount(Article.all) == 1)
        try change()
        #expect(try pinned.fetch(Article.all).map(\.title) == ["first"])
        #expect(try pinned.fetchValues(Article.all).map(\.title) == ["first"])
        #expect(try pinned.fetchIdentifiers(Article.all) == [article.persistentModelID])
        #expect(try pinned.fetch(Article.all.select { $0.title }) == ["first"])
        let twin: Article = try pinned.model(for: article.persistentModelID)
        #expect(twin.writer?.name == "w" && twin.topics.map(\.name) == ["t"] && twin.writer?.articles.count == 1)
        try pinned.enumerateValues(Article.all) { #expect($0.title == "first") }
        try pinned.refreshAllObjects()
        #expect(twin.title == "first")
        #expect(try ModelContext(container).fetchCount(Article.all) == 2)
    }

    @Test("row 134: the first read decides, and pinning anew moves on")
    func theFirstReadDecides() throws {
        try pinned.setQueryGeneration(from: .current)
        #expect(pinned.queryGenerationToken == .current)
        try change()
        #expect(try pinned.fetchCount(Article.all) == 2)
        let token = try #require(pinned.queryGenerationToken)
        #expect(token != .current)
        writing.delete(article)
        try writing.save()
        #expect(try pinned.fetchCount(Article.all) == 2)
        try pinned.setQueryGeneration(from: .current)
        #expect(try pinned.fetchCount(Article.all) == 1)
        // A generation that is still held can be read again.
        try pinned.setQueryGeneration(from: token)
        #expect(try pinned.fetchCount(Article.all) == 2)
        try pinned.setQueryGeneration(from: nil)
        #expect(try pinned.fetchCount(Article.all) == 1 && pinned.queryGenerationToken == nil)
    }

    @Test("row 134: a save moves on, a failed one does not") func aSaveMovesOn() throws {
        try pinned.setQueryGeneration(from: .current)
        let twin: Article = try pinned.model(for: article.persistentModelID)
        try change()
        twin.body = "mine"
        // The newest state decides on conflicts, whatever the context sees.
        #expect(throws: SaveError.self) { try pinned.save() }
        #expect(try pinned.fetchCount(Article.all) == 1)
        pinned.mergePolicy = .mergeByPropertyObjectTrump
        try pinned.save()
        #expect(try pinned.fetch(Article.order { $0.title.ascending }).map(\.title) == ["changed", "second"])
        #expect(twin.title == "changed" && twin.body == "mine")
        #expect(pinned.queryGenerationToken != nil)
        article.title = "later"
        writing.mergePolicy = .mergeByPropertyObjectTrump
        try writing.save()
        #expect(try pinned.fetchCount(Article.where { $0.title == "later" }) == 0)
    }

    @Test("row 134: merging and resetting move on", arguments: [true, false]) func mergingMovesOn(resets: Bool) throws {
        try pinned.setQueryGeneration(from: .current)
        let twin: Article = try pinned.model(for: article.persistentModelID)
        var saved: ContextNotification?
        let observation = writing.observe(.didSave) { _, changes in saved = changes.notification(.didSave, author: nil)
        }
        try change()
        observation.cancel()
        #expect(try pinned.fetchCount(Article.all) == 1)
        if resets {
            pinned.reset()
        } else {
            try pinned.mergeChanges(from: #require(saved))
            #expect(twin.title == "changed" && twin.writer?.name == "renamed")
        }
        #expect(try pinned.fetchCount(Article.all) == 2)
    }

    @Test("row 134: a context that merges by itself moves on with each save of others")
    func mergingByItselfMovesOn() throws {
        pinned.automaticallyMergesChangesFromParent = true
        try pinned.setQueryGeneration(from: .current)
        #expect(try pinned.fetchCount(Article.all) == 1)
        try change()
        #expect(try pinned.fetchCount(Article.all) == 2)
        try container.execute("DELETE FROM \"Article\"")
        #expect(try pinned.fetchCount(Article.all) == 2)
    }

    @Test func severalContextsSeeTheSameState() async throws {
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.fetchCount(Article.all)
        let token = try #require(pinned.queryGenerationToken)
        try change()
        try await withThrowingTaskGroup(of: [String?].self) { group in
            for _ in 0..<4 {
                group.addTask { [container] in
                    let context = ModelContext(container)
                    try context.setQueryGeneration(from: token)
                    return try (0..<20).flatMap { _ in
                        try context.fetchValues(Article.all).map(\.title)
                    }
                }
            }
            for try await titles in group { #expect(titles == Array(repeating: "first", count: 20)) }
        }
        #expect(container.writeAheadLogStatus().pinnedGenerations.count == 1)
    }

    @Test func readsInAClosureShareAState() throws {
        try pinned.withQueryGeneration {
            #expect(try pinned.fetchCount(Article.all) == 1)
            try change()
            #expect(try pinned.fetchCount(Article.all) == 1)
        }
        #expect(try pinned.fetchCount(Article.all) == 2)
        #expect(container.writeAheadLogStatus().pinnedGenerations.isEmpty)
        struct Stop: Error {}
        #expect(throws: Stop.self) { try pinned.withQueryGeneration { throw Stop() } }
        #expect(pinned.queryGenerationToken == nil)
    }

    @Test func whatCannotBePinnedSaysSo() throws {
        #expect(throws: ContextError.queryGenerationOfChild) {
            try ModelContext(parent: pinned).setQueryGeneration(from: .current)
        }
        let other = try ModelContainer(for: StudioModel.self, at: folder.file("other.store"))
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.fetchCount(Article.all)
        let token = pinned.queryGenerationToken
        #expect(throws: ContextError.queryGenerationOfAnotherStore) {
            try ModelContext(other).setQueryGeneration(from: token)
        }
        let memory = ModelContext(try memoryContainer())
        do {
            try memory.setQueryGeneration(from: .current)
            Issue.record("a store in memory has one state only")
        } catch StoreError.queryGenerationsUnavailable {}
        #expect(try memory.withQueryGeneration { try memory.fetchCount(Label.all) } == 0)
    }

    /// A store cannot be destroyed while a token of a pinned context exists.
    @Test func aPinKeepsTheStoreOpen() throws {
        let url = folder.file("held.store")
        var held: ModelContainer? = try ModelContainer(for: StudioModel.self, at: url)
        var context: ModelContext? = held.map(ModelContext.init)
        try context?.setQueryGeneration(from: .current)
        _ = try context?.fetchCount(Article.all)
        var token = context?.queryGenerationToken
        (held, context) = (nil, nil)
        #expect(token != nil)
        #expect(throws: StoreError.self) { try ModelContainer.destroyStore(at: url) }
        token = nil
        try ModelContainer.destroyStore(at: url)
    }

    // MARK: The write-ahead log

    private func fill(_ context: ModelContext, _ count: Int) throws {
        for _ in 0..<count {
            context.insert(Topic(name: String(repeating: "x", count: 3000)))
        }
        try context.save()
    }

    @Test func theLogBeginsAnewAfterAPin() throws {
        let options = StoreOptions(walAutocheckpoint: 10, journalSizeLimit: 100_000)
        let container = try ModelContainer(
            for: StudioModel.self,
            configurations: ModelConfiguration(url: folder.file("log.store"), options: options))
        let (context, writing) = (ModelContext(container), ModelContext(container))
        try context.setQueryGeneration(from: .current)
        _ = try context.fetchCount(Topic.all)
        for _ in 0..<20 { try fill(writing, 20) }
        let status = container.writeAheadLogStatus()
        #expect(status.size > 1_000_000 && status.pinnedGenerations.count == 1)
        try context.setQueryGeneration(from: nil)
        #expect(container.writeAheadLogStatus().pinnedGenerations.isEmpty)
        for _ in 0..<3 { try fill(writing, 1) }
        #expect(container.writeAheadLogStatus().size <= 200_000)
    }

    private func isExpired(_ error: any Error) -> Bool {
        if case StoreError.queryGenerationExpired = error { return true }
        return false
    }

    @Test func aLimitEndsPins() throws {
        let options = StoreOptions(walAutocheckpoint: 10, journalSizeLimit: 0, pinnedLogLimit: 500_000)
        let container = try ModelContainer(
            for: StudioModel.self,
            configurations: ModelConfiguration(url: folder.file("log.store"), options: options))
        let (context, writing) = (ModelContext(container), ModelContext(container))
        try fill(writing, 1)
        try context.setQueryGeneration(from: .current)
        let topic = try #require(try context.fetch(Topic.all).first)
        for _ in 0..<30 { try fill(writing, 20) }
        #expect(container.writeAheadLogStatus().size < 1_000_000)
        #expect(topic.articles.isEmpty)
        // A getter cannot throw; the next throwing call does.
        #expect { try context.save() } throws: { isExpired($0) }
        #expect { try context.fetchCount(Topic.all) } throws: { isExpired($0) }
        try context.setQueryGeneration(from: .current)
        #expect(try context.fetchCount(Topic.all) == 601)
        #expect(throws: StoreError.self) {
            _ = try ModelContainer(
                for: StudioModel.self,
                configurations: ModelConfiguration(
                    url: folder.file("bad.store"), options: StoreOptions(pinnedLogLimit: 0)))
        }
    }

    // MARK: Isolation

    private final class WriterState: Sendable {
        let isDone = Atomic(false)
    }

    /// The tables that a pinned reader reads are consistent, and stay so while it reads, whatever a writer does.
    @Test func pinnedReadersSeeWholeStates() async throws {
        let transactions = 200 * TestEffort.factor
        let writer = WriterState()
        let setUp = ModelContext(container)
        for article in try setUp.fetch(Article.all) { setUp.delete(article) }
        try setUp.save()
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { [container] in
                defer { writer.isDone.store(true, ordering: .relaxed) }
                let window = try MovingWindow(ModelContext(container))
                for _ in 0..<transactions { _ = try window.move() }
                return transactions
            }
            for _ in 0..<8 {
                group.addTask { [container] in
                    var reads = 0
                    while !writer.isDone.load(ordering: .relaxed) || reads == 0 {
                        let context = ModelContext(container)
                        try context.setQueryGeneration(from: .current)
                        let (number, violation) = try MovingWindow.read(context)
                        #expect(violation == nil)
                        let again = ModelContext(container)
                        try again.setQueryGeneration(from: context.queryGenerationToken)
                        #expect(try MovingWindow.read(again).number == number)
                        reads += 1
                    }
                    return reads
                }
            }
            for try await count in group { #expect(count > 0) }
        }
        try container.expectSound()
    }
}
