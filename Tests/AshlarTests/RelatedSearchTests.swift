import AshlarCoreData
import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Conditions on related objects whose coordinates are in an R-tree have the same result in SQL and in memory,
/// however their rows are found.
@Suite struct RelatedSearchTests {
    @Test("Searched, looked at and evaluated in memory", arguments: seeds()) func allWaysGiveTheSame(seed: Seed) throws
    {
        var random = SeededGenerator(seed: seed)
        let context = ModelContext(try memoryContainer(AtlasModel.self))
        try fill(context, &random)
        for number in 0..<(60 * TestEffort.factor) {
            let comment = Testing.Comment(rawValue: "seed \(seed), \(number)")
            var countries = FetchDescriptor<Country>()
            countries.condition = countryCondition(&random)
            if random.oneIn(2) { countries = countries.order { $0.name.ascending } }
            if random.oneIn(3) { countries.fetchLimit = .random(in: 0...5, using: &random) }
            try expectTheSame(countries, context, comment)
            var sites = FetchDescriptor<Site>()
            sites.condition = siteCondition(&random)
            if random.oneIn(2) { sites = sites.order { $0.rank.descending } }
            try expectTheSame(sites, context, comment)
        }
    }

    @Test("With changes that are not saved", arguments: seeds()) func pendingChanges(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = ModelContext(try memoryContainer(AtlasModel.self))
        try fill(context, &random)
        let countries = try context.fetch(Country.all)
        for (number, site) in try context.fetch(Site.all).enumerated() {
            if number.isMultiple(of: 7) { site.x = coordinate(&random) }
            if number.isMultiple(of: 5) { site.country = countries.randomElement(using: &random) }
            if number.isMultiple(of: 11) { context.delete(site) }
        }
        for _ in 0..<(30 * TestEffort.factor) {
            var descriptor = FetchDescriptor<Country>()
            descriptor.condition = countryCondition(&random)
            var evaluator = ExpressionEvaluator()
            let expression = try #require(descriptor.condition).expression
            let expected = countries.filter { evaluator.holds(expression, for: $0) }
            #expect(try Set(context.fetch(descriptor)) == Set(expected), "seed \(seed): \(expression)")
            #expect(try context.fetchCount(descriptor) == expected.count, "seed \(seed)")
        }
    }

    @Test("Few that match are found by the R-tree, many are looked at") func choice() throws {
        let container = try memoryContainer(AtlasModel.self)
        let context = ModelContext(container)
        try container.execute(
            """
            WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 500)
            INSERT INTO Country (name) SELECT 'country ' || n FROM n;
            WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
            INSERT INTO Site (x, y, rank, name, country)
            SELECT n * 7919 % 1000 + n / 20000.0, n * 104729 % 20000 / 20.0, n, 'site ' || n, 1 + n * 31 % 500 FROM n;
            """)
        func box(_ side: Double) -> FetchDescriptor<Country> {
            Country.where { $0.sites.contains { $0.x.isIn(0...side) && $0.y.isIn(0...side) } }
        }
        func usesRTree<Model>(_ descriptor: FetchDescriptor<Model>) throws -> Bool {
            try descriptor.explain(in: context).joined(separator: "; ").contains("VIRTUAL TABLE INDEX")
        }
        #expect(try usesRTree(box(30)))
        #expect(try usesRTree(box(30).order { $0.name.ascending }.limit(3)))
        #expect(try !usesRTree(box(900)))
        #expect(try !usesRTree(box(30).notIndexed()))
        let first = try context.fetchFirst(Country.all)
        #expect(try !usesRTree(box(100).where { $0 == first }))
        // Of many matches, the first few are found soon without the R-tree.
        #expect(try usesRTree(box(200)))
        #expect(try !usesRTree(box(200).limit(2)))
        let predicate = #Predicate<Country> { country in
            country.sites.contains { $0.x >= 10.0 && $0.x <= 20.0 && $0.y >= 10.0 && $0.y <= 40.0 }
        }
        #expect(try usesRTree(FetchDescriptor(predicate: predicate)))
        for format in [
            "ANY sites.x BETWEEN {1, 1.5}", "SUBQUERY(sites, $s, $s.x BETWEEN {10, 20} AND $s.y < 40).@count > 0",
        ] {
            let descriptor = try FetchDescriptor<Country>(format: format)
            #expect(try usesRTree(descriptor), "\(format)")
            #expect(try context.fetchCount(descriptor) == context.fetch(descriptor.notIndexed()).count)
        }
        for side in [10.0, 30, 100, 400, 900] {
            #expect(try context.fetchCount(box(side)) == context.fetch(box(side).notIndexed()).count)
            #expect(try context.exists(box(side)) == (context.fetchCount(box(side).notIndexed()) > 0))
        }
        #expect(try context.fetch(box(30).select { $0.name }).count == context.fetchCount(box(30)))
    }

    @Test("The same query with other values is no new statement", arguments: seeds(1))
    func knownStatements(seed: Seed) throws {
        let context = ModelContext(try memoryContainer(AtlasModel.self))
        var random = SeededGenerator(seed: seed)
        try fill(context, &random)
        for number in 0..<40 {
            let side = Double(number % 20)
            let query = Country.where { $0.sites.contains { $0.inTwo(x: -side...side, y: -5...5) && $0.rank > 2 } }
            let again = Country.where {
                $0.sites.filter { $0.inTwo(x: -side...side, y: -5...5) && $0.rank > 2 }.count > 0
            }
            let expected = try context.fetch(query.notIndexed()).count
            for _ in 0..<3 {
                #expect(try context.fetch(query).count == expected)
                #expect(try context.fetch(again).count == expected)
            }
        }
    }

    @Test("Without the R-tree, which another program dropped, objects are looked at", arguments: seeds(1))
    func missingTree(seed: Seed) throws {
        let folder = try TemporaryFolder()
        let context = ModelContext(try ModelContainer(for: AtlasModel.self, at: folder.file()))
        var random = SeededGenerator(seed: seed)
        try fill(context, &random)
        let queries = [
            Country.where { $0.sites.contains { $0.inTwo(x: -1...1, y: -1...1) } },
            Country.where { $0.sites.contains { $0.x.isIn(0...1) && $0.y.isIn(0...5) } },
            Country.where { !$0.sites.contains { $0.x > 1 } && $0.sites.contains { $0.inTwo(x: -9...9, y: -1...1) } },
        ]
        var expected: [Int] = []
        for _ in 0..<2 { expected = try queries.map { try context.fetch($0).count } }
        try ForeignDatabase.connect(folder.file()).execute("DROP TABLE \"rtree$Site$inTwo\"")
        for _ in 0..<2 { #expect(try queries.map { try context.fetch($0).count } == expected) }
        #expect(try queries.map { try context.fetchCount($0) } == expected)
    }

    /// Compares the results of each way with the objects that satisfy the condition.
    private func expectTheSame<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ context: ModelContext, _ comment: Testing.Comment
    ) throws {
        let expression = try #require(descriptor.condition).expression
        var evaluator = ExpressionEvaluator()
        let expected = try context.fetch(FetchDescriptor<Model>()).filter { evaluator.holds(expression, for: $0) }
        var unlimited = descriptor
        unlimited.fetchLimit = nil
        let planner = RelatedSearchPlanner(
            expression, of: Model._ashlarEntity, orders: [], .rows(limit: nil), FetchTime())
        for uses in [true, false] {
            var forced = unlimited
            forced.condition = Condition(planner.plan(expression) { _, _ in uses })
            let sql = try forced.statement(selecting: Model._ashlarEntity.selectedIdentifier, limit: nil, offset: nil)
            let rows = try context.container.pool.read { try $0.rows(sql.text, sql.values) }
            let found = rows.compactMap { row in if case .integer(let rowID)? = row.first { rowID } else { nil } }
            #expect(found.sorted() == expected.map(\.identifier.rowID).sorted(), comment)
        }
        #expect(try Set(context.fetch(unlimited)) == Set(expected), comment)
        #expect(try Set(context.fetch(unlimited.notIndexed())) == Set(expected), comment)
        let count = min(expected.count, descriptor.fetchLimit ?? .max)
        // Anything that is kept from the first count must be valid for the second.
        for _ in 0..<3 { #expect(try context.fetchCount(descriptor) == count, comment) }
        #expect(try context.fetch(descriptor).count == count, comment)
        #expect(try context.exists(descriptor) == (count > 0), comment)
    }

    // MARK: Random objects and conditions

    private func fill(_ context: ModelContext, _ random: inout SeededGenerator) throws {
        let countries = (0..<40).map { Country(name: "country \($0)") }
        for country in countries { context.insert(country) }
        for number in 0..<200 {
            let site = number.isMultiple(of: 9) ? Station(east: coordinate(&random), north: nil) : Site()
            context.insert(site)
            site.x = coordinate(&random)
            site.y = coordinate(&random)
            site.height = random.oneIn(4) ? nil : Float(coordinate(&random))
            site.rank = .random(in: 0...5, using: &random)
            site.name = "site \(number)"
            if !random.oneIn(5) { site.country = countries.randomElement(using: &random) }
        }
        for _ in 0..<60 {
            let start = coordinate(&random)
            let event = Event(end: start + .random(in: 0...5, using: &random), start: start)
            context.insert(event)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                if let country = countries.randomElement(using: &random) { event.countries.append(country) }
            }
        }
        try context.save()
    }

    private func coordinate(_ random: inout SeededGenerator) -> Double {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: Double(Int.random(in: -5...5, using: &random))
        case 1: Double(Float.random(in: -10...10, using: &random)).nextUp
        default: .random(in: -10...10, using: &random)
        }
    }

    private func range(_ random: inout SeededGenerator) -> ClosedRange<Double> {
        let ends = [coordinate(&random), coordinate(&random)].sorted()
        return ends[0]...ends[1]
    }

    private func countryCondition(_ random: inout SeededGenerator) -> Condition {
        let columns = Country._ashlarColumns
        let condition = searched(columns, &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return condition && columns.name > "country 2"
        case 1: return condition && searched(columns, &random)
        case 2: return condition || columns.name == "country 7"
        case 3: return !condition
        case 4: return condition && !searched(columns, &random)
        default: return condition
        }
    }

    private func siteCondition(_ random: inout SeededGenerator) -> Condition {
        let columns = Site._ashlarColumns
        let condition = searched(columns.country, &random)
        let (x, y) = (range(&random), range(&random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return condition && columns.x.isIn(x)
        case 1: return columns.inTwo(x: x, y: y) && condition
        case 2: return columns.inTwo(x: x, y: y) || condition
        default: return condition
        }
    }

    /// A condition about the objects of a relationship.
    private func searched(_ columns: Columns<Country>, _ random: inout SeededGenerator) -> Condition {
        var copy = random
        defer { random = copy }
        let site = { (site: Columns<Site>) in self.siteCondition(site, columns, &copy) }
        let event = { (event: Columns<Event>) in self.eventCondition(event, &copy) }
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1, 2: return columns.sites.contains(where: site)
        case 3: return columns.sites.filter(site).count > 0
        case 4: return columns.sites.filter(site).count >= 1
        case 5: return columns.sites.filter(site).count != 0
        case 6: return columns.sites.filter(site).count >= 2
        case 7: return columns.sites.filter(site).contains { $0.y > -5 }
        case 8: return columns.sites.allSatisfy(site)
        case 9: return columns.events.contains(where: event)
        default: return columns.events.filter(event).count > 0
        }
    }

    private func siteCondition(
        _ columns: Columns<Site>, _ country: Columns<Country>, _ random: inout SeededGenerator
    ) -> Condition {
        let (x, y) = (range(&random), range(&random))
        let number = coordinate(&random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return columns.x.isIn(x) && columns.y.isIn(y)
        case 1: return columns.x >= number && columns.y < number
        case 2: return columns.inTwo(x: x, y: y)
        case 3: return columns.inTwo(x: x, y: y) && columns.rank > 2
        case 4: return columns.inThree(x: x, y: y, height: -5...5)
        case 5: return columns.x > number && columns.height <= 3
        // The country of the condition differs from row to row.
        case 6: return columns.x.isIn(x) && columns.y < country.sites.count.asDouble
        case 7: return columns.inTwo(x: x, y: y) || columns.rank == 1
        case 8: return columns.x.isIn(x) && columns.country.name > "country 3"
        default: return columns.y >= number && columns.country.sites.contains { $0.x < number && $0.y > 0 }
        }
    }

    private func eventCondition(_ columns: Columns<Event>, _ random: inout SeededGenerator) -> Condition {
        let span = range(&random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return columns.start <= span.upperBound && columns.end >= span.lowerBound
        case 1: return columns.bySpan(start: span, end: range(&random))
        default: return columns.start.isIn(span) && columns.rank == 0
        }
    }
}
