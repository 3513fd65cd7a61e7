import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Members that are loaded for many owners at once, beside those of each by itself.
@Suite struct MemberLoadingTests {
    /// Writers with articles, articles with topics and with chapters in an order.
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
        // Rows that are gone leave holes between the others.
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

    /// What lies between the owners that are asked for is passed over: nobody asked for it.
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

    /// The text of a statement is written once for a relationship, and not for each that asks.
    @Test func statementsAreWrittenOnce() throws {
        let context = try studioContext()
        let model = context.container.model
        let writer = try #require(model.entity(named: "Writer"))
        let article = try #require(model.entity(named: "Article"))
        let relationship = try #require(writer.relationships.first { $0.name == "articles" })
        let statements = try #require(relationship.memberStatements(article))
        #expect(relationship.memberStatements(article) === statements)
        #expect(Set([statements.ofOne, statements.ofRange, statements.ofMany].map(\.number)).count == 3)
        let reference = try #require(article.relationships.first { $0.name == "writer" })
        #expect(reference.memberStatements(writer) == nil)
    }
}

extension ModelContext {
    fileprivate func sweep() { registry.visitMaps { _, map in map.sweep() } }
}
