import Foundation
import Testing

@testable import Ashlar

/// The notifications of contexts.
@Suite struct NotificationTests {
    let context: ModelContext

    init() throws { context = try studioContext() }

    private final class Log {
        var changes: [ContextChanges] = []
        var last: ContextChanges? { changes.last }
    }

    @Test("row 67: saves tell objects and identifiers") func savesTellObjectsAndIdentifiers() throws {
        let log = Log()
        context.observe(.didSave) { _, changes in log.changes.append(changes) }
        let kept = Article(title: "kept")
        let gone = Article(title: "gone")
        context.insert(kept)
        context.insert(gone)
        try context.save()
        #expect(log.changes.count == 1 && log.last?.insertedModels.count == 2)
        #expect(log.last?.insertedModels.allSatisfy { !$0.persistentModelID.isTemporary } == true)
        kept.title = "changed"
        context.delete(gone)
        try context.save()
        #expect(log.last?.updatedModels.map { $0 as? Article } == [kept])
        #expect(log.last?.deletedModels.map { $0 as? Article } == [gone])
        try context.save()
        #expect(log.changes.count == 2)
    }

    @Test("row 81: as a sequence on another task") func asASequenceOnAnotherTask() async throws {
        context.author = "importer"
        let notifications = context.notifications(of: [.willSave, .didSave])
        let reader = Task { () -> [ContextNotification] in
            var read: [ContextNotification] = []
            for await notification in notifications {
                read.append(notification)
                if read.count == 2 { break }
            }
            return read
        }
        let article = Article(title: "a")
        context.insert(article)
        try context.save()
        let read = await reader.value
        #expect(read.map(\.kind) == [.willSave, .didSave])
        #expect(read[0].insertedIdentifiers.allSatisfy(\.isTemporary) && read[0].insertedIdentifiers.count == 1)
        #expect(read[1].identifiers == [article.persistentModelID] && read[1].author == "importer")
    }

    @Test("rows 68, 69: merged insertions are told of") func mergedInsertions() async throws {
        let (byItself, byHand) = (ModelContext(context.container), ModelContext(context.container))
        byItself.automaticallyMergesChangesFromParent = true
        let log = Log()
        for other in [byItself, byHand] {
            other.observe(.objectsDidChange) { _, changes in log.changes.append(changes) }
        }
        byHand.undoManager = ModelUndoManager()
        var saves = context.container.saves().makeAsyncIterator()
        context.insert(Article(title: "new", writer: Writer(name: "w")))
        try context.save()
        byItself.processPendingChanges()
        #expect(log.changes.count == 1 && log.last?.insertedModels.count == 2)
        #expect(log.last?.insertedModels.compactMap { ($0 as? Article)?.title } == ["new"])
        try byHand.mergeChanges(from: try #require(await saves.next()))
        byHand.processPendingChanges()
        #expect(log.changes.count == 2 && log.last?.insertedModels.count == 2)
        #expect(byHand.undoManager?.canUndo == false)
        // A context that notifies with identifiers alone reads nothing.
        let third = ModelContext(context.container)
        third.automaticallyMergesChangesFromParent = true
        var told = third.notifications(of: [.objectsDidChange]).makeAsyncIterator()
        let article = Article(title: "newer")
        context.insert(article)
        try context.save()
        third.statementCount = 0
        third.processPendingChanges()
        #expect(await told.next()?.insertedIdentifiers == [article.persistentModelID])
        #expect(third.statementCount == 0)
    }

    @Test func aSequenceEndsWithItsContext() async throws {
        var short: ModelContext? = ModelContext(context.container)
        let notifications = try #require(short).notifications()
        short?.insert(Article(title: "a"))
        try short?.save()
        short = nil
        var count = 0
        for await _ in notifications { count += 1 }
        #expect(count == 1)
    }

    @Test("row 68: objects did change comes with processing") func objectsDidChangeComesWithProcessing() throws {
        let log = Log()
        let observation = context.observe(.objectsDidChange) { _, changes in log.changes.append(changes) }
        let article = Article(title: "a")
        context.insert(article)
        #expect(log.changes.isEmpty)
        context.processPendingChanges()
        #expect(log.last?.insertedModels.map { $0 as? Article } == [article] && log.last?.updatedModels.isEmpty == true)
        context.processPendingChanges()
        #expect(log.changes.count == 1)
        // Each event has its own changes, whether the object is saved or not and whichever property was set before.
        article.title = "b"
        context.processPendingChanges()
        article.title = "c"
        context.processPendingChanges()
        #expect(log.changes.count == 3 && log.last?.updatedModels.map { $0 as? Article } == [article])
        try context.save()
        article.title = "d"
        try context.save()
        #expect(log.changes.count == 4)
        article.title = "e"
        context.rollback()
        #expect(log.last?.refreshedModels.map { $0 as? Article } == [article] && article.title == "d")
        context.delete(article)
        context.processPendingChanges()
        #expect(log.last?.deletedModels.map { $0 as? Article } == [article])
        try context.save()
        context.reset()
        #expect(log.last?.invalidatedAll == true)
        observation.cancel()
        let count = log.changes.count
        let last = Article(title: "x")
        context.insert(last)
        context.processPendingChanges()
        #expect(log.changes.count == count)
        #expect(context.listeners.event == nil && !last.record.isWatched && !article.record.isWatched)
    }

    /// A save writes exactly the same changes while they are observed.
    @Test func changesAreSavedWhileTheyAreFollowed() throws {
        context.observe(.objectsDidChange) { _, _ in }
        let article = Article(title: "a")
        context.insert(article)
        try context.save()
        article.body = "b"
        article.likes += 1
        article.likes += 1
        #expect(article.hasChanges && context.changedModelsArray.count == 1)
        try context.save()
        #expect(try context.fetched(Article.self).map(\.likes) == [2] && !article.hasChanges)
        #expect(try context.container.integer("SELECT \"version$\" FROM \"Article\"") == 2)
    }

    @Test("rows 66, 67, 68: through a notification center") func throughANotificationCenter() throws {
        let center = NotificationCenter()
        context.notificationCenter = center
        let log = Names()
        for name in [ModelContext.willSave, ModelContext.didSave, ModelContext.objectsDidChange] {
            _ = center.addObserver(forName: name, object: context, queue: nil) { notification in
                let value = notification.userInfo?[ModelContext.notificationKey] as? ContextNotification
                log.append(notification.name.rawValue + " \(value?.identifiers.count ?? -1)")
            }
        }
        context.insert(Article(title: "a"))
        try context.save()
        #expect(
            log.names == ["ModelContext.willSave 1", "ModelContext.objectsDidChange 1", "ModelContext.didSave 1"])
    }

    /// `@unchecked Sendable`: a notification center takes closures that may run on any thread, but only the test's
    /// own thread posts and reads.
    private final class Names: @unchecked Sendable {
        private(set) var names: [String] = []

        func append(_ name: String) { names.append(name) }
    }
}
