import Foundation
import RandomNumbers
import Testing

@testable import Ashlar

/// All operations at once on one container, for ThreadSanitizer. `Scripts/thread-sanitizer` runs these for a minute
/// or more.
@Suite struct StressTests {
    /// The number of articles in a group. Writers write whole groups: a reader of one article of a group finds all
    /// eight, with the same likes.
    private static let groupSize = 8

    @Test("eight tasks that write, read, follow and pin", arguments: [true, false])
    func eightTasks(isInMemory: Bool) async throws {
        let folder = try TemporaryFolder()
        let options = StoreOptions(historyTracking: !isInMemory)
        let container = try ModelContainer(
            for: StudioModel.self,
            configurations: isInMemory
                ? ModelConfiguration(isStoredInMemoryOnly: true)
                : ModelConfiguration(url: folder.file(), options: options))
        let rounds = 15 * TestEffort.factor
        let following = Task { try await Self.follow(container) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Self.insert(container, rounds, "a") }
            group.addTask { try Self.change(container, rounds) }
            group.addTask { try Self.batch(container, rounds, "b") }
            group.addTask { try Self.readObjects(container, rounds) }
            group.addTask { try Self.readValues(container, rounds) }
            group.addTask { try await Self.readFromMain(container, rounds) }
            group.addTask { if !isInMemory { try Self.readPinned(container, rounds) } }
            group.addTask { if !isInMemory { try Self.readHistory(container, rounds) } }
            try await group.waitForAll()
        }
        // After one more change, the followed results must equal the stored rows.
        let context = ModelContext(container)
        context.insert(Topic(name: "end"))
        try context.save()
        #expect(try await following.value > 0)
        #expect(try context.fetchCount(Article.all) % Self.groupSize == 0)
        try container.expectSound()
    }

    // MARK: Writing

    private static func insert(_ container: ModelContainer, _ rounds: Int, _ name: String) async throws {
        let count = try Self.insertions(container, rounds, name)
        #expect(await count.value == rounds)
    }

    /// Inserts groups, and counts the context's notifications on another task.
    private static func insertions(
        _ container: ModelContainer, _ rounds: Int, _ name: String
    ) throws -> Task<Int, Never> {
        let context = ModelContext(container)
        context.mergePolicy = .mergeByPropertyObjectTrump
        let notifications = context.notifications(of: [.didSave])
        let counting = Task {
            var count = 0
            for await notification in notifications where !notification.insertedIdentifiers.isEmpty { count += 1 }
            return count
        }
        for round in 0..<rounds {
            let writer = Writer(name: "\(name)\(round)")
            for index in 0..<groupSize {
                let article = Article(body: writer.name, title: "\(index)", writer: writer)
                article.topics = [Topic(name: "t")]
                article.chapters = [Chapter(name: "1"), Chapter(name: "2")]
                context.insert(article)
            }
            try context.save()
            if round.isMultiple(of: 7) { context.rollback() }
        }
        return counting
    }

    /// Gives all articles of a group one more like, and deletes a group now and then.
    private static func change(_ container: ModelContainer, _ rounds: Int) throws {
        for round in 0..<rounds {
            let context = ModelContext(container)
            context.mergePolicy = .mergeByPropertyStoreTrump
            context.automaticallyMergesChangesFromParent = round.isMultiple(of: 2)
            guard let writer = try context.fetch(Writer.all).randomElement() else { continue }
            if round.isMultiple(of: 4) {
                for article in writer.articles { context.delete(article) }
                context.delete(writer)
            } else {
                for article in writer.articles { article.likes += 1 }
            }
            do {
                try context.save()
            } catch SaveError.conflict {
                context.rollback()
            }
        }
    }

    private static func batch(_ container: ModelContainer, _ rounds: Int, _ name: String) throws {
        let context = ModelContext(container)
        for round in 0..<rounds {
            let body = "\(name)\(round)"
            _ = try context.batchInsert(contentsOf: (0..<groupSize).map { Article.Values(body: body, title: "\($0)") })
            _ = try context.batchUpdate(Article.where { $0.body == body }) { $0.likes += 1 }
            if round.isMultiple(of: 3) { _ = try context.batchDelete(Article.where { $0.body == body }) }
        }
    }

    // MARK: Reading

    /// Every group is whole, and its articles have the same likes.
    private static func expectWhole(_ articles: [(body: String?, likes: Int64)]) {
        for (body, group) in Dictionary(grouping: articles, by: \.body) {
            #expect(group.count == groupSize, "\(body ?? "")")
            #expect(Set(group.map(\.likes)).count == 1, "\(body ?? "")")
        }
    }

    private static func readObjects(_ container: ModelContainer, _ rounds: Int) throws {
        for _ in 0..<rounds {
            let context = ModelContext(container)
            let articles = try context.fetch(Article.order { $0.title.ascending })
            expectWhole(articles.map { ($0.body, $0.likes) })
            for article in articles.prefix(20) {
                // The article may have been deleted since.
                _ = article.writer?.name
                _ = article.topics.map(\.name)
                _ = article.chapters.count
            }
        }
    }

    private static func readValues(_ container: ModelContainer, _ rounds: Int) throws {
        let context = ModelContext(container)
        for round in 0..<rounds {
            expectWhole(try context.fetchValues(Article.all).map { ($0.body, $0.likes) })
            #expect(try context.fetchCount(Article.where { $0.likes >= 0 }) % groupSize == 0)
            _ = try context.fetch(Article.where { $0.title == "\(round % groupSize)" && $0.writer.name.hasPrefix("a") })
        }
    }

    @MainActor private static func readFromMain(_ container: ModelContainer, _ rounds: Int) async throws {
        let context = container.mainContext
        context.autosaveEnabled = false
        context.automaticallyMergesChangesFromParent = true
        let controller = FetchedResultsController(Article.order { $0.title.ascending }, in: context)
        try controller.performFetch()
        for _ in 0..<rounds {
            await Task.yield()
            for article in controller.fetchedObjects.prefix(10) { _ = article.writer?.name }
            let identifiers = try await Task.detached { try ModelContext(container).fetchIdentifiers(Writer.all) }.value
            for identifier in identifiers.prefix(3) { _ = context.registeredModel(for: identifier) as Writer? }
        }
    }

    private static func readPinned(_ container: ModelContainer, _ rounds: Int) throws {
        let context = ModelContext(container)
        for _ in 0..<rounds {
            try context.setQueryGeneration(from: .current)
            let count = try context.fetchCount(Article.all)
            let articles = try context.fetch(Article.all)
            expectWhole(articles.map { ($0.body, $0.likes) })
            #expect(articles.count == count)
            let written = articles.reduce(0) { $0 + ($1.writer == nil ? 0 : 1) }
            #expect(written % groupSize == 0)
        }
    }

    private static func readHistory(_ container: ModelContainer, _ rounds: Int) throws {
        var token: PersistentHistoryToken?
        var count = 0
        for _ in 0..<rounds {
            let transactions = try container.fetchHistory(.fetchHistory(after: token))
            token = transactions.last?.token ?? token
            count += transactions.count
        }
        let rest = try container.fetchHistory(.fetchHistory(after: token)).count
        #expect(try container.fetchHistory().count == count + rest)
    }

    // MARK: Following

    /// Returns how often whole groups were seen until a topic named "end" exists.
    private static func follow(_ container: ModelContainer) async throws -> Int {
        let articles = Task {
            var count = 0
            for try await values in container.results(Article.order { $0.title.ascending }) {
                expectWhole(values.map { ($0.body, $0.likes) })
                count += 1
            }
            return count
        }
        for try await topics in container.results(Topic.where { $0.name == "end" }) where !topics.isEmpty { break }
        articles.cancel()
        return try await articles.value
    }
}
