import Foundation
import Testing

@testable import Ashlar

/// Permanent identifiers before the first save.
@Suite struct PermanentIdentifierTests {
    let context: ModelContext

    init() throws { context = try studioContext() }

    @Test("row 79: temporary identifiers become permanent before a save, and references follow")
    func referencesFollow() throws {
        let writer = Writer(name: "w")
        let chapters = (0..<3).map { Chapter(name: "\($0)") }
        let topic = Topic(name: "t")
        let article = Article(title: "a", writer: writer, chapters: chapters, topics: [topic])
        context.insert(article)
        let temporary = article.persistentModelID
        #expect(temporary.isTemporary)
        try context.obtainPermanentIdentifiers(for: [article, writer, topic, chapters[1]])
        let identifier = article.persistentModelID
        #expect(!identifier.isTemporary && article.isInserted && context.hasChanges)
        #expect(identifier.storeIdentifier != nil && chapters[0].persistentModelID.isTemporary)
        #expect(context.registeredModel(for: identifier) as Article? === article)
        #expect(context.registeredModel(for: temporary) as Article? == nil)
        #expect(article.writer === writer && writer.articles.array == [article])
        #expect(article.topics.array == [topic] && article.chapters.array == chapters)
        try context.obtainPermanentIdentifiers(for: [article])
        #expect(article.persistentModelID == identifier)
        // Other objects get the following rowids.
        let other = ModelContext(context.container)
        other.insert(Article(title: "other"))
        try other.save()
        try context.save()
        #expect(article.persistentModelID == identifier)
        let reader = ModelContext(context.container)
        let read: Article = try reader.model(for: identifier)
        #expect(read.title == "a" && read.writer?.name == "w" && read.topics.map(\.name) == ["t"])
        #expect(read.chapters.map(\.name) == ["0", "1", "2"])
        #expect(try context.fetchCount(Article.all) == 2)
        try context.container.expectSound()
    }

    @Test func oneThatIsNotInsertedAfterAllIsNothing() throws {
        let node = Node(name: "1")
        let label = Label(name: "l")
        let context = try memoryContext()
        context.insert(node)
        context.insert(label)
        node.favourite = label
        node.marks.append(label)
        try context.obtainPermanentIdentifiers(for: [label, node])
        context.delete(label)
        try context.save()
        #expect(node.favourite == nil && node.marks.isEmpty)
        let second = Node(name: "2")
        context.insert(second)
        try context.obtainPermanentIdentifiers(for: [second])
        let given = second.persistentModelID
        context.rollback()
        context.insert(second)
        try context.save()
        #expect(second.persistentModelID != given && !second.persistentModelID.isTemporary)
        try context.container.expectSound()
    }

    @Test func ofAChildsObjectsAndTheParents() throws {
        let child = ModelContext(parent: context)
        let writer = Writer(name: "w")
        context.insert(writer)
        let twin: Writer = try child.model(for: writer.persistentModelID)
        let article = Article(title: "a", writer: twin)
        child.insert(article)
        try child.obtainPermanentIdentifiers(for: [article, twin])
        let identifier = article.persistentModelID
        #expect(!identifier.isTemporary && twin.persistentModelID == writer.persistentModelID)
        #expect(!writer.persistentModelID.isTemporary && twin.articles.array == [article])
        try child.save()
        let own: Article = try #require(context.registeredModel(for: identifier))
        #expect(own.isInserted && own.writer === writer)
        try context.save()
        #expect(article.persistentModelID == identifier && own.persistentModelID == identifier)
        let read = try #require(try context.fetch(Article.all).first)
        #expect(read === own)
        try context.container.expectSound()
    }

    @Test func aMergePolicyMayStillGiveAnotherIdentity() throws {
        let old = Article(slug: "s", title: "old")
        context.insert(old)
        try context.save()
        let other = ModelContext(context.container)
        other.mergePolicy = .mergeByPropertyObjectTrump
        let topic = Topic(name: "t")
        let new = Article(slug: "s", title: "new", chapters: [Chapter(name: "c")], topics: [topic])
        other.insert(new)
        try other.obtainPermanentIdentifiers(for: [new, topic])
        try other.save()
        #expect(new.persistentModelID == old.persistentModelID && topic.articles.array == [new])
        let reader = ModelContext(context.container)
        let read = try #require(try reader.fetch(Article.all).first)
        #expect(read.title == "new" && read.topics.map(\.name) == ["t"] && read.chapters.map(\.name) == ["c"])
        try context.container.expectSound()
    }

    @Test func whatIsInAnotherContextIsRefused() throws {
        let article = Article(title: "a")
        #expect(throws: ContextError.objectOfAnotherContext(entity: "Article")) {
            try context.obtainPermanentIdentifiers(for: [article])
        }
        context.insert(article)
        #expect(throws: ContextError.objectOfAnotherContext(entity: "Article")) {
            try ModelContext(context.container).obtainPermanentIdentifiers(for: [article])
        }
    }

    @Test func undoAndRedo() throws {
        context.undoManager = ModelUndoManager()
        let writer = Writer(name: "w")
        context.insert(writer)
        let article = Article(title: "a", writer: writer)
        context.insert(article)
        context.processPendingChanges()
        try context.obtainPermanentIdentifiers(for: [article, writer])
        context.undoManager?.undo()
        #expect(!context.hasChanges)
        context.undoManager?.redo()
        #expect(article.writer === writer && writer.articles.array == [article])
        try context.save()
        #expect(try context.fetched(Article.self).first?.title == "a")
        try context.container.expectSound()
    }
}
