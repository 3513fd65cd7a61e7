import Ashlar
import Foundation
import Observation
import Testing

/// Changes that count beyond an object's own row: its members and their order.
@Suite struct ChangedObjectsTests {
    let context: ModelContext
    let other: ModelContext
    let writer: Writer
    let article: Article

    init() throws {
        context = try studioContext()
        other = ModelContext(context.container)
        other.automaticallyMergesChangesFromParent = true
        writer = Writer(name: "w")
        article = Article(title: "a", writer: writer)
        article.chapters = ["1", "2", "3"].map { Chapter(name: $0) }.asToMany
        context.insert(article)
        context.insert(Article(title: "b"))
        try context.save()
    }

    private func twin<Model: PersistentModel>(_ object: Model) throws -> Model {
        try other.model(for: object.persistentModelID)
    }

    // MARK: Owners

    @Test("row 67: an owner whose members changed is a changed object") func owners() throws {
        var saved: [[ManagedObject]] = []
        context.observe(.didSave) { _, changes in saved.append(changes.updatedModels.map { $0 as ManagedObject }) }
        let new = Article(title: "new", writer: writer)
        context.insert(new)
        #expect(writer.hasChanges && writer.hasPersistentChangedValues && writer.changedProperties == ["articles"])
        #expect(context.changedModelsArray.map { $0 as ManagedObject } == [writer])
        try context.save()
        #expect(saved.last == [writer] && !writer.hasChanges && !context.hasChanges)
        new.writer = nil
        #expect(writer.hasChanges)
        try context.save()
        #expect(saved.last.map(Set.init) == [writer, new])
        context.delete(article)
        #expect(writer.hasChanges)
        try context.save()
        #expect(saved.last == [writer])
        // The writer's row does not change.
        #expect(try context.container.integer("SELECT max(\"version$\") FROM \"Writer\"") == 1)
    }

    @Test func anOwnerIsNoConflict() throws {
        let second = ModelContext(context.container)
        second.insert(Article(title: "2", writer: try second.model(for: writer.persistentModelID)))
        context.insert(Article(title: "1", writer: writer))
        try context.save()
        try second.save()
        #expect(try context.fetchCount(Article.where { $0.writer.name == "w" }) == 3)
    }

    @Test func whatIsDiscardedLeavesNoOwnerChanged() throws {
        article.writer = nil
        #expect(writer.hasChanges)
        try context.refresh(article, mergeChanges: false)
        #expect(!writer.hasChanges && !context.hasChanges && Array(writer.articles) == [article])
        article.writer = nil
        context.rollback()
        #expect(!writer.hasChanges && !context.hasChanges && Array(writer.articles) == [article])
    }

    @Test("row 68: an owner whose members changed is told of") func ownersInNotifications() throws {
        var told: [[ManagedObject]] = []
        context.observe(.objectsDidChange) { _, changes in
            told.append(changes.updatedModels.map { $0 as ManagedObject })
        }
        context.insert(Article(title: "new", writer: writer))
        context.processPendingChanges()
        #expect(told == [[writer]])
        context.insert(Article(title: "newer", writer: writer))
        context.processPendingChanges()
        #expect(told == [[writer], [writer]])
    }

    @Test("row 106: an owner whose members changed is an update") func ownersInLiveResults() throws {
        let (here, there) = (ChangeLog<Writer, Never>(), ChangeLog<Writer, Never>())
        let own = FetchedResultsController(Writer.order { $0.name.ascending }, in: context)
        let merging = FetchedResultsController(Writer.order { $0.name.ascending }, in: other)
        (own.delegate, merging.delegate) = (here, there)
        try own.performFetch()
        try merging.performFetch()
        let update = ["will", "update 0.0 0.0", "content", "did"]
        context.insert(Article(title: "new", writer: writer))
        try context.save()
        other.processPendingChanges()
        #expect(here.take() == update && there.take() == update)
        // The saving context need not contain the owner.
        let third = ModelContext(context.container)
        let article = try #require(try third.fetch(Article.where { $0.title == "new" }).first)
        article.writer = nil
        try third.save()
        other.processPendingChanges()
        #expect(there.take() == update)
        #expect(try twin(writer).articles.count == 1)
    }

    @Test("row 61: an owner whose members changed is asked before the save") func ownersWillSave() throws {
        let diary = Diary(mood: "stamping", text: "a")
        context.insert(diary)
        try context.save()
        let before = diary.saves
        context.insert(DiaryPage(number: 1, diary: diary))
        try context.save()
        #expect(diary.saves == before + 1)
        #expect(try context.fetched(Diary.self).map(\.saves) == [before + 1])
        try context.save()
        #expect(diary.saves == before + 1)
    }

    // MARK: Order

    /// Ways to move the first chapter to the end.
    private static let movements: [(String, @Sendable (Article, Article, Chapter) throws -> Void)] = [
        ("move", { article, _, chapter in article.chapters.move(chapter, to: 2) }),
        (
            "remove and append",
            { article, _, chapter in
                article.chapters.remove(chapter)
                article.chapters.append(chapter)
            }
        ),
        (
            "to nil and back",
            { article, _, chapter in
                chapter.article = nil
                chapter.article = article
            }
        ),
        (
            "to another and back",
            { article, second, chapter in
                chapter.article = second
                chapter.article = article
            }
        ),
        (
            "all out and in again",
            { article, _, chapter in
                let chapters = Array(article.chapters)
                article.chapters.removeAll()
                for other in chapters where other !== chapter { article.chapters.append(other) }
                article.chapters.append(chapter)
            }
        ),
    ]

    @Test("rows 14, 70: others follow an order, however it came about", arguments: movements.indices)
    func orders(number: Int) throws {
        let (name, move) = Self.movements[number]
        let place: Testing.Comment = "\(name)"
        let twin = try twin(article)
        #expect(twin.chapters.map(\.name) == ["1", "2", "3"])
        other.isObservable = true
        let counter = Counter()
        withObservationTracking {
            _ = twin.chapters.count
        } onChange: {
            counter.add()
        }
        let log = ChangeLog<Article, Never>()
        let controller = FetchedResultsController(Article.order { $0.title.ascending }, in: other)
        controller.delegate = log
        try controller.performFetch()
        let idle = ModelContext(context.container)
        let idleTwin: Article = try idle.model(for: article.persistentModelID)
        #expect(idleTwin.chapters.map(\.name) == ["1", "2", "3"])
        var saved: [ManagedObject] = []
        context.observe(.didSave) { _, changes in saved = changes.updatedModels.map { $0 as ManagedObject } }
        let second = try #require(try context.fetch(Article.where { $0.title == "b" }).first)
        try move(article, second, article.chapters[0])
        #expect(article.hasChanges, place)
        try context.save()
        #expect(saved.contains(article), place)
        other.processPendingChanges()
        #expect(twin.chapters.map(\.name) == ["2", "3", "1"] && counter.value == 1, place)
        #expect(log.take().contains("update 0.0 0.0"), place)
        // A context that does not merge sees the new order with its next fetch.
        _ = try idle.fetch(Article.all)
        #expect(idleTwin.chapters.map(\.name) == ["2", "3", "1"], place)
    }

    // MARK: Deleted before it was saved

    @Test("row 60: an object that was deleted before it was saved is deleted") func deletedUnsaved() throws {
        let new = Article(title: "new")
        #expect(!new.isDeleted)
        context.insert(new)
        context.delete(new)
        #expect(new.isDeleted && new.modelContext == nil && !new.hasChanges)
        context.insert(new)
        #expect(!new.isDeleted && new.isInserted)
        context.rollback()
        #expect(!new.isDeleted && !new.isInserted)
    }
}

/// A counter that any thread may increment.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    var value: Int { lock.withLock { count } }
    func add() { lock.withLock { count += 1 } }
}

extension Array where Element: PersistentModel {
    var asToMany: ToMany<Element> { ToMany(self) }
}
