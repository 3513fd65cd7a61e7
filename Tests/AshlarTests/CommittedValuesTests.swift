import Foundation
import Testing

@testable import Ashlar

/// The properties of an object that changed since its last fetch or save, and their previous values.
@Suite struct CommittedValuesTests {
    let context: ModelContext
    let article: Article
    let writer = Writer(name: "w")
    let topic = Topic(name: "t")

    init() throws {
        context = try studioContext()
        article = ColumnArticle(slug: "s", title: "title", writer: writer, topics: [topic], weekday: 2)
        context.insert(article)
    }

    @Test("row 62: an inserted object has no committed values, and all of it is changed")
    func inserted() throws {
        #expect(article.committedValues == nil && article.hasPersistentChangedValues)
        #expect(
            article.changedProperties
                == ["slug", "title", "body", "likes", "colors", "weekday", "writer", "topics", "chapters"])
        try context.save()
        #expect(article.changedProperties.isEmpty && !article.hasPersistentChangedValues)
        #expect(article.committedValues?.title == "title")
        #expect(Article(title: "in no context").changedProperties.isEmpty)
    }

    @Test("row 62: changed and committed values")
    func changed() throws {
        try context.save()
        article.title = "other"
        let column = try #require(article as? ColumnArticle)
        column.weekday = 3
        article.writer = nil
        #expect(article.changedProperties == ["title", "weekday", "writer"])
        #expect(column.committedValues?.title == "title" && column.committedValues?.weekday == 2)
        #expect(column.committedValues?.values.writer == writer.persistentModelID)
        #expect(article.committedValues is ColumnArticle && article.committedValues?.modelContext == nil)
        #expect(writer.changedProperties == ["articles"])
        // The original values again: a save would write nothing.
        article.title = "title"
        column.weekday = 2
        article.writer = writer
        #expect(article.hasChanges && article.changedProperties.isEmpty && !article.hasPersistentChangedValues)
        article.topics.remove(topic)
        #expect(article.changedProperties == ["topics"] && topic.changedProperties == ["articles"])
        try context.save()
        #expect(article.changedProperties.isEmpty && topic.changedProperties.isEmpty)
    }

    @Test("row 62: what another context saved is committed")
    func refreshed() throws {
        try context.save()
        let other = ModelContext(context.container)
        let twin: Article = try other.model(for: article.persistentModelID)
        twin.title = "theirs"
        try other.save()
        article.likes = 5
        try context.refresh(article)
        #expect(article.committedValues?.title == "theirs" && article.changedProperties == ["likes"])
        context.delete(article)
        #expect(article.committedValues?.likes == 0)
    }

    @Test func columnsBeyondTheBitsOfTheMask() throws {
        let context = try memoryContext()
        let wide = Wide()
        context.insert(wide)
        try context.save()
        let last = wide.entity.columns.dropFirst(63).filter { !$0.property.contains(".") }
        for name in last.map(\.property) { try wide.setValue(wide.value(forKeyPath: name), forKeyPath: name) }
        #expect(wide.changedProperties.isEmpty)
        let name = try #require(last.first { $0.type == .string }?.property)
        try wide.setValue("changed", forKeyPath: name)
        #expect(wide.changedProperties == [name])
    }

    @Test("row 63: primitive values are set without anyone being told")
    func primitiveValues() throws {
        try context.save()
        context.undoManager = ModelUndoManager()
        context.isObservable = true
        article.setPrimitiveValue("quiet", for: \.title)
        #expect(article.title == "quiet" && article.primitiveValue(for: \.title) == "quiet")
        #expect(!context.hasChanges && !article.hasChanges && article.changedProperties.isEmpty)
        #expect(context.undoManager?.canUndo == false)
        article.likes = 3
        article.setPrimitiveValue("b", for: \.body)
        #expect(article.changedProperties == ["likes", "title", "body"])
        try context.save()
        // Primitive values are saved with an object that has another change.
        let stored = try #require(try context.fetched(Article.self).first)
        #expect(stored.title == "quiet" && stored.body == "b" && stored.likes == 3)
        // Setting the property normally afterwards is a change.
        article.setPrimitiveValue("quieter", for: \.title)
        article.title = "loud"
        #expect(article.hasChanges && article.changedProperties == ["title"])
        context.rollback()
        #expect(article.title == "quiet" && !context.hasChanges)
        // A refresh discards primitive values that are not to be saved.
        article.setPrimitiveValue("quieter", for: \.title)
        try context.refresh(article)
        article.likes = 4
        #expect(article.title == "quiet" && article.changedProperties == ["likes"])
        try context.save()
        // Setting the primitive value of a relationship is an ordinary change.
        article.setPrimitiveValue(nil, for: \.writer)
        #expect(writer.articles.isEmpty && article.changedProperties == ["writer"])
    }
}
