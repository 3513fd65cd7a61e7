import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Answers about a descriptor while there are unsaved changes: counts, existence and identifiers match the objects
/// that a fetch finds.
@Suite struct PendingAnswersTests {
    private struct Samples {
        var random: RandomConditions
        var samples: [Sample]
        let labels: [Label]
        let context: ModelContext

        /// Changes, inserts and deletes samples.
        mutating func change() {
            for _ in 0..<Int.random(in: 0...6, using: &random.random) where !samples.isEmpty {
                random.change(random.pick(samples), among: samples, labels)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random.random) {
                let sample = Sample()
                context.insert(sample)
                random.change(sample, among: samples, labels)
                samples.append(sample)
            }
            for _ in 0..<Int.random(in: 0...2, using: &random.random) where samples.count > 1 {
                context.delete(samples.remove(at: Int.random(in: samples.indices, using: &random.random)))
            }
        }

        mutating func descriptor() -> FetchDescriptor<Sample> {
            let columns = Sample._ashlarColumns
            var descriptor = Sample.all
            if !random.random.oneIn(6) {
                let depth = Int.random(in: 0...2, using: &random.random)
                descriptor.condition = random.condition(columns, depth: depth, samples, labels)
            }
            if random.random.oneIn(2) { descriptor.sortOrders = random.orders(columns) }
            if random.random.oneIn(2) { descriptor.fetchLimit = random.pick([-1, 0, 1, 3, 10, 100, .max]) }
            if random.random.oneIn(3) { descriptor.fetchOffset = random.pick([-1, 0, 1, 5, 50, .max]) }
            if random.random.oneIn(8) { descriptor.includePendingChanges = false }
            return descriptor
        }
    }

    private func expectSame<Model: PersistentModel>(
        _ context: ModelContext, _ descriptor: FetchDescriptor<Model>, _ comment: Testing.Comment
    ) throws {
        // Objects last, so that the context has none before.
        let count = try context.fetchCount(descriptor)
        let exists = try context.exists(descriptor)
        let identifiers = try context.fetchIdentifiers(descriptor)
        let objects = try context.fetch(descriptor)
        #expect(count == objects.count, comment)
        #expect(exists == !objects.isEmpty, comment)
        #expect(identifiers.count == objects.count && Set(identifiers).count == identifiers.count, comment)
        // A window may contain any of the objects that the order leaves equal.
        if descriptor.limit == nil, descriptor.skipped == 0 {
            #expect(Set(identifiers) == Set(objects.map(\.persistentModelID)), comment)
        }
    }

    @Test("rows 94, 101: counts, existence and identifiers are those of the objects", arguments: seeds())
    func answersAreThoseOfTheObjects(_ seed: Seed) throws {
        let context = try memoryContext()
        let labels = ["", "a", "é"].map { Label(name: $0) }
        for label in labels { context.insert(label) }
        let samples = (0..<60).map { _ in Sample() }
        for sample in samples { context.insert(sample) }
        var test = Samples(
            random: RandomConditions(seed: seed.number), samples: samples, labels: labels, context: context)
        for sample in samples { test.random.change(sample, among: samples, labels) }
        try context.save()
        for round in 0..<8 {
            test.change()
            if test.random.random.oneIn(3) { test.random.pick(labels).name = test.random.pick(["", "a", "b"]) }
            for _ in 0..<60 {
                let descriptor = test.descriptor()
                try expectSame(context, descriptor, "seed \(seed), round \(round): \(descriptor)")
            }
            if test.random.random.oneIn(2) { try context.save() }
        }
    }

    @Test("row 71: so they are in contexts within contexts", arguments: seeds())
    func answersOfChildContexts(_ seed: Seed) throws {
        let outermost = try memoryContext()
        let samples = (0..<40).map { _ in Sample() }
        for sample in samples { outermost.insert(sample) }
        var random = RandomConditions(seed: seed.number)
        for sample in samples { random.change(sample, among: samples, []) }
        try outermost.save()
        let parent = ModelContext(parent: outermost)
        let child = ModelContext(parent: parent)
        for round in 0..<6 {
            for context in [outermost, parent, child] where random.random.oneIn(2) || context === child {
                let all = try context.fetch(Sample.all)
                let labels = try context.fetch(Label.all) + [Label(name: "\(round)")]
                var test = Samples(random: random, samples: all, labels: labels, context: context)
                test.change()
                random = test.random
                for _ in 0..<20 {
                    let descriptor = test.descriptor()
                    for reading in [outermost, parent, child] {
                        try expectSame(reading, descriptor, "seed \(seed), round \(round): \(descriptor)")
                    }
                }
                random = test.random
            }
            // Objects that another context deleted meanwhile cannot be saved.
            for context in [child, parent] where random.random.oneIn(2) {
                do { try context.save() } catch is SaveError { context.rollback() }
            }
        }
    }

    @Test("rows 3, 102: so they are of entities above and below others", arguments: seeds())
    func answersWithInheritance(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed.number)
        let context = try studioContext()
        let writer = Writer(name: "w")
        context.insert(writer)
        var articles: [Article] = []
        func insert() {
            let title = String(Int.random(in: 0...9, using: &random))
            let article =
                random.oneIn(2) ? Article(title: title, writer: writer) : ColumnArticle(title: title, writer: writer)
            context.insert(article)
            articles.append(article)
        }
        for _ in 0..<40 { insert() }
        try context.save()
        for round in 0..<10 {
            for _ in 0..<3 where !articles.isEmpty {
                let position = Int.random(in: articles.indices, using: &random)
                articles[position].likes = Int64.random(in: 0...3, using: &random)
                if random.oneIn(3) { context.delete(articles.remove(at: position)) }
            }
            if random.oneIn(2) { insert() }
            if random.oneIn(4) { writer.name = String(round) }
            for likes in 0..<4 as Range<Int64> {
                var descriptor = Article.where { $0.likes == likes }
                var followed = Article.where { $0.writer.name == String(round) && $0.likes <= likes }
                descriptor.includesSubentities = random.oneIn(2)
                followed.includesSubentities = random.oneIn(2)
                if random.oneIn(2) { descriptor.fetchLimit = Int.random(in: 0...5, using: &random) }
                let comment = Testing.Comment(rawValue: "seed \(seed), round \(round), \(likes) likes")
                try expectSame(context, descriptor, comment)
                try expectSame(context, followed, comment)
                try expectSame(context, ColumnArticle.where { $0.likes >= likes }, comment)
            }
            if random.oneIn(3) { try context.save() }
        }
    }

    // MARK: No objects

    /// A context with unsaved changes of three topics, and without objects of the other rows.
    private func changedContext() throws -> ModelContext {
        let setUp = try studioContext()
        for number in 0..<100 { setUp.insert(Topic(name: "\(number % 10)")) }
        try setUp.save()
        let context = ModelContext(setUp.container)
        let first = try context.fetch(Topic.where { $0.name == "1" }.limit(2))
        first[0].name = "2"
        context.delete(first[1])
        context.insert(Topic(name: "3"))
        return context
    }

    @Test("row 94: no object is made for an answer without objects")
    func noObjectIsMade() throws {
        let context = try changedContext()
        #expect(context.registeredModels.count == 3)
        for context in [context, ModelContext(parent: context)] {
            let before = context.registeredModels.count
            #expect(try context.fetchCount(Topic.all) == 100)
            #expect(try context.fetchCount(Topic.where { $0.name == "1" }) == 8)
            #expect(try context.fetchCount(Topic.where { $0.name == "2" }) == 11)
            #expect(try context.fetchCount(Topic.where { $0.name == "3" }.limit(20).offset(5)) == 6)
            #expect(try context.exists(Topic.where { $0.name == "9" }))
            #expect(try !context.exists(Topic.where { $0.name == "x" }))
            #expect(try context.exists(Topic.where { $0.name == "2" }.offset(10)))
            #expect(try !context.exists(Topic.where { $0.name == "2" }.offset(11)))
            #expect(try context.fetchIdentifiers(Topic.where { $0.name == "2" }).count == 11)
            #expect(
                try context.fetchIdentifiers(Topic.where { $0.name == "9" }.order { $0.name.ascending }).count == 10)
            #expect(context.registeredModels.count == before)
        }
        #expect(context.registeredModels.count == 3)
    }

    @Test func manyRowsAreLeftOut() throws {
        let context = try changedContext()
        for _ in 0..<600 { context.insert(Topic(name: "5")) }
        try context.save()
        for topic in try context.fetch(Topic.where { $0.name == "5" }) { topic.name = "6" }
        #expect(try context.fetchCount(Topic.all) == 700)
        #expect(try context.fetchCount(Topic.where { $0.name == "5" }) == 0)
        #expect(try context.fetchCount(Topic.where { $0.name == "6" }) == 620)
    }
}
