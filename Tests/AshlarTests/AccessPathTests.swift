import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Every access path returns the same rows: random conditions over R-trees of one to five dimensions, evaluated with
/// each path and in memory.
@Suite struct AccessPathTests {
    @Test(arguments: seeds()) func allPathsGiveTheSame(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = ModelContext(try memoryContainer(AtlasModel.self))
        for number in 0..<300 { context.insert(randomSite(number, &random)) }
        try context.save()
        for _ in 0..<(60 * TestEffort.factor) {
            let condition = randomCondition(&random)
            var descriptor = FetchDescriptor<Site>()
            descriptor.condition = condition
            descriptor.sortOrders = randomOrders(&random)
            if random.oneIn(3) { descriptor.fetchLimit = .random(in: 0...30, using: &random) }
            if random.oneIn(4) { descriptor.fetchOffset = .random(in: 0...10, using: &random) }
            try expectTheSame(descriptor, context, "seed \(seed)")
        }
    }

    @Test(arguments: seeds()) func entitiesBelow(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = ModelContext(try memoryContainer(AtlasModel.self))
        for number in 0..<200 { context.insert(randomSite(number, &random)) }
        try context.save()
        for _ in 0..<(30 * TestEffort.factor) {
            let range = randomRange(&random)
            let edge = randomNumber(&random)
            var stations = Station.where { $0.east.isInBox(range) && $0.north >= edge && $0.x > -1e9 }
            stations.includesSubentities = random.oneIn(2)
            stations.sortOrders = random.oneIn(2) ? Station.order { $0.rank.descending }.sortOrders : []
            try expectTheSame(stations, context, "seed \(seed)")
            try expectTheSame(Terminal.where { $0.east.isInBox(range) && $0.north < edge }, context, "seed \(seed)")
            try expectTheSame(Station.where { $0.byPlace(east: range, north: range) }, context, "seed \(seed)")
        }
    }

    /// Unsaved changes are included with each path.
    @Test(arguments: seeds()) func pendingChanges(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = ModelContext(try memoryContainer(AtlasModel.self))
        for number in 0..<200 { context.insert(randomSite(number, &random)) }
        try context.save()
        for (number, site) in try context.fetch(Site.all).enumerated() {
            if number.isMultiple(of: 7) { site.x = randomNumber(&random) }
            if number.isMultiple(of: 11) { context.delete(site) }
        }
        for number in 0..<20 { context.insert(randomSite(500 + number, &random)) }
        for _ in 0..<(20 * TestEffort.factor) {
            let range = randomRange(&random)
            let descriptor = Site.where { $0.x.isInBox(range) && $0.y >= range.lowerBound }
                .order { $0.rank.ascending }.order { $0.name.ascending }
            let found = try context.fetch(descriptor).map(\.name)
            #expect(try context.fetch(descriptor.notIndexed()).map(\.name) == found, "seed \(seed)")
            #expect(try context.fetch(descriptor.indexed(by: .inTwo)).map(\.name) == found, "seed \(seed)")
            #expect(try context.fetchCount(descriptor.indexed(by: .inTwo)) == found.count, "seed \(seed)")
        }
    }

    /// Compares the results of each access path with evaluating the condition on each object.
    private func expectTheSame<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ context: ModelContext, _ comment: Testing.Comment
    ) throws {
        let entity = Model._ashlarEntity
        let expression = try #require(descriptor.condition).expression
        let columns = BoundedColumns(expression, time: FetchTime())
        let isWholeTable =
            entity.schema.discriminators.isEmpty && (descriptor.includesSubentities || !entity.hasDiscriminator)
        let searches = entity.schema.rtrees.compactMap { BoxSearch($0, columns, isWholeTable: isWholeTable) }
        var all = FetchDescriptor<Model>()
        all.includesSubentities = descriptor.includesSubentities
        var evaluator = ExpressionEvaluator()
        let matching = try context.fetch(all).filter { evaluator.holds(expression, for: $0) }
        let expected = try fetched(descriptor, .scan, context)
        #expect(try fetched(descriptor.unlimited, .scan, context).sorted() == matching.map(\.rowID).sorted(), comment)
        let indexes = entity.indexes.filter { $0.kind == .binary && !$0.isPartial && $0.name.hasPrefix("by") }
        var paths = searches.map(AccessPath.identifiers)
        if !descriptor.sortOrders.isEmpty {
            paths += searches.map(AccessPath.candidates) + indexes.map { AccessPath.index($0.storeName) }
            paths += searches.flatMap { search in indexes.map { AccessPath.indexAmong($0.storeName, search) } }
        }
        for path in paths {
            #expect(try fetched(descriptor, path, context) == expected, comment, sourceLocation: #_sourceLocation)
        }
        #expect(try context.fetchCount(descriptor) == expected.count, comment)
        #expect(try context.exists(descriptor) == !expected.isEmpty, comment)
        if !searches.isEmpty { #expect(try context.fetch(descriptor).map(\.rowID) == expected, comment) }
        for search in searches {
            let index = FetchIndex<Model>(search.index.name)
            #expect(try context.fetch(descriptor.indexed(by: index)).map(\.rowID) == expected, comment)
            #expect(try context.fetchCount(descriptor.unlimited.indexed(by: index)) == matching.count, comment)
            let known = try context.container.pool.read { connection in
                let estimator = try RTreeEstimator(search, connection)
                defer { estimator.end() }
                return try StoreStatistics().statistics(
                    of: search.index, entity.tableName, root: try #require(estimator.root), connection)
            }
            #expect(known.rowCount >= 1 && known.cellsPerNode >= 1, comment)
        }
        let plain = descriptor.fetchLimit == nil && descriptor.fetchOffset == nil
        for search in searches where search.isWholeCondition && plain {
            var unordered = descriptor
            unordered.sortOrders = []
            let sql = try unordered.statement(
                selecting: "count(*)", limit: nil, offset: nil, path: .edges(search))
            let count = try context.container.pool.read { try $0.integer(sql.text, sql.values) }
            #expect(count == Int64(matching.count), comment)
        }
    }

    private func fetched<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ path: AccessPath, _ context: ModelContext
    ) throws -> [Int64] {
        let sql = try descriptor.statement(
            selecting: "\(Model._ashlarEntity.tableName.quotedIdentifier).\"id$\"", limit: descriptor.fetchLimit,
            offset: descriptor.fetchOffset, path: path)
        return try context.container.pool.read { connection in
            try connection.rows(sql.text, sql.values).compactMap { row in
                if case .integer(let rowID)? = row.first { rowID } else { nil }
            }
        }
    }

    // MARK: Random sites and conditions

    /// Numbers of all sizes; 32 bits represent some of them exactly.
    private func randomNumber(_ random: inout SeededGenerator) -> Double {
        let special: [Double] = [
            0, -0.0, Double.leastNonzeroMagnitude, 1e-46, -1e-46, 1.4e-45, 1e-38, 0.1, 0.1 + 1e-12, 16_777_217,
            -16_777_217,
            3.402_823_5e38, 3.402_823_6e38, -3.402_823_6e38, 1e39, -1e39, 1e300, .infinity, -.infinity,
            9_007_199_254_740_992,
        ]
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return special.randomElement(using: &random) ?? 0
        case 1: return Double(Int.random(in: -5...5, using: &random))
        case 2: return Double(Float.random(in: -10...10, using: &random)).nextUp
        default: return .random(in: -10...10, using: &random)
        }
    }

    private func randomRange(_ random: inout SeededGenerator) -> ClosedRange<Double> {
        let ends = [randomNumber(&random), randomNumber(&random)].sorted()
        return ends[0]...ends[1]
    }

    private func randomSite(_ number: Int, _ random: inout SeededGenerator) -> Site {
        let integers: [Int64?] = [nil, 1, 9_007_199_254_740_993, .max, .min, 1 << 60, (1 << 60) - 1]
        let site: Site
        switch Int.random(in: 0..<3, using: &random) {
        case 0: site = Site()
        case 1: site = Station(east: random.oneIn(4) ? nil : randomNumber(&random), north: randomNumber(&random))
        default: site = Terminal(east: randomNumber(&random), north: random.oneIn(4) ? nil : randomNumber(&random))
        }
        site.x = randomNumber(&random)
        site.y = randomNumber(&random)
        site.height = random.oneIn(4) ? nil : Float.random(in: -5...5, using: &random)
        site.opened =
            random.oneIn(4) ? nil : Date(timeIntervalSinceReferenceDate: .random(in: 0...1000, using: &random))
        site.visits =
            random.oneIn(2) ? integers.randomElement(using: &random) ?? nil : Int64.random(in: 0...9, using: &random)
        site.rank = .random(in: 0...20, using: &random)
        site.name = "site \(number)"
        return site
    }

    private func randomOrders(_ random: inout SeededGenerator) -> [ColumnOrder] {
        let choices: [FetchDescriptor<Site>] = [
            Site.all, Site.order { $0.rank.descending }, Site.order { $0.rank.ascending },
            Site.order { $0.name.descending }, Site.order { $0.rank.ascending }.order { $0.name.descending },
            Site.order { $0.x.ascending }, Site.order { $0.country.name.ascending },
            Site.order { $0.persistentModelID.descending },
        ]
        return choices.randomElement(using: &random)?.sortOrders ?? []
    }

    private func randomCondition(_ random: inout SeededGenerator) -> Condition {
        let columns = Site._ashlarColumns
        var terms: [Condition] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let number = randomNumber(&random)
            let range = randomRange(&random)
            let date = Date(timeIntervalSinceReferenceDate: .random(in: 0...1000, using: &random))
            let integers: [Int64] = [1, 5, .max, 9_007_199_254_740_993, (1 << 60) - 1]
            let integer = integers.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<14, using: &random) {
            case 0: terms.append(columns.x >= number)
            case 1: terms.append(columns.x < number)
            case 2: terms.append(columns.y > number && columns.y <= number + 3)
            case 3: terms.append(columns.y == number)
            case 4: terms.append(columns.height > Float.random(in: -5...5, using: &random))
            case 5: terms.append(columns.opened <= date)
            case 6: terms.append(columns.opened >= date && columns.x > -1e38)
            case 7: terms.append(columns.visits >= integer)
            case 8: terms.append(columns.visits < integer)
            case 9: terms.append(columns.inOne(x: range))
            case 10: terms.append(columns.inTwo(x: range, y: randomRange(&random)))
            case 11: terms.append(columns.rank > 10)
            case 12: terms.append(columns.x < number || columns.y > number)
            default: terms.append(!(columns.y < number) && columns.x != number)
            }
        }
        return terms.dropFirst().reduce(terms[0]) { $0 && $1 }
    }
}

extension Column where Value == Double? {
    fileprivate func isInBox(_ range: ClosedRange<Double>) -> Condition {
        self >= range.lowerBound && self <= range.upperBound
    }
}

extension Column where Value == Double {
    fileprivate func isInBox(_ range: ClosedRange<Double>) -> Condition {
        self >= range.lowerBound && self <= range.upperBound
    }
}

extension FetchDescriptor {
    fileprivate var unlimited: Self {
        var result = self
        result.fetchLimit = nil
        result.fetchOffset = nil
        return result
    }
}

extension PersistentModel {
    fileprivate var rowID: Int64 { identifier.rowID }
}
