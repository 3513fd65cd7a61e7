import Ashlar
import Foundation
import Testing

/// A background context that is not in use merges the saves of other contexts.
@Suite struct BackgroundMergingTests {
    let context: ModelContext
    let background: BackgroundContext

    init() throws {
        context = try studioContext()
        context.insert(Article(title: "first"))
        try context.save()
        background = context.container.newBackgroundContext()
        try background.performAndWait { $0.automaticallyMergesChangesFromParent = true }
    }

    /// Yields the titles of the results after each change.
    private final class Titles: FetchedResultsControllerDelegate, @unchecked Sendable {
        typealias Model = Article
        typealias SectionName = Never
        let changes: AsyncStream<[String]>
        private let continuation: AsyncStream<[String]>.Continuation
        private var controller: FetchedResultsController<Article, Never>?

        init(_ context: ModelContext) throws {
            (changes, continuation) = AsyncStream.makeStream()
            let controller = FetchedResultsController(Article.order { $0.title.ascending }, in: context)
            self.controller = controller
            controller.delegate = self
            try controller.performFetch()
        }

        var now: [String] { controller?.fetchedObjects.map(\.title) ?? [] }

        /// Must be called within the context, like everything else.
        func stop() { controller = nil }

        func controllerDidChangeContent(_ controller: FetchedResultsController<Article, Never>) {
            continuation.yield(now)
        }
    }

    @Test("rows 70, 106: a controller of a background context is told by itself") func byItself() async throws {
        let titles = try background.performAndWait { try Titles($0) }
        var changes = titles.changes.makeAsyncIterator()
        for title in ["second", "third", "zeroth"] {
            context.insert(Article(title: title))
            try context.save()
            #expect(await changes.next()?.contains(title) == true)
        }
        let first = try #require(try context.fetch(Article.where { $0.title == "first" }).first)
        context.delete(first)
        try context.save()
        #expect(await changes.next() == ["second", "third", "zeroth"])
        try background.performAndWait { _ in titles.stop() }
    }

    @Test("row 72: a closure finds what was saved before it") func atTheBeginning() throws {
        let titles = try background.performAndWait { try Titles($0) }
        for number in 0..<50 {
            context.insert(Article(title: "x\(number)"))
            try context.save()
            let found = try background.performAndWait { _ in titles.now }
            #expect(found.last == context.container.lastTitle && found.count == number + 2)
        }
        try background.performAndWait { _ in titles.stop() }
    }

    /// When `saves()` yields a save, a merging context already contains it.
    @Test("row 81: a save is told when the inboxes have it") func savesAreToldLast() async throws {
        let titles = try background.performAndWait { try Titles($0) }
        let saves = context.container.saves()
        let reader = Task { [background, titles] in
            var found: [Int] = []
            for await _ in saves {
                found.append(try background.performAndWait { _ in titles.now.count })
                if found.count == 100 { break }
            }
            return found
        }
        for number in 0..<100 {
            context.insert(Article(title: "x\(number)"))
            try context.save()
        }
        let found = try await reader.value
        #expect(found.enumerated().allSatisfy { $1 >= $0 + 2 })
        try background.performAndWait { _ in titles.stop() }
    }

    @Test func aContextThatGoesIsNotWoken() throws {
        var short: BackgroundContext? = context.container.newBackgroundContext()
        try short?.performAndWait { $0.automaticallyMergesChangesFromParent = true }
        for number in 0..<20 {
            context.insert(Article(title: "\(number)"))
            try context.save()
            if number == 10 { short = nil }
        }
        #expect(try context.fetchCount(Article.all) == 21)
    }
}

extension ModelContainer {
    fileprivate var lastTitle: String? { try? text("SELECT max(\"title\") FROM \"Article\"") }
}
