import Foundation
import RelationalSchema
import TestDatabase
import Testing

@testable import IndexAdvice

/// Statistics of a store.
@Suite struct StoreSampleTests {
    private func store(rows: Int, _ body: (URL, Schema) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("a?b#c%d.store")
        let schema = Feed().schema
        do {
            let database = try Database(url)
            for statement in schema.statements { try database.run(statement) }
            try database.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows - 1))
                INSERT INTO "Post" ("version$", "title", "date", "likes", "isRead", "kind", "latitude", "longitude", "price")
                SELECT 1, 'title ' || i, i, i % 10, i % 2, i % 5, i / 100, 0, '1' FROM n
                """)
        }
        try body(url, schema)
    }

    @Test func numbersAreNearTheTruth() throws {
        try store(rows: 30_000) { url, schema in
            let before = try Data(contentsOf: url)
            let statistics = SampledStatistics(try StoreSample(ofStoreAt: url), schema)
            #expect(statistics.rowCount(of: "Post") == 30_000 && statistics.rowCount(of: "Author") == 0)
            #expect(statistics.groupCount(of: "Post", ["isRead"]) == 2)
            #expect(statistics.groupCount(of: "Post", ["likes"]) == 10)
            #expect(statistics.groupCount(of: "Post", ["likes", "kind"]) == 10)
            #expect(statistics.groupCount(of: "Post", ["title"]) > 20_000)
            #expect((200...400).contains(statistics.groupCount(of: "Post", ["latitude"])))
            #expect(try Data(contentsOf: url) == before)
            let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            #expect(names == [url.lastPathComponent])
        }
    }

    @Test func smallTablesNeedNoIndex() throws {
        let sql = #"SELECT "id$" FROM "Post" WHERE "title" = ?"#
        for (rows, expected) in [(100, []), (2000, ["Post(title)"])] {
            try store(rows: rows) { url, schema in
                let advisor = IndexAdvisor(schema, sample: try StoreSample(ofStoreAt: url), recording: nil)
                let advice = advisor.advice(on: [AdvisedQuery(origin: .recorded, sql: sql)])
                #expect(advice.summary == expected && advice.findings.first?.reason == nil)
            }
        }
    }

    @Test func whatIsNoStoreIsAnError() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        #expect(throws: StoreSample.Failure.self) { try StoreSample(ofStoreAt: url) }
        try Data("no database at all".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(throws: StoreSample.Failure.self) { try StoreSample(ofStoreAt: url) }
    }
}
