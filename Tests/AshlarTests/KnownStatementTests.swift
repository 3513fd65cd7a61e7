import AshlarCoreData
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Kept statements for shapes that occurred before: their texts and values equal those of newly written statements.
@Suite struct KnownStatementTests {
    @Test(arguments: seeds()) func randomConditions(seed: Seed) throws {
        var random = RandomConditions(seed: seed.number)
        let context = try memoryContext()
        let samples = (0..<3).map { _ in Sample() }
        let labels = [Label(name: "a")]
        for sample in samples { context.insert(sample) }
        for label in labels { context.insert(label) }
        try context.save()
        let columns = Sample._ashlarColumns
        for _ in 0..<(1500 * TestEffort.factor) {
            var descriptor = Sample.all
            let depth = Int.random(in: 0...2, using: &random.random)
            descriptor.condition = random.condition(columns, depth: depth, samples, labels)
            descriptor.sortOrders = random.random.oneIn(2) ? random.orders(columns) : []
            if random.random.oneIn(3) { descriptor.fetchLimit = .random(in: -1...9, using: &random.random) }
            if random.random.oneIn(4) { descriptor.fetchOffset = .random(in: -1...9, using: &random.random) }
            try expectTheSame(descriptor, context, "seed \(seed)")
        }
    }

    /// Few forms with many values, so that most statements are kept ones.
    @Test(arguments: seeds()) func fewForms(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = try memoryContext()
        for _ in 0..<(400 * TestEffort.factor) {
            let text = RandomConditions.texts.randomElement(using: &random) ?? ""
            let optional = random.oneIn(3) ? nil : text
            let number = Int64.random(in: -2...2, using: &random)
            let list = (0..<Int.random(in: 0...3, using: &random)).map { _ in random.oneIn(3) ? nil : text }
            let price = random.oneIn(4) ? nil : Decimal(number)
            let descriptors = [
                Sample.where { $0.title == optional }, Sample.where { $0.title != optional && $0.count > number },
                Sample.where { $0.name.hasPrefix(text) }, Sample.where { $0.name.hasSuffix(text) },
                Sample.where { $0.name.contains(text) },
                Sample.where { $0.name.contains(text, options: .caseInsensitive) },
                Sample.where { $0.name.isLike(text) }, Sample.where { $0.title.isIn(list) },
                Sample.where { $0.price == price && $0.price + 1 > 2 }, Sample.where { ($0.title ?? text) == text },
                Sample.where { ($0.count > number).then($0.count, else: number) == 1 },
                Sample.where { $0.children.contains { $0.title == optional && $0.count == number } },
                Sample.where { $0.children.filter { $0.count > number }.count > 1 },
                Sample.where { $0.children.sum { $0.count + number } > number },
                Sample.where { $0.parent.home.name == text }.order { ($0.count * number).descending }.limit(
                    Int(number)),
                Sample.where { $0.count > number && Condition(.comparison($0.day._ashlarExpression, .less, .now)) },
                try FetchDescriptor(format: "name == %@ AND title != nil", text),
            ]
            for descriptor in descriptors { try expectTheSame(descriptor, context, "seed \(seed)") }
        }
    }

    /// Shapes with the same number: names do not contribute to the number.
    @Test func shapesOfTheSameNumber() throws {
        let context = try memoryContext()
        for _ in 0..<3 {
            try expectTheSame(Sample.where { $0.children.max { $0.count } == 1 }, context, "max")
            try expectTheSame(Sample.where { $0.children.min { $0.count } == 1 }, context, "min")
            try expectTheSame(Sample.where { $0.name.hasPrefix("a") }, context, "prefix")
            try expectTheSame(Sample.where { $0.name.contains("a") }, context, "contains")
        }
    }

    /// More shapes than a context keeps.
    @Test func manyShapes() throws {
        let context = try memoryContext()
        for _ in 0..<2 {
            for number in 1...450 {
                let list = (0..<number).map(Int64.init)
                try expectTheSame(Sample.where { $0.count.isIn(list) }, context, "\(number)")
                try expectTheSame(
                    Sample.where { sample in
                        (0..<number % 100).reduce(sample.count > 1) { condition, _ in condition && sample.count < 9 }
                    }, context, "\(number)")
            }
        }
    }

    /// Projections in place of objects: the same forms again and again with other values.
    @Test(arguments: seeds()) func projections(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = try memoryContext()
        for _ in 0..<(100 * TestEffort.factor) {
            let text = RandomConditions.texts.randomElement(using: &random) ?? ""
            let number = Int64.random(in: -2...2, using: &random)
            let samples = Sample.where { $0.count > number && $0.name != text }
            try expectTheSame(samples.select { $0.count + number }, context, "seed \(seed)")
            try expectTheSame(samples.select { ($0.name, $0.count * number) }.distinct(), context, "seed \(seed)")
            try expectTheSame(
                samples.order { $0.name.ascending }.limit(Int(number)).select { ($0.name, $0.title ?? text) }, context,
                "seed \(seed)")
            try expectTheSame(samples.select { (.sum($0.count), .maximum($0.count + number)) }, context, "seed \(seed)")
            let grouped = samples.group { $0.count + number }.order { _ in .descending(.count) }
            try expectTheSame(grouped.select { ($0.count + number, .count) }, context, "seed \(seed)")
            let having = grouped.having { _ in .count > Int(number) }
            try expectTheSame(having.select { ($0.count + number, .count) }.offset(1), context, "seed \(seed)")
            try expectTheSame(Sample.all.select { $0.children.count { $0.count > number } }, context, "seed \(seed)")
        }
    }

    private func expectTheSame<Output>(
        _ projection: Projection<Sample, Output>, _ context: ModelContext, _ comment: Testing.Comment
    ) throws {
        let time = FetchTime()
        let written = try projection.shape.statement(time: time)
        let found = try context.statement(of: projection.shape, time: time)
        #expect(found.text == written.text, comment)
        #expect(found.values == written.values, comment)
        #expect(try context.statement(of: projection.shape, time: time).number != nil, comment)
    }

    @Test func entities() throws {
        let context = ModelContext(try memoryContainer(ZooModel.self))
        for isAlone in [true, false, true] {
            var cars = Car.where { $0.doors > 3 && $0.is(Car.self) }
            cars.includesSubentities = !isAlone
            try expectTheSame(cars, context, "cars")
        }
    }

    private func expectTheSame<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ context: ModelContext, _ comment: Testing.Comment
    ) throws {
        // Where an R-tree may serve, the text depends on the path.
        if let condition = descriptor.condition?.expression,
            condition.bounds(oneOf: Model._ashlarEntity.schema.rtreeColumns) || condition.boundsRelatedRows
        {
            return
        }
        let time = FetchTime()
        let columns = Model._ashlarEntity.selectedColumns
        let (limit, offset) = (descriptor.fetchLimit, descriptor.fetchOffset)
        let written = try descriptor.statement(selecting: columns, limit: limit, offset: offset, time: time)
        let found = try context.statement(
            of: descriptor, selecting: columns, limit: limit, offset: offset, time: time)
        #expect(found.text == written.text, comment)
        // Compared as text, because NaN does not equal itself.
        #expect("\(found.values)" == "\(written.values)", comment)
    }
}
