import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Projections of random rows in memory, with unsaved changes, equal the same projections in SQL after a save.
@Suite struct ProjectionRandomTests {
    @Test(arguments: seeds())
    func memoryAndStoreAgree(_ seed: Seed) throws {
        var random = RandomConditions(seed: seed.number)
        let context = try memoryContext()
        let labels = ["", "a", "é"].map { Label(name: $0) }
        for label in labels { context.insert(label) }
        var samples = (0..<40).map { _ in Sample() }
        for sample in samples { context.insert(sample) }
        for sample in samples { random.change(sample, among: samples, labels) }
        try context.save()
        for round in 0..<6 {
            for _ in 0..<8 { random.change(random.pick(samples), among: samples, labels) }
            context.delete(samples.removeLast())
            let projections = (0..<60).map { _ in random.projection(samples, labels) }
            let pending = try projections.map { try context.fetch($0) }
            try context.save()
            let other = ModelContext(context.container)
            for (projection, pending) in zip(projections, pending) {
                let stored = try other.fetch(projection)
                let comment = Testing.Comment(
                    rawValue: "seed \(seed), round \(round): \(try projection.shape.statement(time: FetchTime()).text)")
                #expect(stored.map { "\($0)" }.sorted() == pending.map { "\($0)" }.sorted(), comment)
                if projection.shape.isTotallyOrdered { #expect(stored == pending, comment) }
            }
        }
    }

    /// Groups equal those that plain Swift makes.
    @Test(arguments: seeds())
    func groupsAreSwifts(_ seed: Seed) throws {
        var random = RandomConditions(seed: seed.number)
        let context = try memoryContext()
        let samples = (0..<60).map { _ in Sample() }
        for sample in samples { context.insert(sample) }
        for sample in samples { random.change(sample, among: samples, []) }
        for sample in samples { sample.count = Int64.random(in: -1000...1000, using: &random.random) }
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            let rows = try context.fetch(
                Sample.group { $0.name }.having { .sum($0.count) > 0 }
                    .select {
                        ($0.name, .count, .sum($0.count), .minimum($0.count), .average($0.count), .count($0.title))
                    })
            // The store compares bytes, not Unicode's canonical equivalence.
            let groups = Dictionary(grouping: samples) { Array($0.name.utf8) }
                .filter { $0.value.reduce(0) { $0 + $1.count } > 0 }
            #expect(rows.count == groups.count, "seed \(seed)")
            for row in rows {
                let group = groups[Array(row.0.utf8)] ?? []
                let sum = group.reduce(0) { $0 + $1.count }
                #expect(row.1 == group.count && row.2 == sum, "seed \(seed)")
                #expect(row.3 == group.map(\.count).min(), "seed \(seed)")
                #expect(row.4 == Double(sum) / Double(group.count), "seed \(seed)")
                #expect(row.5 == group.count { $0.title != nil }, "seed \(seed)")
            }
        }
    }
}

extension ProjectionShape {
    /// Whether the order determines the place of every row.
    fileprivate var isTotallyOrdered: Bool {
        columns.allSatisfy { column in descriptor.sortOrders.contains { $0.expression == column } }
    }
}

extension RandomConditions {
    fileprivate mutating func projection(
        _ samples: [Sample], _ labels: [Label]
    ) -> Projection<Sample, [SQLiteValue]> {
        let columns = Sample._ashlarColumns
        let values: [SQLExpression] = [
            columns.title.expression, columns.name.expression, columns.price.expression, columns.weight.expression,
            columns.small.expression, columns.flag.expression, columns.day.expression, columns.mood.expression,
            columns.token.expression, (columns.price + 1).expression, columns.parent.title.expression,
            columns.home.name.expression, columns.children.count.expression, columns.parent._ashlarIdentifier,
            (columns.count > 0).expression, columns.children.sum { $0.price }.expression,
        ]
        let aggregated = [
            columns.count.expression, columns.price.expression, columns.weight.expression,
            columns.small.expression, columns.children.count.expression, columns.parent.price.expression,
        ]
        var descriptor = FetchDescriptor<Sample>()
        if random.oneIn(2) { descriptor.condition = condition(columns, depth: 2, samples, labels) }
        var shape = ProjectionShape(descriptor)
        var selected: [SQLExpression]
        if random.oneIn(3) {
            selected = (0..<Int.random(in: 1...3, using: &random)).map { _ in pick(values) }
            shape.isDistinct = random.oneIn(2)
        } else {
            let keys = (0..<Int.random(in: 0...2, using: &random)).map { _ in pick(values) }
            if !keys.isEmpty { shape.groups = keys }
            selected =
                keys
                + (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    let aggregate = pick([SQLExpression.Aggregate.count, .sum, .average, .minimum, .maximum])
                    let isWhole = aggregate == .count && random.oneIn(2)
                    return .groupAggregate(
                        aggregate, isWhole ? nil : pick(aggregated), isDistinct: !isWhole && random.oneIn(3))
                }
            if random.oneIn(3) {
                let count = SQLExpression.groupAggregate(.count, nil, isDistinct: false)
                shape.having = Condition(.comparison(count, .greater, .value(.integer(1))))
            }
        }
        if random.oneIn(2) {
            shape.descriptor.sortOrders = selected.map { ColumnOrder(expression: $0, isAscending: random.oneIn(2)) }
            if random.oneIn(2) { shape.descriptor.fetchLimit = Int.random(in: 0...6, using: &random) }
            if random.oneIn(3) { shape.descriptor.fetchOffset = Int.random(in: 0...3, using: &random) }
        }
        let count = Int32(selected.count)
        return Projection(shape, selected) { row throws(RowError) in (0..<count).map { row.value($0) } }
    }
}
