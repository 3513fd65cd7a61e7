import Foundation
import Observation
import Testing

@testable import Ashlar

/// Refreshing objects and resetting contexts.
@Suite struct RefreshTests {
    let context: ModelContext
    let other: ModelContext
    let article: Article
    let twin: Article

    init() throws {
        context = try studioContext()
        other = ModelContext(context.container)
        article = Article(body: "body", title: "title")
        context.insert(article)
        try context.save()
        twin = try other.model(for: article.persistentModelID)
    }

    @Test("row 77: changes go on top of new values") func changesGoOnTopOfNewValues() throws {
        twin.title = "theirs"
        twin.likes = 5
        try other.save()
        article.body = "mine"
        try context.refresh(article)
        #expect(article.title == "theirs" && article.likes == 5 && article.body == "mine")
        #expect(article.hasChanges)
        // The refresh resolved the conflict.
        try context.save()
        #expect(try context.fetched(Article.self).map(\.body) == ["mine"])
    }

    @Test("rows 75, 77: changes are discarded") func changesAreDiscarded() throws {
        twin.title = "theirs"
        try other.save()
        article.body = "mine"
        article.topics.append(Topic(name: "t"))
        #expect(article.topics.count == 1)
        try context.refresh(article, mergeChanges: false)
        #expect(article.title == "theirs" && article.body == "body" && !article.hasChanges)
        #expect(article.topics.isEmpty)
        try context.save()
        let reader = ModelContext(context.container)
        #expect(try reader.fetch(Topic.all).map(\.articles.count) == [0])
    }

    @Test func relationshipsAreReadAnew() throws {
        #expect(article.topics.isEmpty && article.chapters.isEmpty && article.writer == nil)
        twin.topics.append(Topic(name: "t"))
        twin.chapters.append(Chapter(name: "c"))
        twin.writer = Writer(name: "w")
        try other.save()
        try context.refresh(article)
        #expect(article.topics.map(\.name) == ["t"] && article.chapters.map(\.name) == ["c"])
        #expect(article.writer?.name == "w" && article.writer?.articles.array == [article])
    }

    @Test func anOrderThatWasSetHereStays() throws {
        article.chapters = [Chapter(name: "1"), Chapter(name: "2"), Chapter(name: "3")]
        try context.save()
        article.chapters.move(article.chapters[2], to: 0)
        try context.refresh(article)
        #expect(article.chapters.map(\.name) == ["3", "1", "2"])
        try context.save()
        let reader = ModelContext(context.container)
        #expect(try reader.fetch(Article.all).first?.chapters.map(\.name) == ["3", "1", "2"])
    }

    @Test("row 80: a row that is gone") func aRowThatIsGone() throws {
        other.delete(twin)
        try other.save()
        let identifier = article.persistentModelID
        #expect { try context.refresh(article) } throws: { error in
            guard case StoreError.missingObject(identifier) = error else { return false }
            return true
        }
        #expect(article.isDeleted && article.modelContext == nil && article.title == "title")
        #expect(article.topics.isEmpty)
        #expect(throws: StoreError.self) { try context.model(for: identifier) as Article }
    }

    @Test func allAtOnce() throws {
        let second = Article(title: "second")
        let unsaved = Article(title: "unsaved")
        context.insert(second)
        try context.save()
        context.insert(unsaved)
        let secondTwin: Article = try other.model(for: second.persistentModelID)
        twin.title = "theirs"
        other.delete(secondTwin)
        try other.save()
        article.body = "mine"
        try context.refreshAllObjects()
        #expect(article.title == "theirs" && article.body == "mine" && second.isDeleted && unsaved.isInserted)
        try context.save()
        #expect(try context.fetched(Article.self).map(\.title).sorted() == ["theirs", "unsaved"])
    }

    @Test("row 75: reset forgets everything") func resetForgetsEverything() throws {
        article.title = "changed"
        let unsaved = Article(title: "unsaved")
        context.insert(unsaved)
        context.reset()
        #expect(!context.hasChanges && article.modelContext == nil && article.title == "changed")
        #expect(unsaved.modelContext == nil)
        let read = try context.fetch(Article.all)
        #expect(read.map(\.title) == ["title"] && read[0] !== article)
        context.insert(unsaved)
        try context.save()
        #expect(try context.fetched(Article.self).count == 2)
    }

    @Test("row 82: a transaction saves or discards") func aTransactionSavesOrDiscards() throws {
        struct Failure: Error {}
        try context.transaction { article.title = "one" }
        #expect(try context.fetched(Article.self).map(\.title) == ["one"])
        #expect(throws: Failure.self) {
            try context.transaction {
                article.title = "two"
                throw Failure()
            }
        }
        #expect(article.title == "one" && !context.hasChanges)
    }

    /// The read that refreshes an object holds it. An observer may read so much that an object without other
    /// references would be released.
    @Test func whatAReadRenewsIsHeld() throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(
            for: StudioModel.self, configurations: ModelConfiguration(url: folder.file()))
        let writer = ModelContext(container)
        for number in 0..<1500 { writer.insert(Article(likes: Int64(number), title: "\(number)")) }
        try writer.save()
        let reader = ModelContext(container)
        reader.isObservable = true
        // Unsafe, because the reading thread calls the closure while it reads.
        nonisolated(unsafe) let observed = reader
        let counter = Counter()
        func observe() throws {
            let found = try #require(try reader.fetch(Article.where { $0.likes == 3 }).first)
            withObservationTracking {
                _ = found.title
            } onChange: {
                counter.add()
                _ = try? observed.fetch(Article.where { $0.likes > 3 })
            }
        }
        try observe()
        let changed = try #require(try writer.fetch(Article.where { $0.likes == 3 }).first)
        changed.title = "new"
        try writer.save()
        let again = try reader.fetch(Article.where { $0.likes == 3 })
        #expect(counter.value == 1)
        #expect(again.map(\.title) == ["new"] && again.allSatisfy { $0.modelContext === reader })
    }
}
