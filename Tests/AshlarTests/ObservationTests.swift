import Foundation
import Observation
import Synchronization
import Testing

@testable import Ashlar

/// Objects of an observable context report reads and changes to the Observation library.
@Suite struct ObservationTests {
    let context: ModelContext
    let article: Article

    init() throws {
        context = try studioContext()
        context.isObservable = true
        article = Article(title: "title", writer: Writer(name: "w"))
        context.insert(article)
        try context.save()
    }

    private final class Count: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    /// Counts the changes that were reported after a reading.
    private func changes(after reading: () -> Void, when change: () throws -> Void) rethrows -> Int {
        let count = Count()
        withObservationTracking(reading) { count.add() }
        try change()
        return count.value
    }

    @Test("row 65: attributes") func attributes() throws {
        #expect(changes(after: { _ = article.title }, when: { article.title = "new" }) == 1)
        // A second change of a property is reported too, and so is one of an object that is not saved yet.
        #expect(changes(after: { _ = article.title }, when: { article.title = "newer" }) == 1)
        #expect(changes(after: { _ = article.title }, when: { article.likes += 1 }) == 0)
        let unsaved = Article(title: "a")
        context.insert(unsaved)
        #expect(changes(after: { _ = unsaved.title }, when: { unsaved.title = "b" }) == 1)
        let twin = Article(title: "other")
        context.insert(twin)
        #expect(changes(after: { _ = article.title }, when: { twin.title = "x" }) == 0)
    }

    @Test("row 65: relationships") func relationships() throws {
        let writer = try #require(article.writer)
        #expect(
            changes(after: { _ = writer.articles.count }, when: { context.insert(Article(title: "b", writer: writer)) })
                == 1)
        #expect(changes(after: { _ = article.writer }, when: { article.writer = nil }) == 1)
        #expect(changes(after: { _ = writer.articles.array }, when: { article.writer = writer }) == 1)
        #expect(changes(after: { _ = article.topics.isEmpty }, when: { article.topics.append(Topic(name: "t")) }) == 1)
        #expect(changes(after: { _ = article.chapters.count }, when: { article.chapters = [Chapter(name: "1")] }) >= 1)
    }

    @Test func whatComesFromElsewhere() throws {
        let other = ModelContext(context.container)
        let twin: Article = try other.model(for: article.persistentModelID)
        twin.title = "theirs"
        try other.save()
        #expect(try changes(after: { _ = article.title }, when: { try context.refresh(article) }) == 1)
        article.title = "mine"
        #expect(changes(after: { _ = article.title }, when: { context.rollback() }) == 1)
        twin.title = "again"
        try other.save()
        #expect(try changes(after: { _ = article.title }, when: { _ = try context.fetch(Article.all) }) == 1)
        context.automaticallyMergesChangesFromParent = true
        twin.topics.append(Topic(name: "t"))
        try other.save()
        #expect(changes(after: { _ = article.topics.count }, when: { context.processPendingChanges() }) == 1)
        #expect(article.topics.count == 1)
    }

    @Test func nothingIsReportedWhereItIsNotAskedFor() throws {
        context.isObservable = false
        #expect(changes(after: { _ = article.title }, when: { article.title = "new" }) == 0)
        let plain = ModelContext(context.container)
        let twin: Article = try plain.model(for: article.persistentModelID)
        #expect(changes(after: { _ = twin.title }, when: { twin.title = "new" }) == 0)
    }

    /// A save writes exactly the same changes while they are observed.
    @Test func changesAreSavedWhileTheyAreObserved() throws {
        article.title = "a"
        article.title = "b"
        try context.save()
        #expect(try context.fetched(Article.self).map(\.title) == ["b"] && !article.hasChanges)
    }
}
