import Foundation
import Observation
import Testing

@testable import Ashlar

/// Live results with sections, and the changes that a controller reports.
@Suite struct FetchedResultsControllerTests {
    let context: ModelContext
    let articles: [Article]
    let log: ChangeLog<Article, Int64>
    let controller: FetchedResultsController<Article, Int64>

    /// Articles with 0 to 9 likes, in sections of five.
    init() throws {
        context = try studioContext()
        articles = (0..<10).map { Article(likes: Int64($0), title: "\($0)") }
        for article in articles { context.insert(article) }
        try context.save()
        log = ChangeLog()
        controller = FetchedResultsController(
            Article.where { $0.title != "hidden" }.order { $0.likes.ascending }, in: context
        ) { $0.likes / 5 }
        controller.delegate = log
        try controller.performFetch()
    }

    private func likes() -> [[Int64]] { controller.sections.map { $0.map(\.likes) } }

    @Test("row 106: objects in their order and sections") func objectsInOrder() {
        #expect(controller.fetchedObjects.map(\.likes) == Array(0..<10))
        #expect(controller.sections.map(\.name) == [0, 1] && controller.count == 10)
        #expect(likes() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])
        #expect(controller.object(at: [1, 2]) === articles[7] && controller.indexPath(for: articles[7]) == [1, 2])
        #expect(controller.object(at: [2, 0]) == nil && controller.object(at: [0, 5]) == nil)
        #expect(controller.object(at: [0]) == nil && controller.object(at: [0, -1]) == nil)
        #expect(controller.snapshot.identifiers == articles.map(\.persistentModelID))
        #expect(log.lines.isEmpty)
    }

    @Test("row 106: changes before they are saved") func changesBeforeTheyAreSaved() throws {
        articles[3].likes = 1
        articles[4].title = "other"
        context.delete(articles[9])
        let new = Article(likes: 3, title: "new")
        context.insert(new)
        #expect(likes()[0] == [0, 1, 2, 1, 4], "nothing is told before it is processed")
        context.processPendingChanges()
        #expect(likes() == [[0, 1, 1, 2, 3, 4], [5, 6, 7, 8]])
        #expect(
            log.take() == ["will", "delete 1.4", "insert 0.4", "move 0.3 0.2", "update 0.4 0.5", "content", "did"])
        try context.save()
        #expect(log.take() == [], "a save of what was told already changes nothing")
        #expect(controller.snapshot.sections[0].identifiers[4] == new.persistentModelID)
        #expect(!new.persistentModelID.isTemporary)
    }

    /// A controller reports neither changes that its fetch already found nor a save that is merged a second time.
    @Test("rows 70, 106: a save is told once") func aSaveIsToldOnce() async throws {
        let other = ModelContext(context.container)
        other.automaticallyMergesChangesFromParent = true
        var saves = context.container.saves().makeAsyncIterator()
        context.insert(Article(likes: 3, title: "new"))
        try context.save()
        let log = ChangeLog<Article, Never>()
        let controller = FetchedResultsController(Article.order { $0.likes.ascending }, in: other)
        controller.delegate = log
        try controller.performFetch()
        other.processPendingChanges()
        #expect(log.take() == [] && controller.count == 11)
        try other.mergeChanges(from: try #require(await saves.next()))
        other.processPendingChanges()
        #expect(log.take() == [])
        context.insert(Article(likes: 3, title: "newer"))
        try context.save()
        other.processPendingChanges()
        #expect(log.take() == ["will", "insert 0.5", "content", "did"])
        try other.mergeChanges(from: try #require(await saves.next()))
        other.processPendingChanges()
        #expect(log.take() == [])
    }

    @Test("row 106: changes of all objects move none") func changesOfAllObjectsMoveNone() throws {
        for article in articles { article.body = "x" }
        context.processPendingChanges()
        #expect(
            log.take() == ["will"] + (0..<10).map { "update \($0 / 5).\($0 % 5) \($0 / 5).\($0 % 5)" }
                + ["content", "did"])
        for article in articles[0..<5] { article.body = "y" }
        articles[7].likes = 20
        context.processPendingChanges()
        #expect(
            log.take() == ["will", "+2:4", "move 1.2 2.0"] + (0..<5).map { "update 0.\($0) 0.\($0)" }
                + ["content", "did"])
    }

    @Test("row 106: objects come and go with the condition") func objectsComeAndGo() throws {
        articles[0].title = "hidden"
        try context.save()
        #expect(log.take() == ["will", "delete 0.0", "content", "did"])
        articles[0].title = "seen"
        articles[1].title = "hidden"
        try context.save()
        #expect(log.take() == ["will", "delete 0.0", "insert 0.0", "content", "did"])
        articles[1].likes = 7
        try context.save()
        #expect(log.take() == [], "what is not among the results does not matter")
        context.insert(Topic(name: "t"))
        try context.save()
        #expect(log.take() == [])
    }

    @Test("row 106: sections come and go") func sectionsComeAndGo() throws {
        articles[9].likes = 100
        context.processPendingChanges()
        #expect(log.take() == ["will", "+2:20", "move 1.4 2.0", "content", "did"])
        for article in articles[0..<5] { article.likes = -10 }
        context.processPendingChanges()
        #expect(controller.sections.map(\.name) == [-2, 1, 20])
        #expect(
            log.take() == [
                "will", "-0:0", "+0:-2", "move 0.0 0.0", "move 0.1 0.1", "move 0.2 0.2", "move 0.3 0.3", "move 0.4 0.4",
                "content", "did",
            ])
        context.delete(articles[9])
        context.processPendingChanges()
        #expect(log.take() == ["will", "-2:20", "delete 2.0", "content", "did"])
    }

    @Test("row 107: sections by what is computed, also of other objects") func sectionsByComputedProperties() throws {
        let names = FetchedResultsController(Article.order { $0.title.ascending }, in: context) {
            $0.title < "5" ? "low" : "high"
        }
        try names.performFetch()
        #expect(names.sections.map(\.name) == ["low", "high"])
        #expect(names.sections.map(\.count) == [5, 5])
        articles[2].title = "8½"
        context.processPendingChanges()
        #expect(names.sections.map { $0.map(\.title) } == [["0", "1", "3", "4"], ["5", "6", "7", "8", "8½", "9"]])
    }

    @Test("row 106: sections that the order does not keep together") func sectionsOutOfOrder() throws {
        let odd = FetchedResultsController(Article.order { $0.likes.ascending }, in: context) { $0.likes % 2 }
        #expect(throws: FetchError.sectionsOutOfOrder(entity: "Article", name: "0")) { try odd.performFetch() }
        #expect(odd.count == 0)
        var isOdd = false
        let sometimes = FetchedResultsController(Article.order { $0.likes.ascending }, in: context) {
            isOdd ? $0.likes % 2 : $0.likes / 5
        }
        let log = ChangeLog<Article, Int64>()
        sometimes.delegate = log
        try sometimes.performFetch()
        isOdd = true
        articles[8].likes = 6
        context.processPendingChanges()
        #expect(log.take() == ["will", "failed"] && sometimes.count == 0)
        #expect(throws: FetchError.self) { try context.fetchCount(Article.all) }
        isOdd = false
        try sometimes.performFetch()
        #expect(sometimes.count == 10)
    }

    @Test("row 106: rollback and undo and reset") func rollbackAndUndoAndReset() throws {
        context.undoManager = ModelUndoManager()
        articles[0].likes = 9
        context.delete(articles[1])
        context.insert(Article(likes: 2, title: "new"))
        context.processPendingChanges()
        #expect(controller.fetchedObjects.map(\.likes) == [2, 2, 3, 4, 5, 6, 7, 8, 9, 9])
        context.undoManager?.undo()
        context.processPendingChanges()
        #expect(controller.fetchedObjects.map(\.likes) == Array(0..<10))
        articles[0].likes = 9
        context.insert(Article(likes: 2, title: "new"))
        context.processPendingChanges()
        context.rollback()
        #expect(controller.fetchedObjects.map(\.likes) == Array(0..<10))
        context.reset()
        #expect(controller.count == 0)
        try controller.performFetch()
        #expect(controller.count == 10)
    }

    @Test("row 106: what other contexts save, where they are merged") func otherContexts() throws {
        context.automaticallyMergesChangesFromParent = true
        let other = ModelContext(context.container)
        let twins = try other.fetch(Article.order { $0.likes.ascending })
        twins[0].likes = 20
        other.delete(twins[1])
        other.insert(Article(likes: 3, title: "theirs"))
        try other.save()
        #expect(log.take() == [])
        context.processPendingChanges()
        #expect(likes() == [[2, 3, 3, 4], [5, 6, 7, 8, 9], [20]])
        #expect(log.take() == ["will", "+2:4", "delete 0.1", "insert 0.2", "move 0.0 2.0", "content", "did"])
        other.insert(Topic(name: "t"))
        try other.save()
        context.processPendingChanges()
        #expect(log.take() == [])
    }

    @Test("row 106: a part of the matching objects") func windows() throws {
        let page = FetchedResultsController(Article.order { $0.likes.descending }.limit(3), in: context)
        let log = ChangeLog<Article, Never>()
        page.delegate = log
        try page.performFetch()
        #expect(page.fetchedObjects.map(\.likes) == [9, 8, 7])
        articles[0].likes = 10
        try context.save()
        #expect(page.fetchedObjects.map(\.likes) == [10, 9, 8])
        #expect(log.take() == ["will", "delete 0.2", "insert 0.0", "content", "did"])
        context.delete(articles[9])
        context.processPendingChanges()
        #expect(page.fetchedObjects.map(\.likes) == [10, 8, 7])
        #expect(log.take() == ["will", "delete 0.1", "insert 0.2", "content", "did"])
    }

    @Test("row 106: conditions that follow relationships") func relationships() throws {
        let byWriter = FetchedResultsController(
            Article.where { $0.writer.name == "w" }.order { $0.likes.ascending }, in: context)
        try byWriter.performFetch()
        let writer = Writer(name: "v")
        for article in articles[2..<4] { article.writer = writer }
        context.processPendingChanges()
        #expect(byWriter.count == 0)
        writer.name = "w"
        context.processPendingChanges()
        #expect(byWriter.fetchedObjects.map(\.likes) == [2, 3])
        let counted = FetchedResultsController(
            Article.where { $0.topics.count > 0 }.order { $0.likes.ascending }, in: context)
        try counted.performFetch()
        articles[5].topics.append(Topic(name: "t"))
        context.processPendingChanges()
        #expect(counted.fetchedObjects.map(\.likes) == [5])
        articles[5].topics = []
        context.processPendingChanges()
        #expect(counted.count == 0)
    }

    /// A merge takes a change back, because the store has it too. Another change follows in the same event.
    @Test func aChangeThatTheStoreHasToo() throws {
        let writer = Writer(name: "v")
        for article in articles[2..<4] { article.writer = writer }
        try context.save()
        let byWriter = FetchedResultsController(
            Article.where { $0.writer.name == "w" }.order { $0.likes.ascending }, in: context)
        try byWriter.performFetch()
        let other = ModelContext(context.container)
        writer.name = "w"
        let theirs: Writer = try other.model(for: writer.persistentModelID)
        theirs.name = "w"
        try other.save()
        try context.refresh(writer)
        writer.city = "here"
        context.processPendingChanges()
        #expect(byWriter.count == 2)
    }

    @Test("row 106: changes of columns that a condition does not follow cost no fetch", arguments: [true, false])
    func unrelatedColumns(isOwn: Bool) throws {
        let writer = Writer(name: "v")
        for article in articles[2..<4] { article.writer = writer }
        try context.save()
        let byWriter = FetchedResultsController(
            Article.where { $0.writer.name == "w" }.order { $0.likes.ascending }, in: context)
        try byWriter.performFetch()
        context.automaticallyMergesChangesFromParent = true
        let changing = isOwn ? context : ModelContext(context.container)
        let changed: Writer = try changing.model(for: writer.persistentModelID)
        func statements(_ change: () throws -> Void) throws -> Int {
            let before = context.statementCount
            try change()
            try changing.save()
            context.processPendingChanges()
            return context.statementCount - before
        }
        // Both changes are saved, or read again; only the second one affects the results.
        let unrelated = try statements { changed.city = "here" }
        #expect(byWriter.count == 0)
        let related = try statements { changed.name = "w" }
        #expect(byWriter.count == 2)
        // For the context's own unsaved changes, the rows that lead to changed objects are also found and read first.
        #expect(related == unrelated + (isOwn ? 3 : 1))
        let batch = try statements { try changing.batchUpdate(Writer.all) { $0.city = "there" } }
        let relatedBatch = try statements { try changing.batchUpdate(Writer.all) { $0.name = "x" } }
        #expect(byWriter.count == 0)
        #expect(relatedBatch > batch)
    }

    /// The condition counts the rows of another table, but reads none of its columns.
    @Test("row 106: rows that are counted come and go", arguments: [true, false])
    func countedRows(isOwn: Bool) throws {
        let topic = Topic(name: "t")
        articles[5].topics.append(topic)
        try context.save()
        let counted = FetchedResultsController(Article.where { $0.topics.count > 0 }, in: context)
        try counted.performFetch()
        #expect(counted.count == 1)
        context.automaticallyMergesChangesFromParent = true
        let changing = isOwn ? context : ModelContext(context.container)
        try changing.batchDelete(Topic.all)
        context.processPendingChanges()
        #expect(counted.count == 0)
    }

    @Test("row 106: batch operations, of this context and of others", arguments: [true, false])
    func batches(isOwn: Bool) throws {
        let other = isOwn ? context : ModelContext(context.container)
        context.automaticallyMergesChangesFromParent = true
        try other.batchUpdate(Article.where { $0.likes == 2 }) { $0.likes = 7 }
        try other.batchDelete(Article.where { $0.likes < 1 })
        context.processPendingChanges()
        #expect(likes() == [[1, 3, 4], [5, 6, 7, 7, 8, 9]])
        #expect(articles[2].likes == 7 && articles[0].isDeleted)
    }

    @Test func aPinnedContextStaysCalm() throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(for: StudioModel.self, at: folder.file())
        let (context, other) = (ModelContext(container), ModelContext(container))
        try context.setQueryGeneration(from: .current)
        let results = FetchedResultsController(Article.order { $0.likes.ascending }, in: context)
        try results.performFetch()
        var saved: [ContextNotification] = []
        other.observe(.didSave) { _, changes in saved.append(changes.notification(.didSave, author: nil)) }
        other.insert(Article(title: "a"))
        try other.save()
        context.processPendingChanges()
        #expect(results.count == 0)
        try context.mergeChanges(from: saved[0])
        context.processPendingChanges()
        #expect(results.count == 1)
    }

    /// A commit by another container arrives without a list of its changes.
    @Test @MainActor func otherProcesses() async throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(for: StudioModel.self, at: folder.file())
        let context = container.mainContext
        let kept = Article(likes: 1, title: "kept")
        context.insert(kept)
        try context.save()
        let results = FetchedResultsController(Article.order { $0.likes.ascending }, in: context)
        let log = ChangeLog<Article, Never>()
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        log.didChange = { continuation.yield() }
        results.delegate = log
        try results.performFetch()
        let theirs = ModelContext(try ModelContainer(for: StudioModel.self, at: folder.file()))
        theirs.insert(Article(likes: 0, title: "theirs"))
        try theirs.fetch(Article.where { $0.title == "kept" }).first?.body = "changed"
        try theirs.save()
        for await _ in changes { break }
        #expect(results.fetchedObjects.map(\.title) == ["theirs", "kept"] && kept.body == "changed")
        #expect(log.take() == ["will", "insert 0.0", "update 0.0 0.1", "content", "did"])
    }

    @Test @MainActor func observed() async throws {
        let container = try memoryContainer(StudioModel.self)
        let context = container.mainContext
        let results = FetchedResultsController(Article.order { $0.likes.ascending }, in: context)
        try results.performFetch()
        await confirmation { changed in
            withObservationTracking {
                #expect(results.fetchedObjects.isEmpty)
            } onChange: {
                changed()
            }
            context.insert(Article(title: "new"))
            context.processPendingChanges()
        }
        #expect(results.count == 1)
    }

    /// A released controller leaves no listener behind.
    @Test func goneControllersCostNothing() throws {
        let quiet = try studioContext()
        var controller: FetchedResultsController? = FetchedResultsController(Article.all, in: quiet)
        try controller?.performFetch()
        #expect(quiet.listeners.event != nil)
        controller = nil
        #expect(quiet.listeners.event == nil && quiet.listeners.liveResults.isEmpty)
    }
}
