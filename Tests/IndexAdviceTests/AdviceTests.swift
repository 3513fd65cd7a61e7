import DataModel
import Foundation
import RelationalSchema
import Testing

@testable import IndexAdvice

/// Advice for queries of many shapes.
@Suite struct AdviceTests {
    @Test(
        "row 171: what is advised for templates",
        arguments: [
            ("title == $title", ["Post(title)"]),
            ("title IN $titles", ["Post(title)"]),
            ("title BEGINSWITH $start", ["Post(title)"]),
            ("date > $date", ["Post(date)"]),
            ("date BETWEEN $range", ["Post(date)"]),
            ("price == $price", ["Post(price)"]),
            ("NOT (title == $title)", []),
            ("title CONTAINS $text", []),
            ("title LIKE[cd] $text", []),
            ("author == $author", []),
            ("author.name == $name", ["Author(name)"]),
            ("ANY author.posts.title == $title", []),
            // The most selective attribute comes first, and the others are not worth the space.
            ("isRead == NO AND title == $title", ["Post(title)"]),
            ("kind == $kind AND date > $date", ["Post(kind, date)"]),
            // SQLite finds half of the rows faster without an index.
            ("isRead == YES", []),
            ("latitude BETWEEN $a AND longitude BETWEEN $b", ["Post(latitude, longitude) R-tree"]),
            (
                "latitude >= $a AND latitude < $b AND longitude > $c AND longitude < $d AND title CONTAINS $e",
                ["Post(latitude, longitude) R-tree"]
            ),
            // Spans that overlap another.
            ("latitude <= $end AND longitude >= $start", ["Post(latitude, longitude) R-tree"]),
            // Attributes that are not numbers, conditions without a range, and alternatives.
            ("latitude BETWEEN $a AND price BETWEEN $b", ["Post(latitude)"]),
            ("latitude BETWEEN $a AND likes > $b", ["Post(latitude)"]),
            ("date > $a AND latitude > $b", ["Post(date)"]),
            ("(latitude BETWEEN $a AND longitude BETWEEN $b) OR title CONTAINS $c", []),
            ("title == $t AND latitude BETWEEN $a AND longitude BETWEEN $b", ["Post(title)"]),
            // Each side of OR needs its own index.
            ("title == $title OR date == $date", ["Post(date)", "Post(title)"]),
            ("title == $title OR title CONTAINS $text", []),
            ("", []),
        ] as [(String, [String])])
    func templates(_ predicate: String, _ expected: [String]) {
        let feed = Feed(templates: [predicate])
        #expect(feed.advice.summary == expected)
        #expect(feed.following(feed.advice).advice.summary == [])
    }

    @Test(
        arguments: [
            (#"SELECT "id$" FROM "Post" ORDER BY "date" LIMIT ?"#, ["Post(date)"]),
            (
                #"SELECT "title" FROM "Post" WHERE "author" = ? ORDER BY "date" DESC, "likes""#,
                ["Post(author, date DESC, likes)"]
            ),
            (#"SELECT "title" FROM "Post" WHERE "author" = ? ORDER BY "date" DESC"#, ["Post(author, date)"]),
            (
                #"SELECT "title" FROM "Post" WHERE "author" = ? ORDER BY "date" DESC, "id$" ASC"#,
                ["Post(author, date DESC)"]
            ),
            (#"SELECT "kind", count(*) FROM "Post" GROUP BY "kind""#, ["Post(kind)"]),
            (#"SELECT DISTINCT "title" FROM "Post""#, ["Post(title)"]),
            (#"DELETE FROM "Post" WHERE "date" < ?"#, ["Post(date)"]),
            (#"UPDATE "Post" SET "isRead" = ? WHERE "title" = ?"#, ["Post(title)"]),
            (#"SELECT "id$" FROM "Post" WHERE "title" = ? COLLATE NOCASE"#, []),
            (#"SELECT "title" FROM "Post" ORDER BY "title" COLLATE "ashlar_localized""#, []),
            (#"SELECT "title" FROM "Post" WHERE "id$" = ?"#, []),
            (
                #"SELECT "Post"."title" FROM "Post" LEFT JOIN "Author" AS "Post.author" ON "Post.author"."id$" = "Post"."author" ORDER BY "Post.author"."name""#,
                []
            ),
            (
                #"SELECT "name" FROM "Author" WHERE EXISTS (SELECT 1 FROM "Post" AS "Post$1" WHERE "Post$1"."title" = "Author"."name")"#,
                ["Post(title)"]
            ),
            (#"SELECT "title" FROM "Post" WHERE "entity$" IN ('Article') AND "words" > ?"#, ["Article(words)"]),
        ] as [(String, [String])])
    func recordedStatements(_ sql: String, _ expected: [String]) throws {
        let advice = Feed().advice(on: [sql])
        #expect(advice.summary == expected, "\(advice.findings.map(\.before.lines))")
        #expect(advice.skipped.isEmpty)
        #expect(Feed().following(advice).advice(on: [sql]).summary == [])
    }

    @Test func rowsThatAreMarkedAsDeletedGetAPartialIndex() {
        let feed = Feed(templates: [
            "deletedAt == nil AND title == $title", "deletedAt == nil AND kind == $kind AND date > $d",
        ])
        let advice = feed.advice
        #expect(advice.findings.allSatisfy { $0.after != nil })
        #expect(feed.following(advice).advice.summary == [])
    }

    @Test func fewIndexesServeManyQueries() {
        let feed = Feed(templates: [
            "title == $title", "title == $title AND date > $date", "title == $title AND kind == $kind",
            "kind == $kind AND title == $title AND date < $date",
        ])
        let advice = feed.advice
        #expect(advice.additions.count == 1, "\(advice.summary)")
        #expect(advice.additions.first?.queries.count == 4)
    }

    @Test func aMemberOfAHierarchyDeclaresWhatIsItsOwn() {
        let feed = Feed(templates: ["words > $words AND title == $title"], entity: "Article")
        #expect(feed.advice.summary == ["Post(title)"])
        #expect(Feed(templates: ["words == $words"], entity: "Article").advice.summary == ["Article(words)"])
    }

    @Test func reasonsAreTold() throws {
        func reason(_ predicate: String) throws -> String? {
            let finding = try #require(Feed(templates: [predicate]).advice.findings.first)
            #expect(finding.after == nil)
            return finding.reason
        }
        #expect(try reason("title CONTAINS $text")?.contains("full-text") == true)
        #expect(try reason("title ENDSWITH $text")?.contains("reversed") == true)
        #expect(try reason("title ==[cd] $text")?.contains("canonical:") == true)
        #expect(try reason("title MATCHES $text")?.contains("regular expression") == true)
        #expect(try reason("isRead == YES")?.contains("too many rows") == true)
        #expect(try reason("likes * 2 == $n")?.contains("computed") == true)
        #expect(try reason("author.posts.@count > 3")?.contains("related objects") == true)
        #expect(try reason("") == nil)
    }

    @Test func whatAnRTreeFindsNeedsNoOtherIndex() throws {
        let dimensions = ["latitude", "longitude"].map { FetchIndex.Element(propertyName: $0) }
        let tree = FetchIndex(name: "place", kind: .rtree, elements: dimensions)
        for predicate in [
            "latitude BETWEEN $a AND longitude BETWEEN $b", "latitude > $a", "longitude < $b AND likes > 3",
        ] {
            #expect(Feed(templates: [predicate]).advice.additions.count == 1)
            let feed = Feed(indexes: [tree], templates: [predicate])
            #expect(feed.advice.additions.isEmpty && feed.advice.findings.first?.reason == nil)
            #expect(IndexAdvisor(feed.schema).removals(after: feed.advice.findings).isEmpty)
        }
        let forced = Feed(indexes: [tree]).advice(on: [#"SELECT "id$" FROM "Post" NOT INDEXED WHERE "title" = ?"#])
        #expect(forced.additions.isEmpty && forced.findings.first?.reason?.contains("itself") == true)
    }

    @Test func anRTreeIsProvenAndPasted() throws {
        let feed = Feed(templates: ["latitude BETWEEN $a AND longitude BETWEEN $b"])
        let advice = feed.advice
        let addition = try #require(advice.additions.first)
        #expect(
            addition.lines == [
                "<fetchIndex name=\"byLatitudeAndLongitude\">",
                "    <fetchIndexElement property=\"latitude\" type=\"RTree\" order=\"ascending\"/>",
                "    <fetchIndexElement property=\"longitude\" type=\"RTree\" order=\"ascending\"/>", "</fetchIndex>",
            ])
        let finding = try #require(advice.findings.first)
        #expect(finding.before.lines.joined().contains("SCAN Post"))
        let after = try #require(finding.after).lines.joined(separator: "; ")
        #expect(after.contains("rtree$Post$byLatitudeAndLongitude VIRTUAL TABLE INDEX"), "\(after)")
        #expect(addition.queries == [0])
        // With the advised index, SQLite's plan is the one that the advice promised.
        let again = feed.following(advice).advice
        #expect(again.findings.first?.before.lines == finding.after?.lines, "\(again.findings)")
        // Rows of a related object's table do not count as rows of the statement.
        let inner =
            #"SELECT "id$" FROM "Post" WHERE "id$" > ? AND EXISTS (SELECT 1 FROM "Post" AS "Post$1" "#
            + #"WHERE "Post$1"."latitude" BETWEEN ? AND ? AND "Post$1"."longitude" BETWEEN ? AND ?)"#
        #expect(!Feed().advice(on: [inner]).summary.contains { $0.contains("R-tree") })
    }

    @Test func namesAreFree() {
        let index = FetchIndex(name: "BYTITLE", elements: [FetchIndex.Element(propertyName: "likes")])
        #expect(Feed(indexes: [index], templates: ["title == $t"]).advice.additions.map(\.name) == ["byTitle2"])
    }

    @Test func superfluousIndexesAreNamed() {
        func index(_ name: String, _ properties: String...) -> FetchIndex {
            FetchIndex(name: name, elements: properties.map { FetchIndex.Element(propertyName: $0) })
        }
        let feed = Feed(
            indexes: [index("a", "title"), index("b", "title", "date"), index("c", "author"), index("d", "likes")],
            templates: ["title == $t"])
        let advisor = IndexAdvisor(feed.schema)
        func removals(_ findings: [IndexAdvice.Finding]?) -> [String] {
            advisor.removals(after: findings).map { "\($0.name) \($0.reason)" }
        }
        let beginnings = [
            #"a beginningOf("index$Post$b")"#, #"c beginningOf("reference$Post$author")"#,
        ]
        #expect(removals(nil) == beginnings)
        #expect(
            removals(feed.advice.findings).sorted() == (beginnings + ["d unused"]).sorted()
                || !removals(feed.advice.findings).contains {
                    $0.hasPrefix("b ") && feed.advice.findings[0].before.indexNames.contains("index$Post$b")
                })
        #expect(removals(feed.advice.findings).contains("d unused"))
    }

    @Test func aCheckWarnsAtTheTemplate() throws {
        let feed = Feed(templates: ["title == $title", "author == $author"])
        let findings = IndexAdvisor.check(feed.schema).all
        let finding = try #require(findings.first)
        #expect(findings.count == 1 && finding.severity == .warning && finding.location.line == 100)
        #expect(finding.message == "Fetch request 'template0' of 'Post' reads all rows")
        #expect(finding.fixes.count == 1 && !finding.fixes[0].isSafe)
        let silent = UserInfo([UserInfo.Entry(key: "ashlar.silence", value: "missing-index")])
        #expect(IndexAdvisor.check(Feed(templates: ["title == $t"], userInfo: silent).schema).all.isEmpty)
    }

    /// SQLite would compare each constant with all others, several times for each index that is tried.
    @Test func aCheckLeavesOutVeryLongConditions() {
        func findings(_ count: Int) -> Int {
            let text = (0..<count).map { "title == 'title \($0)'" }.joined(separator: " OR ")
            return IndexAdvisor.check(Feed(templates: [text]).schema).all.count
        }
        #expect(findings(100) == 1)
        #expect(findings(10_000) == 0)
    }

    @Test func writesCountAgainstAnIndex() throws {
        let sql = #"SELECT "title" FROM "Post" WHERE "title" = ?"#
        func advice(milliseconds: Int, writes: Int) throws -> IndexAdvice {
            let lines = [
                try line(sql, count: 10, microseconds: milliseconds * 1000),
                try line(#"INSERT INTO "Post" ("title") VALUES (?)"#, count: writes, microseconds: 1),
            ]
            let recording = StatementRecording(Data(lines.joined(separator: "\n").utf8))
            return IndexAdvisor(Feed().schema, sample: nil, recording: recording).advice(on: recording.queries)
        }
        #expect(try advice(milliseconds: 1000, writes: 1000).summary == ["Post(title)"])
        let refused = try advice(milliseconds: 10, writes: 1_000_000)
        #expect(refused.summary.isEmpty && refused.findings.first?.reason?.contains("cost more") == true)
    }

    private func line(_ sql: String, count: Int, microseconds: Int) throws -> String {
        let text = String(decoding: try JSONEncoder().encode(sql), as: UTF8.self)
        return #"{"sql":\#(text),"count":\#(count),"microseconds":\#(microseconds),"rows":0}"#
    }
}
