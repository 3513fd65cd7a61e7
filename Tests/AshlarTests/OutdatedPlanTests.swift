import Foundation
import Testing

@testable import Ashlar

/// Plans with an index that another program dropped: the next query finds its rows in another way.
@Suite struct OutdatedPlanTests {
    private let folder: TemporaryFolder
    private let container: ModelContainer
    private let context: ModelContext

    /// 5,000 sites in a square of 1,000 by 1,000, with ranks in no order.
    init() throws {
        folder = try TemporaryFolder()
        container = try ModelContainer(for: AtlasModel.self, at: folder.file())
        context = ModelContext(container)
        try container.execute(
            """
            WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
            INSERT INTO Site (x, y, rank, name, country)
            SELECT n * 7919 % 1000, n * 104729 % 5000 / 5.0, n * 31 % 5003, 'site ' || n % 100, NULL FROM n
            """)
    }

    private func box(_ side: Double) -> FetchDescriptor<Site> {
        Site.where { $0.x.isIn(0...side) && $0.y.isIn(0...side) }
    }

    private func drop(_ statement: String) throws {
        try ForeignDatabase.connect(folder.file()).execute(statement)
    }

    /// The results of every kind of query, each with a plan of its own.
    private func results(_ query: FetchDescriptor<Site>) async throws -> [[Int64]] {
        let ordered = query.order { $0.rank.descending }
        return [
            try context.fetch(ordered).map(\.identifier.rowID),
            try context.fetch(ordered.limit(20)).map(\.identifier.rowID),
            try context.fetchValues(ordered).map { Int64($0.rank) },
            try context.fetchIdentifiers(ordered).map(\.rowID),
            [Int64(try context.fetchCount(query)), Int64(try context.fetchCount(ordered.limit(7)))],
            [try context.exists(query) ? 1 : 0],
            try context.fetch(ordered.select { $0.rank }).map { Int64($0) },
            try context.fetch(query.group { $0.name }.select { _ in .count }).map { Int64($0) }.sorted(),
            try await container.fetchValues(ordered).map { Int64($0.rank) },
        ]
    }

    @Test("A query that was planned with an R-tree outlives it") func rtree() async throws {
        let queries = [box(30), box(300), box(900), Site.where { $0.inTwo(x: 0...50, y: 0...50) }]
        var before: [[[Int64]]] = []
        // Twice, so that plans and statements are kept.
        for _ in 0..<2 { before = try await results(queries) }
        #expect(try box(30).explain(in: context).joined().contains("VIRTUAL"))
        try drop("DROP TABLE \"rtree$Site$inTwo\"")
        for _ in 0..<2 {
            let after = try await results(queries)
            #expect(after == before)
        }
        for query in queries {
            let plan = try query.explain(in: context).joined()
            #expect(!plan.contains("VIRTUAL"), "\(plan)")
        }
    }

    @Test("A query that was planned with an index outlives it") func index() async throws {
        let queries = [box(800), box(1000), box(400).where { $0.rank > 4990 }]
        var before: [[[Int64]]] = []
        for _ in 0..<2 { before = try await results(queries) }
        let walk = box(1000).order { $0.rank.descending }.limit(20)
        #expect(try walk.explain(in: context).joined().contains("byRank"))
        try drop("DROP INDEX \"index$Site$byRank\"")
        for _ in 0..<2 {
            let after = try await results(queries)
            #expect(after == before)
        }
        #expect(try !walk.explain(in: context).joined().contains("byRank"))
    }

    @Test("A plan that was just made is explained without what is no more") func explaining() throws {
        let query = box(30)
        #expect(try query.explain(in: context).joined().contains("VIRTUAL"))
        try drop("DROP TABLE \"rtree$Site$inTwo\"")
        // If a query is explained and not run, SQLite does not detect that the schema changed.
        #expect(try context.fetchCount(Country.all) == 0)
        #expect(try !query.explain(in: context).joined().contains("VIRTUAL"))
        #expect(try !query.select { $0.rank }.explain(in: context).joined().contains("VIRTUAL"))
    }

    @Test("An index that a query asks for must be there") func forced() throws {
        let query = box(30).indexed(by: .inTwo)
        #expect(try context.fetchCount(query) > 0)
        try drop("DROP TABLE \"rtree$Site$inTwo\"")
        #expect(throws: StoreError.self) { try context.fetchCount(query) }
    }

    private func results(_ queries: [FetchDescriptor<Site>]) async throws -> [[[Int64]]] {
        var all: [[[Int64]]] = []
        for query in queries { all.append(try await results(query)) }
        return all
    }
}
