import RelationalSchema
import Testing

@testable import IndexAdvice

/// The accesses to a table that SQLite's planner reports for a statement.
@Suite struct TableScanTests {
    private func scans(_ sql: String) throws -> [String] {
        let schema = Feed().schema
        let scans = try ScanProbe(schema).scans(of: sql)
        return scans.map { scan in
            let columns = schema.tables.first { $0.name == scan.tableName }?.columns ?? []
            let terms = scan.terms.map { "\(columns[$0.column].name) \($0.comparison)" }
            let order = scan.order.map { columns[$0.column].name + ($0.isDescending ? " DESC" : "") }
            return "\(scan.tableName): \(terms.joined(separator: ", "))"
                + (order.isEmpty ? "" : " by \(order.joined(separator: ", "))")
        }
    }

    @Test(
        arguments: [
            (
                #"SELECT 1 FROM "Post" WHERE ? = "title" AND "date" > ? AND "likes" < ?"#,
                "Post: title equal, date lower, likes upper"
            ),
            (#"SELECT 1 FROM "Post" WHERE "title" = ? COLLATE NOCASE"#, nil),
            (#"SELECT 1 FROM "Post" WHERE "deletedAt" IS NULL"#, "Post: deletedAt isNull"),
            (#"SELECT 1 FROM "Post" ORDER BY "date" DESC, "title""#, "Post:  by date DESC, title"),
            (
                #"SELECT 1 FROM "Author" JOIN "Post" ON "Post"."author" = "Author"."id$" WHERE "name" = ?"#,
                "Author: name equal"
            ),
            (
                #"SELECT 1 FROM "Post" LEFT JOIN "Author" AS "Post.author" ON "Post.author"."id$" = "Post"."author" WHERE ("Post.author"."name" = ?)"#,
                "Author: name equal"
            ),
            (#"SELECT 1 FROM "Post" WHERE "nothing" = 1"#, nil),
            ("PRAGMA user_version = 5", nil),
        ] as [(String, String?)])
    func terms(_ sql: String, _ expected: String?) throws {
        let scans = try scans(sql)
        if let expected { #expect(scans.contains(expected), "\(scans)") } else { #expect(scans.isEmpty, "\(scans)") }
    }
}
