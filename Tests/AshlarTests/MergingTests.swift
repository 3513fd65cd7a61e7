import Foundation
import Testing

@testable import Ashlar

/// The saves of one context reach others.
@Suite struct MergingTests {
    let context: ModelContext
    let other: ModelContext
    let article: Article
    let twin: Article

    init() throws {
        context = try studioContext()
        other = ModelContext(context.container)
        article = Article(body: "body", title: "title", writer: Writer(name: "w"))
        context.insert(article)
        try context.save()
        twin = try other.model(for: article.persistentModelID)
    }

    @Test("row 70: changes and deletions and insertions") func changesAndDeletionsAndInsertions() throws {
        other.automaticallyMergesChangesFromParent = true
        let writer = try #require(twin.writer)
        #expect(writer.articles.count == 1 && twin.topics.isEmpty)
        let second = Article(title: "second", writer: article.writer)
        context.insert(second)
        article.title = "changed"
        article.topics.append(Topic(name: "t"))
        try context.save()
        other.processPendingChanges()
        #expect(twin.title == "changed" && writer.articles.count == 2 && twin.topics.map(\.name) == ["t"])
        context.delete(article)
        try context.save()
        other.processPendingChanges()
        #expect(twin.isDeleted && twin.modelContext == nil && writer.articles.map(\.title) == ["second"])
    }

    /// If a notification lists a row twice, the merge takes the store's values over, and not the row's earlier ones.
    @Test func aRowThatIsToldOfTwiceIsMergedOnce() throws {
        let more = (0..<3).map { Article(title: "\($0)") }
        for article in more { context.insert(article) }
        try context.save()
        let twins: [Article] = try other.fetch(Article.all)
        for article in more + [article] { (article.title, article.likes) = (article.title + "!", 7) }
        try context.save()
        let identifiers = (more + [article]).map(\.persistentModelID)
        var notification = ContextChanges().notification(.didSave, author: nil)
        notification.updatedIdentifiers = identifiers
        notification.refreshedIdentifiers = identifiers
        try other.mergeChanges(from: notification)
        #expect(Set(twins.map(\.title)) == ["0!", "1!", "2!", "title!"] && twins.allSatisfy { $0.likes == 7 })
        #expect(!other.hasChanges)
    }

    /// A merge visits only objects of tables with a relationship that was read. It takes values and references over
    /// in any case.
    @Test(arguments: [false, true]) func whatAMergeLooksAt(_ readsRelationships: Bool) throws {
        func visited() -> Int {
            var count = 0
            other.registry.visitWithLinks { _ in count += 1 }
            return count
        }
        let writer = try #require(twin.writer)
        #expect(visited() == 0 && !other.registry.map(for: twin.entity.number.root).hasLinks)
        if readsRelationships {
            #expect(writer.articles.count == 1)
            #expect(visited() == 1)
        }
        let second = Writer(name: "second")
        article.title = "changed"
        article.writer = second
        try context.save()
        let identifiers = [article.persistentModelID]
        try other.mergeChanges(from: ContextNotification(updatedIdentifiers: identifiers))
        #expect(twin.title == "changed" && twin.writer?.name == "second" && !twin.hasChanges)
        #expect(writer.articles.isEmpty && twin.writer?.articles.array == [twin])
        article.title = "again"
        try context.save()
        try other.mergeChanges(from: ContextNotification(updatedIdentifiers: identifiers))
        twin.body = "mine"
        try other.save()
        #expect(twin.title == "again" && twin.writer?.name == "second")
    }

    @Test func byItselfOnlyWhereItIsAskedFor() throws {
        article.title = "changed"
        try context.save()
        other.processPendingChanges()
        #expect(twin.title == "title")
        other.automaticallyMergesChangesFromParent = true
        article.title = "again"
        try context.save()
        _ = try other.fetchCount(Topic.all)
        #expect(twin.title == "again")
        other.automaticallyMergesChangesFromParent = false
        article.title = "and again"
        try context.save()
        other.processPendingChanges()
        #expect(twin.title == "again")
    }

    /// Unsaved changes of the context stay, and are saved without a conflict.
    @Test func ownChangesStay() throws {
        other.automaticallyMergesChangesFromParent = true
        twin.body = "mine"
        article.title = "theirs"
        try context.save()
        try other.save()
        #expect(twin.title == "theirs" && twin.body == "mine")
        #expect(try context.fetched(Article.self).map { $0.title + $0.body! } == ["theirsmine"])
    }

    @Test func anObjectThatIsChangedHereAndDeletedThere() throws {
        other.automaticallyMergesChangesFromParent = true
        twin.body = "mine"
        context.delete(article)
        try context.save()
        other.processPendingChanges()
        #expect(!twin.isDeleted)
        #expect { try other.save() } throws: { if case SaveError.conflict = $0 { true } else { false } }
    }

    @Test("row 69: by hand") func byHand() async throws {
        var saves = context.container.saves().makeAsyncIterator()
        article.title = "changed"
        try context.save()
        let notification = try #require(await saves.next())
        #expect(notification.updatedIdentifiers == [article.persistentModelID] && twin.title == "title")
        try other.mergeChanges(from: notification)
        #expect(twin.title == "changed")
    }

    @Test func oneDoesNotMergeItsOwnSaves() throws {
        context.automaticallyMergesChangesFromParent = true
        article.title = "changed"
        try context.save()
        #expect(context.subscription.inbox?.takeAll().isEmpty == true)
    }

    @Test func theStreamOfAContainerEndsWithIt() async throws {
        var container: ModelContainer? = try memoryContainer(StudioModel.self)
        let saves = try #require(container).saves()
        do {
            let context = ModelContext(try #require(container))
            context.insert(Topic(name: "t"))
            try context.save()
        }
        container = nil
        var count = 0
        for await _ in saves { count += 1 }
        #expect(count == 1)
    }

    /// After a rollback, objects that were deleted or changed here are as others saved them meanwhile.
    @Test("row 70: a rollback keeps what was merged meanwhile", arguments: [true, false])
    func aRollbackKeepsWhatWasMerged(deletes: Bool) throws {
        other.automaticallyMergesChangesFromParent = true
        let kept = Article(title: "kept")
        context.insert(kept)
        try context.save()
        let keptTwin: Article = try other.model(for: kept.persistentModelID)
        if deletes { other.delete(twin) } else { twin.body = "mine" }
        other.delete(keptTwin)
        context.delete(article)
        kept.title = "theirs"
        try context.save()
        other.processPendingChanges()
        other.rollback()
        #expect(twin.isDeleted && twin.modelContext == nil)
        #expect(!keptTwin.isDeleted && keptTwin.title == "theirs")
        #expect(try other.fetch(Article.all).map(\.title) == ["theirs"])
        keptTwin.body = "saved"
        try other.save()
    }
}
