import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Undoing and redoing changes.
@Suite struct UndoTests {
    let context: ModelContext
    let undoManager = ModelUndoManager()

    init() throws {
        context = try studioContext()
        context.undoManager = undoManager
    }

    /// Saves the context, and expects its objects to equal those that another context reads.
    private func expectSaved(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try context.save()
        let other = ModelContext(context.container)
        let mine = try context.fetch(Article.order { $0.title.ascending })
        let theirs = try other.fetch(Article.order { $0.title.ascending })
        #expect(mine.map(\.values) == theirs.map(\.values), sourceLocation: sourceLocation)
        #expect(
            mine.map { $0.topics.map(\.name).sorted() } == theirs.map { $0.topics.map(\.name).sorted() },
            sourceLocation: sourceLocation)
        #expect(
            mine.map { $0.chapters.map(\.name) } == theirs.map { $0.chapters.map(\.name) },
            sourceLocation: sourceLocation)
        try context.container.expectSound(sourceLocation: sourceLocation)
    }

    @Test func values() throws {
        let article = Article(title: "a")
        context.insert(article)
        try context.save()
        article.title = "b"
        article.likes = 2
        context.processPendingChanges()
        article.title = "c"
        undoManager.undo()
        #expect(article.title == "b" && article.likes == 2)
        undoManager.undo()
        #expect(article.title == "a" && article.likes == 0)
        undoManager.redo()
        undoManager.redo()
        #expect(article.title == "c" && article.likes == 2 && !undoManager.canRedo)
        try expectSaved()
        // A saved change is undone by a new one.
        undoManager.undo()
        #expect(article.title == "b" && article.hasChanges)
        try expectSaved()
    }

    @Test func insertion() throws {
        let writer = Writer(name: "w")
        context.insert(writer)
        try context.save()
        let article = Article(title: "a", writer: writer, topics: [Topic(name: "t")])
        context.insert(article)
        undoManager.undo()
        #expect(article.modelContext == nil && writer.articles.isEmpty && context.insertedModelsArray.isEmpty)
        undoManager.redo()
        #expect(article.writer === writer && writer.articles.array == [article])
        #expect(article.topics.map(\.name) == ["t"])
        try expectSaved()
        undoManager.undo()
        #expect(article.isDeleted && writer.articles.isEmpty)
        try expectSaved()
        #expect(try context.fetchCount(Article.all) == 0)
        undoManager.redo()
        #expect(article.writer === writer && article.isInserted)
        try expectSaved()
        #expect(article.topics.map(\.name) == ["t"])
    }

    @Test(arguments: [false, true]) func deletionWithItsRules(_ isSaved: Bool) throws {
        let writer = Writer(name: "w")
        let article = Article(
            title: "a", writer: writer, chapters: [Chapter(name: "1"), Chapter(name: "2")], topics: [Topic(name: "t")])
        context.insert(article)
        try context.save()
        context.delete(article)
        #expect(context.deletedModelsArray.count == 3 && writer.articles.isEmpty)
        if isSaved { try context.save() }
        undoManager.undo()
        #expect(!article.isDeleted && article.writer === writer && writer.articles.array == [article])
        #expect(article.chapters.map(\.name) == ["1", "2"] && article.topics.map(\.name) == ["t"])
        try expectSaved()
        undoManager.redo()
        try expectSaved()
        #expect(try context.fetchCount(Chapter.all) == 0)
    }

    @Test func nullifiedReferencesComeBack() throws {
        let writer = Writer(name: "w")
        let articles = (0..<3).map { Article(title: "\($0)", writer: writer) }
        for article in articles { context.insert(article) }
        try context.save()
        context.delete(writer)
        #expect(articles.allSatisfy { $0.writer == nil })
        undoManager.undo()
        #expect(articles.allSatisfy { $0.writer === writer } && writer.articles.count == 3)
        try expectSaved()
    }

    @Test func linksAndOrder() throws {
        let topics = (0..<3).map { Topic(name: "\($0)") }
        let article = Article(title: "a", chapters: ["x", "y", "z"].map { Chapter(name: $0) }, topics: [topics[0]])
        for topic in topics { context.insert(topic) }
        context.insert(article)
        try context.save()
        article.topics.remove(topics[0])
        article.topics.append(topics[1])
        context.processPendingChanges()
        article.chapters.move(article.chapters[2], to: 0)
        article.chapters.remove(article.chapters[1])
        #expect(article.chapters.map(\.name) == ["z", "y"])
        undoManager.undo()
        #expect(article.chapters.map(\.name) == ["x", "y", "z"])
        undoManager.undo()
        #expect(article.topics.map(\.name) == ["0"] && topics[1].articles.isEmpty)
        try expectSaved()
        undoManager.redo()
        undoManager.redo()
        #expect(article.chapters.map(\.name) == ["z", "y"] && article.topics.map(\.name) == ["1"])
        try expectSaved()
    }

    @Test func groups() throws {
        let article = Article(title: "0")
        context.insert(article)
        try context.save()
        undoManager.removeAllActions()
        undoManager.beginUndoGrouping()
        for title in ["1", "2", "3"] {
            article.title = title
            context.processPendingChanges()
        }
        let second = Article(title: "second")
        context.insert(second)
        try context.save()
        undoManager.setActionName("Typing")
        article.likes = 1
        undoManager.endUndoGrouping()
        #expect(undoManager.undoActionName == "Typing")
        undoManager.undo()
        #expect(article.title == "0" && article.likes == 0 && second.isDeleted && !undoManager.canUndo)
        undoManager.redo()
        #expect(article.title == "3" && article.likes == 1 && !second.isDeleted)
        try expectSaved()
    }

    @Test func whatEndsTheHistory() throws {
        let article = Article(title: "0")
        context.insert(article)
        try context.save()
        undoManager.removeAllActions()
        #expect(!undoManager.canUndo)
        undoManager.disableUndoRegistration()
        article.title = "1"
        undoManager.enableUndoRegistration()
        #expect(!undoManager.canUndo)
        undoManager.levelsOfUndo = 2
        for title in ["2", "3", "4"] {
            article.title = title
            context.processPendingChanges()
        }
        undoManager.undo()
        undoManager.undo()
        undoManager.undo()
        #expect(article.title == "2")
        article.title = "new"
        #expect(undoManager.canUndo && !undoManager.canRedo)
        context.rollback()
        #expect(!undoManager.canUndo)
        context.undoManager = nil
        article.title = "x"
        #expect(context.listeners.event == nil && !undoManager.canUndo)
    }

    /// Undoing and redoing any sequence of changes gives the states between them, in memory and in the store.
    @Test("row 76: random sequences", arguments: seeds()) func randomSequences(_ seed: Seed) throws {
        for round in 0..<20 {
            var random = SeededGenerator(seed: seed.number &* 1000 &+ UInt64(round))
            let context = try studioContext()
            let undoManager = ModelUndoManager()
            var articles = (0..<3).map { Article(title: "article \($0)") }
            var writers = (0..<2).map { Writer(name: "writer \($0)") }
            var topics = (0..<2).map { Topic(name: "topic \($0)") }
            for article in articles { context.insert(article) }
            for writer in writers { context.insert(writer) }
            for topic in topics { context.insert(topic) }
            try context.save()
            context.undoManager = undoManager
            func live<Model: PersistentModel>(_ models: [Model]) -> [Model] {
                models.filter { $0.modelContext === context && !$0.isDeleted }
            }
            func state() -> [String] {
                live(articles).map { article in
                    let topics = article.topics.map(\.name).sorted()
                    let chapters = article.chapters.map(\.name)
                    return "\(article.title) \(article.likes) \(article.writer?.name ?? "-") \(topics) \(chapters)"
                }.sorted() + live(writers).map { "\($0.name) \($0.articles.map(\.title).sorted())" }.sorted()
                    + live(topics).map { "\($0.name) \($0.articles.map(\.title).sorted())" }.sorted()
            }
            var states = [state()]
            for step in 0..<12 {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let article = live(articles).randomElement(using: &random)
                    let writer = live(writers).randomElement(using: &random)
                    let topic = live(topics).randomElement(using: &random)
                    switch Int.random(in: 0..<11, using: &random) {
                    case 0: article?.title = "title \(step)"
                    case 1: article?.likes += 1
                    case 2: article?.writer = random.oneIn(3) ? nil : writer
                    case 3: if let topic { article?.topics.append(topic) }
                    case 4: if let topic { article?.topics.remove(topic) }
                    case 5: article?.chapters.append(Chapter(name: "c\(step)"))
                    case 6:
                        if let article, let last = article.chapters.last { article.chapters.move(last, to: 0) }
                    case 7:
                        articles.append(
                            Article(title: "new \(articles.count)", writer: writer, topics: topic.map { [$0] } ?? []))
                        context.insert(articles[articles.count - 1])
                    case 8: if let article { context.delete(article) }
                    case 9: if let writer, random.oneIn(3) { context.delete(writer) }
                    default:
                        if random.oneIn(3) {
                            writers.append(Writer(name: "writer \(writers.count)"))
                            topics.append(Topic(name: "topic \(topics.count)"))
                            context.insert(writers[writers.count - 1])
                            context.insert(topics[topics.count - 1])
                        } else if let topic {
                            context.delete(topic)
                        }
                    }
                }
                if random.oneIn(4) { try context.save() } else { context.processPendingChanges() }
                states.append(state())
            }
            // Steps without changes have no group, so equal neighbors count once.
            var distinct: [[String]] = []
            for state in states where distinct.last != state { distinct.append(state) }
            for direction in [false, true, false] {
                let expected = direction ? distinct : distinct.reversed()
                var seen: [[String]] = [state()]
                while direction ? undoManager.canRedo : undoManager.canUndo {
                    if direction { undoManager.redo() } else { undoManager.undo() }
                    if random.oneIn(4) { try context.save() }
                    if seen.last != state() { seen.append(state()) }
                }
                #expect(seen == Array(expected), "seed \(seed), round \(round), redo: \(direction)")
                try context.save()
                try context.container.expectSound("seed \(seed), round \(round)")
                let fresh = try context.fetched(Article.self).map { "\($0.values)" }.sorted()
                #expect(fresh == live(articles).map { "\($0.values)" }.sorted(), "seed \(seed), round \(round)")
            }
        }
    }
}
