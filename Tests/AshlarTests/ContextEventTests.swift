import Testing

@testable import Ashlar

/// The changes that a context records, and those that it reports to observers.
@Suite struct ContextEventTests {
    private final class Log {
        var updated: [[String]] = []
    }

    private func articles(_ context: ModelContext, _ count: Int) throws -> [Article] {
        let articles = (0..<count).map { Article(title: "\($0)") }
        for article in articles { context.insert(article) }
        try context.save()
        return articles
    }

    /// An object is reported once, however often it changes, and with or without an undo manager.
    @Test(arguments: [false, true]) func anObjectIsToldOfOnce(_ isUndone: Bool) throws {
        let context = try studioContext()
        let articles = try articles(context, 3)
        if isUndone { context.undoManager = ModelUndoManager() }
        let log = Log()
        context.observe(.objectsDidChange) { _, changes in
            log.updated.append(changes.updated.compactMap { ($0 as? Article)?.title })
        }
        for round in 1...3 {
            for article in articles {
                article.likes += 1
                article.body = "\(round)"
                article.likes += 1
            }
            context.processPendingChanges()
        }
        #expect(log.updated == Array(repeating: ["0", "1", "2"], count: 3))
        context.undoManager?.undo()
        #expect(articles.allSatisfy { $0.likes == (isUndone ? 4 : 6) && $0.body == (isUndone ? "2" : "3") })
    }

    /// A new observer receives each object once, even if the object also changed for an observer that was cancelled.
    @Test func whoBeginsToObserveIsToldOfWhatComesThen() throws {
        let context = try studioContext()
        let articles = try articles(context, 2)
        var observation: ContextObservation? = context.observe(.objectsDidChange) { _, _ in }
        articles[0].likes = 1
        observation?.cancel()
        observation = nil
        let log = Log()
        context.observe(.objectsDidChange) { _, changes in
            log.updated.append(changes.updated.compactMap { ($0 as? Article)?.title })
        }
        articles[0].likes = 2
        articles[1].likes = 2
        articles[0].body = "again"
        context.processPendingChanges()
        #expect(log.updated == [["0", "1"]])
    }

    /// The changes that an observer makes belong to the next event.
    @Test func observersMayChangeWhatTheyAreToldOf() throws {
        let context = try studioContext()
        let article = try #require(try articles(context, 1).first)
        context.undoManager = ModelUndoManager()
        let log = Log()
        context.observe(.objectsDidChange) { _, _ in
            if log.updated.isEmpty { article.likes = 10 }
            log.updated.append([article.title])
        }
        article.likes = 1
        context.processPendingChanges()
        article.body = "after"
        context.processPendingChanges()
        #expect(article.likes == 10)
        context.undoManager?.undo()
        #expect(article.likes == 1 && article.body == nil)
        context.undoManager?.undo()
        #expect(article.likes == 0)
    }

    /// An undo in an object's new context does not revert changes that were made in the previous one.
    @Test func anObjectMayGoToAnotherContext() throws {
        let (first, second) = (try studioContext(), try studioContext())
        first.undoManager = ModelUndoManager()
        second.undoManager = ModelUndoManager()
        let article = Article(title: "a")
        first.insert(article)
        first.processPendingChanges()
        article.likes = 1
        first.delete(article)
        second.insert(article)
        second.processPendingChanges()
        article.likes = 2
        first.processPendingChanges()
        article.likes = 3
        second.undoManager?.undo()
        #expect(article.modelContext === second && article.likes == 1)
        second.undoManager?.redo()
        #expect(article.likes == 3)
    }
}
