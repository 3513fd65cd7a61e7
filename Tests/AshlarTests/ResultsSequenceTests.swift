import Foundation
import Testing

@testable import Ashlar

/// Results as asynchronous sequences.
@Suite struct ResultsSequenceTests {
    @Test("row 109: objects now and after each change") @MainActor func objectsAfterEachChange() async throws {
        let container = try memoryContainer(StudioModel.self)
        let context = container.mainContext
        context.autosaveEnabled = false
        let others = ModelContext(container)
        var seen: [[String]] = []
        for try await articles in context.results(Article.where { $0.title != "x" }.order { $0.title.ascending }) {
            seen.append(articles.map(\.title))
            switch seen.count {
            case 1:
                context.insert(Article(title: "own"))
                context.insert(Article(title: "x"))
                context.processPendingChanges()
            case 2:
                others.insert(Article(title: "theirs"))
                others.insert(Topic(name: "t"))
                try others.save()
            case 3:
                articles[0].title = "mine"
                try context.save()
            default: break
            }
            if seen.count == 4 { break }
        }
        #expect(seen == [[], ["own"], ["own", "theirs"], ["mine", "theirs"]])
    }

    @Test("row 109: values on any task", arguments: [true, false]) func valuesOnAnyTask(isInMemory: Bool) async throws {
        let folder = try TemporaryFolder()
        let container =
            isInMemory
            ? try memoryContainer(StudioModel.self) : try ModelContainer(for: StudioModel.self, at: folder.file())
        let sequence = container.results(Article.where { $0.writer.name == "w" }.order { $0.title.ascending })
        let (steps, step) = AsyncStream.makeStream(of: [String].self)
        let reading = Task.detached {
            for try await articles in sequence { step.yield(articles.map(\.title)) }
        }
        var seen = steps.makeAsyncIterator()
        #expect(await seen.next() == [])
        let context = ModelContext(container)
        let article = Article(title: "a", writer: Writer(name: "w"))
        context.insert(article)
        try context.save()
        #expect(await seen.next() == ["a"])
        // Changes that set no new value, or belong to another table, are not reported.
        context.insert(Article(title: "b"))
        try context.save()
        context.insert(Topic(name: "t"))
        try context.save()
        article.title = "c"
        try context.save()
        #expect(await seen.next() == ["c"])
        article.writer?.name = "v"
        try context.save()
        #expect(await seen.next() == [])
        reading.cancel()
        _ = await reading.result
    }

    /// A commit by another container of the same file wakes the loop too.
    @Test func otherProcesses() async throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(for: StudioModel.self, at: folder.file())
        let other = ModelContext(try ModelContainer(for: StudioModel.self, at: folder.file()))
        var seen: [[String]] = []
        for try await articles in container.results(Article.order { $0.title.ascending }) {
            seen.append(articles.map(\.title))
            if seen.count == 2 { break }
            other.insert(Article(title: "theirs"))
            try other.save()
        }
        #expect(seen == [[], ["theirs"]])
        let context = ModelContext(container)
        seen = []
        for try await articles in context.results(Article.order { $0.title.ascending }) {
            seen.append(articles.map(\.title))
            if seen.count == 2 { break }
            other.insert(Article(title: "more"))
            try other.save()
        }
        #expect(seen == [["theirs"], ["more", "theirs"]])
    }
}
