import Foundation
import RelationalSchema
import Testing

@testable import IndexAdvice

/// Recordings from untrusted sources.
@Suite struct RecordingTests {
    private func line(_ sql: String, count: Int = 1) throws -> String {
        let text = String(decoding: try JSONEncoder().encode(sql), as: UTF8.self)
        return #"{"count":\#(count),"microseconds":1000,"rows":2,"sql":\#(text)}"#
    }

    private func recording(_ lines: [String]) -> StatementRecording {
        StatementRecording(Data(lines.joined(separator: "\n").utf8))
    }

    @Test func linesOfOneStatementAreAddedUp() throws {
        let sql = #"SELECT "title" FROM "Post" WHERE "title" = ?"#
        let delete = #"DELETE FROM "Post" WHERE "title" = ?"#
        let recording = recording([
            try line(sql, count: 2), "", try line(sql, count: 3), try line(#"INSERT INTO "Post" ("title") VALUES (?)"#),
            try line(delete), try line(#"UPDATE "Post" SET "title" = ?"#, count: 4),
        ])
        #expect(
            recording.queries.first { $0.sql == sql }?.usage == RecordedUsage(count: 5, seconds: 0.002, rowCount: 4))
        #expect(recording.queries.count == 3 && recording.unreadableLineCount == 0)
        #expect(recording.writes == ["Post": 6])
    }

    @Test func whatIsNoStatementIsCounted() throws {
        let recording = recording([
            "garbage", "{}", "[1]", "\u{0}\u{1}", #"{"sql":"SELECT 1","count":-1,"microseconds":1,"rows":0}"#,
            #"{"sql":"SELECT 1","count":1,"microseconds":-1,"rows":0}"#, try line("PRAGMA user_version = 7"),
            try line("ATTACH '/tmp/x' AS x"), try line(""),
            #"{"sql":"SELECT 1","count":1e400,"microseconds":1,"rows":0}"#,
            String(repeating: "[", count: 100_000),
        ])
        #expect(recording.queries.isEmpty && recording.unreadableLineCount == 11)
        let large = try self.recording([line("SELECT 1", count: .max), line("SELECT 1", count: .max)])
        #expect(large.queries.first?.usage?.count == .max)
    }

    /// No statement of a recording is run, and none keeps the planner busy.
    @Test(arguments: [
        #"SELECT "old" FROM "Post""#, #"SELECT 1; DROP TABLE "Post""#, #"SELECT load_extension('/tmp/x')"#,
        #"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"#,
        #"SELECT * FROM pragma_user_version"#, #"WITH x AS (SELECT 1) DELETE FROM "Post""#,
        #"INSERT INTO "Post" ("title") VALUES ('x')"#, #"SELECT writefile('/tmp/ashlar-x', 'x')"#,
        #"DELETE FROM sqlite_schema"#, "SELECT", "SELECT (", "/* */ SELECT 1 -- x", "DELETE", "SELECT 1 /*",
        "SELECT " + String(repeating: "(", count: 5000) + "1", "SELECT 'x\u{0}y'",
        "SELECT " + (0..<3000).map { "f\($0)()" }.joined(separator: ","),
        "SELECT 1" + String(repeating: " UNION ALL SELECT 1", count: 600),
        #"SELECT 1 FROM "# + (0..<80).map { #""Post" AS "a\#($0)""# }.joined(separator: ", "),
        String(repeating: "SELECT ", count: 200_000),
    ])
    func hostileStatements(_ sql: String) throws {
        let schema = Feed().schema
        let advice = Feed().advice(on: [sql, #"SELECT "id$" FROM "Post" WHERE "title" = ?"#])
        #expect(advice.summary == ["Post(title)"])
        #expect(advice.findings.count + advice.skipped.count == 2)
        let database = try PlannerDatabase()
        try database.create(schema)
        _ = try? database.plan(of: sql)
        #expect(try database.integers(#"SELECT count(*) FROM "Post""#) == [0])
        #expect(!FileManager.default.fileExists(atPath: "/tmp/ashlar-x"))
    }

    @Test func statementsOfAnotherVersionAreSkipped() {
        let advice = Feed().advice(on: [#"SELECT "Post"."old" FROM "Post""#])
        #expect(advice.skipped.map(\.reason) == ["no such column: Post.old"] && advice.findings.isEmpty)
    }

    @Test func aFileThatIsMissingIsAnError() {
        #expect(throws: StatementRecording.Failure.self) {
            try StatementRecording(contentsOf: [URL(fileURLWithPath: "/nowhere/queries.jsonl")])
        }
    }
}
