import AshlarCoreData
import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Synchronization
import Testing

@_spi(Generated) @testable import Ashlar

/// The access path that the planner chooses for the rows of a box.
@Suite struct AccessPlannerTests {
    private let context: ModelContext

    /// 20,000 sites in a square of 1,000 by 1,000, with ranks in no order.
    init() throws {
        context = ModelContext(try memoryContainer(AtlasModel.self))
        try context.container.execute(
            """
            WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
            INSERT INTO Site (x, y, rank, name, country)
            SELECT n * 7919 % 1000 + n / 20000.0, n * 104729 % 20000 / 20.0, n * 31 % 20011, 'site ' || n % 100, NULL FROM n
            """)
    }

    private func box(_ side: Double) -> FetchDescriptor<Site> {
        Site.where { $0.x.isIn(0...side) && $0.y.isIn(0...side) }
    }

    private func plan<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> String {
        try descriptor.explain(in: context).joined(separator: "; ")
    }

    @Test("A box uses its R-tree without being told to") func automatic() throws {
        let few = try plan(box(30).order { $0.rank.descending })
        #expect(few.contains("VIRTUAL TABLE INDEX") && few.contains("USE TEMP B-TREE"), "\(few)")
        #expect(try plan(box(30)).contains("VIRTUAL TABLE INDEX"))
        let half = try plan(box(800))
        #expect(half.contains("SCAN Site") && !half.contains("VIRTUAL"), "\(half)")
    }

    @Test("The first of many come from the index in their order, of few from the R-tree") func first() throws {
        let many = try plan(box(800).order { $0.rank.descending }.limit(20))
        #expect(many.contains("byRank") && !many.contains("VIRTUAL") && !many.contains("TEMP"), "\(many)")
        #expect(try plan(box(800).order { $0.rank.ascending }.limit(20)) == many)
        let few = try plan(box(30).order { $0.rank.descending }.limit(20))
        #expect(few.contains("VIRTUAL TABLE INDEX"), "\(few)")
        // No index is sorted by visits.
        let other = try plan(box(200).order { $0.visits.descending }.limit(20))
        #expect(other.contains("VIRTUAL TABLE INDEX"), "\(other)")
    }

    @Test("An order in which the rows of the box are the last is left for the R-tree") func detour() async throws {
        let container = try memoryContainer(AtlasModel.self)
        let context = ModelContext(container)
        // The ranks rise from west to east.
        try container.execute(
            """
            WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
            INSERT INTO Site (x, y, rank, name, country)
            SELECT n / 20.0, n * 7919 % 1000, n, 'site ' || n % 100, NULL FROM n
            """)
        let query = Site.where { $0.x.isIn(0...100) && $0.y.isIn(0...1000) }.order { $0.rank.descending }.limit(20)
        let plan = try query.explain(in: context).joined()
        #expect(plan.contains("byRank"), "\(plan)")
        let expected = try context.fetch(query.notIndexed()).map(\.rank)
        #expect(expected == (0..<20).map { 2000 - $0 })
        let recorder = StatementRecorder()
        context.statementObserver = StatementObserver { recorder.add($0.sql) }
        #expect(try context.fetch(query).map(\.rank) == expected)
        #expect(try context.fetchValues(query).map(\.rank) == expected)
        #expect(try context.fetchIdentifiers(query) == context.fetchIdentifiers(query.notIndexed()))
        #expect(try context.fetch(query.select { $0.rank }) == expected)
        #expect(try context.fetchCount(query) == 20)
        #expect(try context.fetch(query.offset(5)).map(\.rank) == (5..<25).map { 2000 - $0 })
        // The count needs no order, and the first rows that it reads are in the box.
        #expect(recorder.statements.count { $0.contains("rtree$Site$inTwo") } == 5, "\(recorder.statements)")
        #expect(try await container.fetchValues(query).map(\.rank) == expected)
        // A walk of the index that finds enough rows in time does not fall back to the R-tree.
        let early = Site.where { $0.x.isIn(900...1000) && $0.y.isIn(0...1000) }.order { $0.rank.descending }.limit(20)
        let before = recorder.statements.count
        #expect(try context.fetch(early).map(\.rank) == (0..<20).map { 20_000 - $0 })
        #expect(recorder.statements.count == before + 1)
    }

    @Test("The very same query is not planned anew each time, and is at last") func recentPlans() throws {
        let container = try memoryContainer(AtlasModel.self)
        let context = ModelContext(container)
        let query = Site.where { $0.inTwo(x: 0...100, y: 0...100) }
        #expect(try context.fetch(query).isEmpty)
        let recent = container.statistics.recentPlans
        for number in 1...60 {
            let site = Site()
            context.insert(site)
            site.x = Double(number % 30)
            try context.save()
            let other = Double(number)
            #expect(try context.fetch(query).count == number)
            #expect(try context.fetchCount(query) == number)
            #expect(try context.fetch(query.limit(5)).count == min(number, 5))
            let bounded = Site.where { $0.inTwo(x: 0...other, y: 0...100) }
            #expect(try context.fetchCount(bounded) == context.fetch(bounded.notIndexed()).count)
        }
        #expect(recent.planned > 60 && recent.planned < 60 * 4)
    }

    @Test("Another index that finds fewer rows is used instead") func otherIndexes() throws {
        let named = try plan(box(500).where { $0.name == "site 7" })
        #expect(named.contains("byName"), "\(named)")
        #expect(try plan(box(20).where { $0.name == "site 7" }).contains("VIRTUAL TABLE INDEX"))
        let ranked = try plan(box(500).where { $0.rank > 20_000 })
        #expect(ranked.contains("byRank"), "\(ranked)")
        #expect(
            try context.fetchCount(box(500).where { $0.rank > 20_000 })
                == context.fetch(
                    box(500).where { $0.rank > 20_000 }.notIndexed()
                ).count)
        let known = try plan(box(500).where { $0.persistentModelID.isIn([]) })
        #expect(!known.contains("VIRTUAL"), "\(known)")
    }

    @Test("The planner's choice is forced and forbidden") func forced() throws {
        #expect(try plan(box(900).indexed(by: .inTwo)).contains("VIRTUAL TABLE INDEX"))
        #expect(try plan(box(900).indexed(by: .inOne)).contains("VIRTUAL TABLE INDEX"))
        #expect(try plan(box(30).indexed(by: .byName)).contains("USING INDEX index$Site$byName"))
        #expect(try plan(box(30).notIndexed()) == "SCAN Site")
        let predicate = #Predicate<Site> { $0.x > 10 && $0.x < 12 }
        #expect(try plan(FetchDescriptor(predicate: predicate).indexed(by: FetchIndex("inOne"))).contains("VIRTUAL"))
        #expect(throws: FetchError.unknownIndex(entity: "Site", index: "byPlace")) {
            try context.fetch(box(1).indexed(by: FetchIndex("byPlace")))
        }
        // Neither condition bounds the columns that may be NULL.
        for condition in [Site.where { $0.rank == 1 }, box(1)] {
            #expect(throws: FetchError.unusableIndex(entity: "Site", index: "inFive")) {
                try context.fetch(condition.indexed(by: .inFive))
            }
        }
        // Repeated, because a refused statement is not cached.
        for _ in 0..<3 {
            #expect(throws: FetchError.unusableIndex(entity: "Event", index: "highRanks")) {
                try context.fetch(Event.where { $0.rank > 7 }.indexed(by: .highRanks))
            }
        }
    }

    @Test("Counts and projections use it too") func counts() throws {
        let observer = try observed { context in
            _ = try context.fetchCount(box(500))
            _ = try context.exists(box(30))
            _ = try context.fetch(box(30).select { $0.rank })
            _ = try context.fetch(box(30).group { $0.name }.select { ($0.name, .count) })
            _ = try context.fetchIdentifiers(box(30))
            _ = try context.fetchValues(box(30))
        }
        #expect(observer.count == 6 && observer.allSatisfy { $0.contains("rtree$Site$inTwo") }, "\(observer)")
        #expect(try context.fetchCount(box(500)) == context.fetch(box(500).notIndexed()).count)
    }

    /// The statements that a closure runs, without those of the planner.
    private func observed(_ body: (ModelContext) throws -> Void) throws -> [String] {
        let recorder = StatementRecorder()
        let context = ModelContext(context.container)
        context.statementObserver = StatementObserver { recorder.add($0.sql) }
        try body(context)
        return recorder.statements
    }

    @Test("All front ends make boxes") func frontEnds() throws {
        let typed = Site.where { $0.x >= 1 && $0.x <= 2 && $0.y >= 3 && $0.y <= 4 }
        let range = 1.0...2.0
        let compared = #Predicate<Site> { site in
            site.x >= 1.0 && site.x <= 2.0 && site.y >= 3.0 && site.y <= 4.0
        }
        let contained = #Predicate<Site> { site in range.contains(site.x) && 3.0 <= site.y && 4.0 >= site.y }
        let forms: [FetchDescriptor<Site>] = [
            typed, Site.where { $0.inTwo(x: 1...2, y: 3...4) }, Site.where { $0.x.isIn(1...2) && $0.y.isIn(3...4) },
            FetchDescriptor(predicate: compared), FetchDescriptor(predicate: contained),
            try FetchDescriptor(format: "x BETWEEN {1, 2} AND y >= 3 AND y <= 4"),
            try FetchDescriptor(format: "x BETWEEN %@ AND 3 <= y AND y =< 4", [1.0, 2.0]),
        ]
        let expected = try bounds(typed)
        #expect(expected.count == 2)
        for form in forms { #expect(try bounds(form) == expected) }
    }

    private func bounds(_ descriptor: FetchDescriptor<Site>) throws -> [String: ColumnBounds] {
        let columns = BoundedColumns(try #require(descriptor.condition).expression, time: FetchTime())
        #expect(!columns.says(moreThanOf: ["x", "y"]))
        return ["x": try #require(columns.bounds(of: "x")), "y": try #require(columns.bounds(of: "y"))]
    }

    @Test("Estimates are near the truth", arguments: seeds()) func estimates(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<(40 * TestEffort.factor) {
            let (x, y) = (Double.random(in: 0...1000, using: &random), Double.random(in: 0...1000, using: &random))
            let (width, height) = (
                Double.random(in: 0...600, using: &random), Double.random(in: 0...600, using: &random)
            )
            let descriptor = Site.where { $0.x.isIn(x...(x + width)) && $0.y.isIn(y...(y + height)) }
            let truth = Double(try context.fetchCount(descriptor.notIndexed()))
            let entity = Site._ashlarEntity
            let columns = BoundedColumns(try #require(descriptor.condition).expression, time: FetchTime())
            let rtree = try #require(entity.schema.rtrees.first { $0.index.name == "inTwo" })
            let search = try #require(BoxSearch(rtree, columns))
            try context.container.pool.read { connection in
                let estimator = try RTreeEstimator(search, connection)
                defer { estimator.end() }
                let known = try context.container.statistics.statistics(
                    of: rtree.index, "Site", root: try #require(estimator.root), connection)
                #expect(abs(known.rowCount - 20_000) < 200, "\(known)")
                let cells = known.cellsPerNode
                let found = try estimator.estimate(
                    cellsPerNode: cells, isEnough: { _ in false }, nodeLimit: { _ in 40 })
                // Sites lie in clusters, and a box may cut off any part of one.
                let limits = (truth * 0.6 - 60)...(truth * 1.6 + 60)
                #expect(limits.contains(found.likely), "seed \(seed): \(found) of \(truth)")
                let exact = try estimator.estimate(
                    cellsPerNode: cells, isEnough: { _ in false }, nodeLimit: { _ in .max })
                #expect(abs(exact.likely - truth) < truth * 0.5 + 60, "seed \(seed): \(exact) of \(truth)")
            }
        }
    }

    /// If another program dropped the R-tree, rows are found another way.
    @Test func aMissingTree() throws {
        let context = ModelContext(try memoryContainer(AtlasModel.self))
        context.insert(Event(end: 2, start: 1))
        try context.save()
        try context.container.execute("DROP TABLE \"rtree$Event$bySpan\"")
        #expect(try context.fetchCount(Event.where { $0.start < 2 && $0.end > 1 }) == 1)
    }
}

/// Records the statements that contexts run.
private final class StatementRecorder: Sendable {
    private let texts = Mutex<[String]>([])

    var statements: [String] { texts.withLock { $0 } }

    func add(_ statement: String) { texts.withLock { $0.append(statement) } }
}
