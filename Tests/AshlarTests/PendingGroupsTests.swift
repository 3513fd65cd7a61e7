import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Groups that are computed in the store, with unsaved changes added, equal groups of all objects in memory.
@Suite struct PendingGroupsTests {
    @Test("rows 97, 101: groups of the store and of memory agree", arguments: seeds())
    func storeAndMemoryAgree(_ seed: Seed) throws {
        var random = RandomConditions(seed: seed.number)
        let context = try memoryContext()
        let labels = [Label(name: "a")]
        var samples = (0..<60).map { _ in Sample() }
        for sample in samples { context.insert(sample) }
        for sample in samples { random.change(sample, among: samples, labels) }
        try context.save()
        var count = 0
        for round in 0..<8 {
            for _ in 0..<Int.random(in: 0...8, using: &random.random) {
                random.change(random.pick(samples), among: samples, labels)
            }
            if random.random.oneIn(2) { context.delete(samples.removeLast()) }
            if random.random.oneIn(2) {
                samples.append(Sample())
                context.insert(samples[samples.count - 1])
            }
            for _ in 0..<60 {
                let shape = random.groups()
                guard case .overlay(let changes) = try context.source(of: shape) else { continue }
                let comment = Testing.Comment(rawValue: "seed \(seed), round \(round): \(shape)")
                let added = try #require(try PendingGroups(context, shape, changes)?.rows(), comment)
                var inMemory = try PendingProjection(context, shape)
                let expected = try inMemory.rows()
                #expect(added.map(\.values) == expected.map(\.values), comment)
                #expect(added.map(\.keys) == expected.map(\.keys), comment)
                count += 1
            }
            if random.random.oneIn(2) { try context.save() }
        }
        #expect(count > 60)
    }

    @Test("row 97: no object is made for groups") func noObjectIsMade() throws {
        let setUp = try studioContext()
        let writer = Writer(name: "w")
        for number in 0..<100 {
            setUp.insert(Article(likes: Int64(number), title: "\(number % 10)", writer: writer))
        }
        try setUp.save()
        let context = ModelContext(setUp.container)
        let found = try context.fetch(Article.where { $0.likes < 2 }.order { $0.likes.ascending })
        found[0].title = "new"
        context.delete(found[1])
        context.insert(Article(likes: 1000, title: "2"))
        let before = context.registeredModels.count
        let rows: [(String, Int, Int64, Int64?, Double?)] = try context.fetch(
            Article.group { $0.title }.having { _ in .count > 0 }.order { $0.title.ascending }
                .select { ($0.title, .count, .sum($0.likes), .maximum($0.likes), .average($0.likes)) })
        #expect(rows.map(\.0) == (0..<10).map(String.init) + ["new"])
        #expect(rows.map(\.1) == [9, 9, 11] + Array(repeating: 10, count: 7) + [1])
        #expect(rows[2].2 == 470 - 0 + 1000 && rows[2].3 == 1000 && rows[2].4 == 1470.0 / 11)
        #expect(rows[10].2 == 0 && rows[10].3 == 0)
        let total: [(Int, Int64)] = try context.fetch(Article.select { (.count, .sum($0.likes)) })
        #expect(total.map(\.0) == [100] && total.map(\.1) == [4950 - 1 + 1000])
        #expect(context.registeredModels.count == before)
    }

    /// Texts that are equal in Swift may differ in SQLite, and an integer and a floating-point number may be equal.
    @Test func keysAreEqualAsSQLiteComparesThem() throws {
        let context = try studioContext()
        let texts = ["\u{E9}", "e\u{301}"]
        for text in texts { context.insert(Article(likes: 1, title: text)) }
        try context.save()
        for text in texts { context.insert(Article(likes: 2, title: text)) }
        let rows: [(String, Int, Int64)] = try context.fetch(
            Article.group { $0.title }.order { $0.title.ascending }.select { ($0.title, .count, .sum($0.likes)) })
        #expect(
            rows.map { Array($0.0.utf8) } == texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(rows.map(\.1) == [2, 2] && rows.map(\.2) == [3, 3])
        let keys: [SQLiteValue] = [
            .null, .integer(0), .integer(1), .real(1), .real(1.5), .integer(.max), .real(0x1p63), .text(""),
            .text(texts[0]), .text(texts[1]), .blob(Data()), .blob(Data([1])), .real(-0.0),
        ]
        for (left, right) in keys.flatMap({ left in keys.map { (left, $0) } }) {
            let (first, second) = (ValueGroups.Keys(values: [left]), ValueGroups.Keys(values: [right]))
            #expect((first == second) == (SQLiteValue.compare(left, right) == 0), "\(left), \(right)")
            if first == second { #expect(first.hashValue == second.hashValue, "\(left), \(right)") }
        }
    }

    @Test func sumsBeyond64BitsStayWhole() throws {
        let context = try studioContext()
        context.insert(Article(likes: .max, title: "a"))
        context.insert(Article(likes: .max, title: "a"))
        try context.save()
        context.insert(Article(likes: -.max, title: "a"))
        // The store's part of the sum is beyond the range that it returns exactly.
        let sums = try context.fetch(Article.group { $0.title }.select { .sum($0.likes) })
        #expect(sums == [.max])
    }
}

extension RandomConditions {
    /// A projection of groups whose aggregates can be added up.
    fileprivate mutating func groups() -> ProjectionShape<Sample> {
        let columns = Sample._ashlarColumns
        let keys: [SQLExpression] = [
            columns.title.expression, columns.name.expression, columns.small.expression, columns.flag.expression,
            columns.day.expression, columns.mood.expression, columns.token.expression,
        ]
        let compared = keys + [columns.count.expression, columns.weight.expression]
        func aggregate(_ random: inout RandomConditions) -> SQLExpression {
            switch Int.random(in: 0..<5, using: &random.random) {
            case 0: .groupAggregate(.count, nil, isDistinct: false)
            case 1: .groupAggregate(.count, random.pick(compared), isDistinct: false)
            case 2: .groupAggregate(random.pick([.sum, .average]), columns.small.expression, isDistinct: false)
            default: .groupAggregate(random.pick([.minimum, .maximum]), random.pick(compared), isDistinct: false)
            }
        }
        var descriptor = FetchDescriptor<Sample>()
        if random.oneIn(2) { descriptor.condition = compare(columns.small, pick([0, 1])) }
        var shape = ProjectionShape(descriptor)
        let groups = (0..<Int.random(in: 0...2, using: &random)).map { _ in pick(keys) }
        if !groups.isEmpty { shape.groups = groups }
        shape.columns = groups + (0..<Int.random(in: 1...3, using: &random)).map { _ in aggregate(&self) }
        if random.oneIn(3) {
            shape.columns.append(.arithmetic(aggregate(&self), .add, .value(.integer(1))))
        }
        if random.oneIn(3) {
            let count = SQLExpression.groupAggregate(.count, nil, isDistinct: false)
            shape.having = Condition(.comparison(count, .greater, .value(.integer(1))))
        }
        if random.oneIn(3) {
            shape.descriptor.sortOrders = [ColumnOrder(expression: aggregate(&self), isAscending: true)]
        }
        return shape
    }
}
