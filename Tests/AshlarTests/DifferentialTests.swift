import AshlarCoreData
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// The same condition in SQL and in memory, over random rows.
@Suite struct DifferentialTests {
    @Test("rows 101, 125: sql and memory agree", arguments: seeds())
    func sqlAndMemoryAgree(_ seed: Seed) throws {
        var random = RandomConditions(seed: seed.number)
        let context = try memoryContext()
        let labels = ["", "a", "é"].map { Label(name: $0) }
        for label in labels { context.insert(label) }
        var samples: [Sample] = []
        for _ in 0..<80 {
            let sample = Sample()
            context.insert(sample)
            samples.append(sample)
        }
        for sample in samples { random.change(sample, among: samples, labels) }
        try context.save()

        for round in 0..<6 {
            for _ in 0..<60 { try compare(context, &random, samples, labels, "seed \(seed), round \(round), saved") }
            change(context, &random, &samples, labels)
            for _ in 0..<60 { try compare(context, &random, samples, labels, "seed \(seed), round \(round), pending") }
            if random.random.oneIn(4) {
                context.rollback()
                samples = try context.fetch(Sample.all)
            } else {
                try context.save()
            }
        }
        try context.container.expectSound("seed \(seed)")
    }

    /// Random format strings over random rows, with and without pending changes.
    @Test("row 124: formats agree", arguments: seeds())
    func formatsAgree(_ seed: Seed) throws {
        var values = RandomConditions(seed: seed.number)
        var formats = RandomFormats(seed: seed.number)
        let context = try memoryContext()
        var samples = (0..<50).map { _ in Sample() }
        for sample in samples { context.insert(sample) }
        for sample in samples { values.change(sample, among: samples, []) }
        try context.save()
        for round in 0..<4 {
            if round % 2 == 1 { change(context, &values, &samples, [Label(name: "")]) }
            for _ in 0..<100 {
                let (format, arguments) = formats.next(samples)
                let comment = Testing.Comment(rawValue: "seed \(seed): \(format) \(arguments)")
                let condition = try Condition(for: Sample.self, format: format, arguments: arguments)
                let expected = samples.filter { condition.expression.holds(for: $0) }
                #expect(try Set(context.fetch(Sample.where { _ in condition })) == Set(expected), comment)
            }
            try context.save()
        }
    }

    private func change(
        _ context: ModelContext, _ random: inout RandomConditions, _ samples: inout [Sample], _ labels: [Label]
    ) {
        for _ in 0..<Int.random(in: 0...10, using: &random.random) {
            random.change(random.pick(samples), among: samples, labels)
        }
        for _ in 0..<Int.random(in: 0...3, using: &random.random) {
            let sample = Sample()
            context.insert(sample)
            random.change(sample, among: samples, labels)
            samples.append(sample)
        }
        for _ in 0..<Int.random(in: 0...2, using: &random.random) {
            let index = Int.random(in: samples.indices, using: &random.random)
            context.delete(samples.remove(at: index))
        }
        if random.random.oneIn(2) { random.pick(labels).name = random.pick(["", "a", "b", "é"]) }
    }

    private func compare(
        _ context: ModelContext, _ random: inout RandomConditions, _ samples: [Sample], _ labels: [Label],
        _ comment: String
    ) throws {
        let columns = Sample._ashlarColumns
        var descriptor = Sample.all
        let condition = random.condition(columns, depth: 3, samples, labels)
        descriptor.condition = condition
        descriptor.sortOrders = random.orders(columns)
        let expected = samples.filter { condition.expression.holds(for: $0) }
        let found = try context.fetch(descriptor)
        let description = Testing.Comment(rawValue: "\(comment): \(condition.expression)")
        #expect(Set(found) == Set(expected) && found.count == expected.count, description)
        #expect(try context.fetchCount(descriptor) == expected.count, description)

        // Equal objects may be in any order, so the test compares keys.
        func keys(_ samples: [Sample]) -> [[SQLiteValue]] {
            samples.map { sample in descriptor.sortOrders.map { $0.expression.value(for: sample) } }
        }
        func isBefore(_ left: [SQLiteValue], _ right: [SQLiteValue]) -> Bool {
            for (index, order) in descriptor.sortOrders.enumerated() {
                let result = SQLiteValue.order(left[index], right[index], order.expression.isDecimal)
                if result != 0 { return (result < 0) == order.isAscending }
            }
            return false
        }
        let foundKeys = keys(found)
        for (first, second) in zip(foundKeys, foundKeys.dropFirst()) { #expect(!isBefore(second, first), description) }

        let offset = Int.random(in: 0...5, using: &random.random)
        let limit = Int.random(in: 0...10, using: &random.random)
        let page = try context.fetch(descriptor.limit(limit).offset(offset))
        #expect(page.count == max(0, min(limit, expected.count - offset)), description)
        #expect(Set(page).isSubset(of: Set(expected)) && Set(page).count == page.count, description)
        for (key, whole) in zip(keys(page), foundKeys.dropFirst(offset)) {
            #expect(!isBefore(key, whole) && !isBefore(whole, key), description)
        }
    }
}
