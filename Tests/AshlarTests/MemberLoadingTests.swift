import Foundation
import Observation
import RandomNumbers
import RandomSeeds
import Synchronization
import Testing

@testable import Ashlar

/// Members that are loaded for many owners at once, compared with those that are loaded for each owner.
@Suite struct MemberLoadingTests {
    /// Writers with articles; the articles have topics, and chapters in an order.
    private func container(_ random: inout SeededGenerator, writers count: Int) throws -> ModelContainer {
        let context = try studioContext()
        let topics = (0..<8).map { Topic(name: "\($0)") }
        for number in 0..<count {
            let writer = Writer(name: "\(number)")
            context.insert(writer)
            for article in 0..<Int.random(in: 0...3, using: &random) {
                let new = Article(title: "\(number).\(article)", writer: writer)
                context.insert(new)
                for topic in topics where random.oneIn(4) { new.topics.append(topic) }
                new.chapters = ToMany((0..<Int.random(in: 0...3, using: &random)).map { Chapter(name: "\($0)") })
                new.chapters = ToMany(new.chapters.shuffled(using: &random))
            }
        }
        try context.save()
        // Deleted rows leave gaps between the others.
        for writer in try context.fetch(Writer.all) where random.oneIn(12) { context.delete(writer) }
        try context.save()
        return context.container
    }

    private func names(
        _ container: ModelContainer, _ loading: RelationshipLoading, leavingOut isLeftOut: (String) -> Bool
    ) throws -> [String] {
        let context = ModelContext(container)
        context.relationshipLoading = loading
        let writers = try context.fetch(Writer.all).filter { !isLeftOut($0.name) }
        var names: [String] = []
        for writer in writers {
            names.append(writer.name)
            for article in writer.articles.sorted(by: { $0.title < $1.title }) {
                names.append(article.title)
                names += article.topics.map(\.name).sorted()
                names += article.chapters.map(\.name)
            }
        }
        return names
    }

    @Test("members of neighbours, of some of them, and of each by itself", arguments: seeds())
    func rangesAndSingleOwners(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        for share in [1000, 20, 4] {
            let container = try container(&random, writers: 300)
            let leftOut = Set((0..<300).filter { _ in random.oneIn(share) }.map { "\($0)" })
            let single = try names(container, .object) { leftOut.contains($0) }
            #expect(try names(container, .automatic) { leftOut.contains($0) } == single, "seed \(seed)")
            #expect(try names(container, .siblings) { leftOut.contains($0) } == single, "seed \(seed)")
        }
    }

    /// Three hundred writers, and articles in any order; some articles have no writer.
    private func articlesInAnyOrder(_ random: inout SeededGenerator) throws -> ModelContainer {
        let context = try studioContext()
        let writers = (0..<300).map { Writer(name: "\($0)") }
        for writer in writers { context.insert(writer) }
        for number in 0..<Int.random(in: 500...900, using: &random) {
            let writer = random.oneIn(6) ? nil : writers.randomElement(using: &random)
            context.insert(
                random.oneIn(5)
                    ? ColumnArticle(title: "\(number)", writer: writer) : Article(title: "\(number)", writer: writer))
        }
        try context.save()
        for writer in writers where random.oneIn(20) { context.delete(writer) }
        for article in try context.fetch(Article.all) where random.oneIn(12) { context.delete(article) }
        try context.save()
        return context.container
    }

    /// If a load needs most rows of the members' table, it scans all of them. Each owner's members come in the same
    /// order as by an index.
    @Test("members by a look at all rows, and of each owner by itself", arguments: seeds())
    func scannedMembers(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let container = try articlesInAnyOrder(&random)
        let leftOut = Set((0..<300).filter { _ in random.oneIn(30) }.map { "\($0)" })
        let pending = random
        func titles(_ loading: RelationshipLoading) throws -> (titles: [[String]], scans: Int) {
            var random = pending
            let context = ModelContext(container)
            context.relationshipLoading = loading
            let writers = try context.fetch(Writer.order { $0.name.ascending })
            // Changes that are not saved.
            for article in try context.fetch(Article.order { $0.title.ascending }) where random.oneIn(15) {
                if random.oneIn(2) {
                    context.delete(article)
                } else {
                    article.writer = writers.randomElement(using: &random)
                }
            }
            let scans = ScanCounter(context)
            let titles = writers.filter { !leftOut.contains($0.name) }.map { $0.articles.map(\.title) }
            return (titles, scans.count)
        }
        let single = try titles(.object)
        #expect(single.scans == 0 && single.titles.count > 200)
        for loading in [RelationshipLoading.siblings, .automatic] {
            let together = try titles(loading)
            #expect(together.titles == single.titles, "seed \(seed)")
            #expect(together.scans == 1, "seed \(seed)")
        }
    }

    /// A context that saved writers with an article each.
    private func oneArticleEach(writers count: Int) throws -> ModelContext {
        let context = try studioContext()
        for number in 0..<count {
            let writer = Writer(name: "\(number)")
            context.insert(writer)
            context.insert(Article(title: "\(number)", writer: writer))
        }
        try context.save()
        return context
    }

    /// If only a few of many rows are needed, a load does not scan the table.
    @Test func fewOfManyAreFoundByTheIndex() throws {
        let context = try oneArticleEach(writers: 200)
        func scans(_ count: Int) throws -> Int {
            let reading = ModelContext(context.container)
            reading.relationshipLoading = .siblings
            let writers = try reading.fetch(Writer.all.limit(count))
            let scans = ScanCounter(reading)
            #expect(writers.map(\.articles.count) == Array(repeating: 1, count: count))
            // The counts alone read no members.
            #expect(writers.map { $0.articles.array.count } == Array(repeating: 1, count: count))
            return scans.count
        }
        #expect(try scans(200) == 1 && scans(120) == 1)
        #expect(try scans(80) == 0, "less than half")
        // Articles without a writer.
        for number in 0..<400 { context.insert(Article(title: "free \(number)")) }
        try context.save()
        #expect(try scans(200) == 0)
    }

    /// For few owners, a load finds the members by the index, even if they are all rows: counting the rows would take
    /// as long.
    @Test func fewOwnersAreNotCountedFor() throws {
        let context = try oneArticleEach(writers: 40)
        let reading = ModelContext(context.container)
        reading.relationshipLoading = .siblings
        let writers = try reading.fetch(Writer.all)
        reading.statementCount = 0
        #expect(writers.map { $0.articles.array.count } == Array(repeating: 1, count: 40))
        #expect(reading.statementCount == 1)
    }

    /// A loop over many costs few statements: the second load is for more owners than the first.
    @Test func aLoopThatGoesOn() throws {
        let context = try studioContext()
        for number in 0..<6000 { context.insert(Writer(name: "\(number)")) }
        try context.save()
        let reading = ModelContext(context.container)
        let writers = try reading.fetch(Writer.all)
        reading.statementCount = 0
        for writer in writers.prefix(1001) { #expect(writer.articles.array.isEmpty) }
        #expect(reading.statementCount == 3, "of one, then of a thousand, which are counted first")
        for writer in writers { #expect(writer.articles.array.isEmpty) }
        #expect(reading.statementCount == 5)
    }

    /// In a loop from the newest owner to the oldest, the accessed owner is the last one that a load reads. Each load
    /// includes it, and reads no more rows than its limit.
    @Test func aLoopFromTheNewestToTheOldest() throws {
        let context = try studioContext()
        let (writers, articles) = (4000, 20)
        _ = try context.batchInsert(contentsOf: (1...writers).map { Writer.Values(name: "\($0)") })
        let identifiers = try context.fetchIdentifiers(Writer.order { $0.persistentModelID.ascending })
        _ = try context.batchInsert(
            contentsOf: identifiers.flatMap { writer in
                (0..<articles).map { Article.Values(title: "\($0)", writer: writer) }
            })
        let reading = ModelContext(context.container)
        let newestFirst = try reading.fetch(Writer.order { $0.persistentModelID.descending })
        let map = reading.registry.map(for: Article._ashlarEntity.number.root)
        reading.statementCount = 0
        for writer in newestFirst.prefix(1002) where writer.articles.array.count != articles {
            Issue.record("of \(writer.name)")
        }
        // One owner alone, then a thousand, then as many as have 50,000 rows.
        #expect(map.count <= articles + 1000 * articles + 50_000 + articles)
        #expect(reading.statementCount == 5, "each load is counted first, and none misses who asks")
        for writer in newestFirst where writer.articles.array.count != articles { Issue.record("of \(writer.name)") }
        #expect(reading.statementCount == 7)
        #expect(map.count == writers * articles)
    }

    /// An owner that has more members than the greatest number of rows of a load gets all of them. Counting them
    /// stops as soon as they exceed this number.
    @Test func moreMembersThanALoadHasRows() throws {
        let context = try studioContext()
        _ = try context.batchInsert(contentsOf: (1...100).map { Writer.Values(name: "\($0)") })
        let identifiers = try context.fetchIdentifiers(Writer.order { $0.persistentModelID.ascending })
        let many = 21_000
        _ = try context.batchInsert(
            contentsOf: (0..<many + 99).map {
                Article.Values(title: "\($0)", writer: identifiers[$0 < many ? 1 : $0 - many])
            })
        let reading = ModelContext(context.container)
        reading.relationshipLoading = .siblings
        let writers = try reading.fetch(Writer.order { $0.persistentModelID.ascending })
        let scans = ScanCounter(reading)
        let counts = writers.map { $0.articles.array.count }
        #expect(counts == [1, many + 1] + Array(repeating: 1, count: 97) + [0])
        #expect(scans.count == 0)
    }

    /// In a transaction, all reads share one connection. An observer that is notified while rows are read may read
    /// rows with the same statement, which does not start the first reading over.
    @Test func anObserverThatReadsTheSameRelationship() throws {
        let container = try studioContext().container
        let setting = ModelContext(container)
        for name in ["a", "b"] {
            let writer = Writer(name: name)
            setting.insert(writer)
            for number in 0..<5 { setting.insert(Article(title: "\(name)\(number)", writer: writer)) }
        }
        try setting.save()
        let context = ModelContext(container)
        context.relationshipLoading = .object
        context.isObservable = true
        let writers = try context.fetch(Writer.order { $0.name.ascending })
        let articles = try context.fetch(Article.order { $0.title.ascending })
        for article in try setting.fetch(Article.all) { article.likes += 1 }
        try setting.save()
        // Unsafe, because the reading thread calls the closure while it reads.
        nonisolated(unsafe) let other = writers[1]
        let seen = Mutex<[String]>([])
        try context.transaction {
            context.insert(Topic(name: "written"))
            try context.save()
            withObservationTracking {
                _ = articles[1].likes
            } onChange: {
                let titles = other.articles.map(\.title)
                seen.withLock { $0 = titles }
            }
            #expect(writers[0].articles.map(\.title) == (0..<5).map { "a\($0)" })
        }
        #expect(seen.withLock(\.self) == (0..<5).map { "b\($0)" }, "the observer was told while rows were read")
    }

    /// A load skips the members of owners that lie between the requested ones.
    @Test func membersOfOthersStayAway() throws {
        let context = try studioContext()
        for number in 0..<100 {
            let writer = Writer(name: "\(number)")
            context.insert(writer)
            for article in 0..<2 { context.insert(Article(title: "\(number).\(article)", writer: writer)) }
        }
        try context.save()
        let reading = ModelContext(context.container)
        let writers = try reading.fetch(Writer.all).filter { $0.name != "50" && $0.name != "70" }
        reading.sweep()
        reading.relationshipLoading = .siblings
        let counts = writers.map(\.articles.count)
        #expect(counts == Array(repeating: 2, count: 98))
        #expect(reading.registry.map(for: Article._ashlarEntity.number.root).count == 196)
    }

    /// The text of a statement is written once for a relationship, not for each load.
    @Test func statementsAreWrittenOnce() throws {
        let context = try studioContext()
        let model = context.container.model
        let writer = try #require(model.entity(named: "Writer"))
        let article = try #require(model.entity(named: "Article"))
        let relationship = try #require(writer.relationships.first { $0.name == "articles" })
        let statements = try #require(relationship.memberStatements(article))
        #expect(statements.scan != nil)
        let ordered = try #require(article.relationships.first { $0.name == "chapters" })
        let chapter = try #require(model.entity(named: "Chapter"))
        #expect(ordered.memberStatements(chapter)?.scan == nil, "they are in an order of their own")
        #expect(relationship.memberStatements(article) === statements)
        #expect(Set([statements.ofOne, statements.ofRange, statements.ofMany].map(\.number)).count == 3)
        let reference = try #require(article.relationships.first { $0.name == "writer" })
        #expect(reference.memberStatements(writer) == nil)
    }
}

extension ModelContext {
    fileprivate func sweep() { registry.visitMaps { _, map in map.sweep() } }
}

/// Counts the full scans for members in a context's reads.
private final class ScanCounter: Sendable {
    private let scans = Mutex(0)

    var count: Int { scans.withLock(\.self) }

    init(_ context: ModelContext) {
        context.statementObserver = StatementObserver { [self] event in
            if event.sql.contains(" NOT INDEXED ") { scans.withLock { $0 += 1 } }
        }
    }
}
