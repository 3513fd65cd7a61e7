import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar
@_spi(Studio) @testable import StoreBrowsing

/// Columns, searches, statements and versions of lists.
@Suite struct BrowsedListTests {
    let feed: BrowsedFeed
    let browser: StoreBrowser

    init() throws {
        feed = try BrowsedFeed()
        var random = SeededGenerator(seed: Seed(12, in: #fileID))
        try feed.fill(10, &random)
        try feed.execute([
            ("UPDATE \"Post\" SET \"title\" = 'Straße in Überlingen' WHERE \"id$\" = 6", []),
            ("UPDATE \"Post\" SET \"title\" = '100 % \"quoted\" _x' WHERE \"id$\" = 9", []),
        ])
        browser = try feed.browser()
    }

    private func numbers(_ search: String) throws -> [Int64] {
        var request = RowRequest(.entity("Post"))
        request.search = search
        return try browser.rows(request).rows.compactMap(\.number)
    }

    @Test("A search ignores case and accents, takes signs as they are, and finds numbers")
    func search() throws {
        #expect(try numbers("UBERLINGEN") == [6])
        #expect(try numbers("% \"quoted\" _") == [9])
        #expect(try numbers("12").contains(12))
        #expect(try numbers("  ").count == 10)
        #expect(try browser.choices(of: "Author", matching: "author 3").map(\.text) == ["Author 3"])
        #expect(try browser.choices(of: "Author", matching: "3").map(\.number) == [3])
        #expect(try browser.choices(of: "Author", matching: "").count == 5)
    }

    @Test("A list shows the chosen columns in their order, and is sorted by any")
    func columns() throws {
        var request = RowRequest(.entity("Post"))
        request.columns = ["title", "id", "author"]
        request.sort = "small"
        let page = try browser.rows(request)
        #expect(page.columns.map(\.name) == ["title", "id", "author"])
        #expect(page.rows.allSatisfy { $0.values.count == 3 && $0.version == 1 && $0.number != nil })
        request.columns = ["nothing"]
        #expect(throws: BrowsingError.self) { try browser.rows(request) }
        var table = RowRequest(.table("Post"))
        table.columns = ["title"]
        #expect(try browser.rows(table).columns.map(\.name) == ["title"])
    }

    @Test("The versions of rows that still exist")
    func versions() throws {
        try feed.execute([
            ("UPDATE \"Post\" SET \"version$\" = 2 WHERE \"id$\" = 6", []),
            ("DELETE FROM \"Post\" WHERE \"id$\" = 9", []),
        ])
        #expect(try browser.versions(of: "Post", [3, 6, 9]) == [3: 1, 6: 2])
        #expect(try browser.versions(of: "Post", []) == [:])
    }

    @Test("A statement reads the file, and nothing else is allowed")
    func statements() throws {
        let result = try browser.run("SELECT \"id$\" AS number, title FROM Post ORDER BY 1 LIMIT 2")
        #expect(result.columns == ["number", "title"] && result.rows.count == 2 && !result.plan.isEmpty)
        #expect(try browser.run("PRAGMA table_info('Post')").rows.count > 3)
        #expect(try browser.run("EXPLAIN QUERY PLAN SELECT 1").plan.isEmpty)
        let many = try browser.run(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 900) SELECT x FROM n")
        #expect(many.rows.count == 500 && many.hasMore)
        for sql in [
            "DELETE FROM Post", "ATTACH 'x' AS y", "PRAGMA user_version = 3", "VACUUM", "", "SELECT 1; SELECT 2",
        ] {
            #expect(throws: BrowsingError.self, "\(sql)") { try browser.run(sql) }
        }
    }

    @Test("A date is read as forms and people write it")
    func dates() {
        let expected = SQLiteValue.real(693_999_000)
        for text in [
            "2022-12-29T09:30:00Z", "2022-12-29T09:30", "2022-12-29 09:30", "2022-12-29T09:30:00",
            "2022-12-29T09:30:00.000",
        ] {
            #expect(EditedValue.value(text, .date) == expected, "\(text)")
        }
        #expect(EditedValue.value("2022-12-29", .date) == .real(693_999_000 - 34_200))
        for text in ["2022-13-01", "2022-02-30T00:00", "9:30", "yesterday", ""] {
            #expect(EditedValue.value(text, .date) == nil, "\(text)")
        }
    }

    @Test("The objects that a deletion takes along, without a change of the store")
    func consequences() throws {
        let editor = StoreEditor(browser)
        try feed.execute([("UPDATE \"Post\" SET \"author\" = 2 WHERE \"id$\" IN (6, 9)", [])])
        let before = try feed.rows("SELECT * FROM \"Post\"")
        let found = try editor.consequences(ofDeleting: "Author", [2])
        #expect(found.objects.map(\.text) == ["Author 2"] && found.deleted.isEmpty)
        #expect(found.detached.flatMap(\.first).map(\.number).contains(6))
        #expect(try feed.rows("SELECT * FROM \"Post\"") == before && editor.undoTitle == nil)
    }

    @Test("Several objects change in one transaction, or none does")
    func severalObjects() throws {
        let editor = StoreEditor(browser)
        let rows = [3, 6, 9].map { StoreEditor.Row($0, version: 1) }
        try editor.change("Post", rows, [StoreEditor.Change(property: "middle", value: "7")])
        #expect(
            try feed.rows("SELECT count(*) FROM \"Post\" WHERE \"middle\" = 7 AND \"id$\" IN (3, 6, 9)") == [
                [.integer(3)]
            ])
        #expect(try browser.timeline(before: nil).transactions.first?.changeCount == 3)
        #expect(throws: BrowsingError.self) {
            try editor.delete("Post", [StoreEditor.Row(12, version: 1), StoreEditor.Row(3, version: 1)])
        }
        #expect(try feed.rows("SELECT count(*) FROM \"Post\"") == [[.integer(10)]])
        try editor.undo()
        #expect(
            try feed.rows("SELECT count(*) FROM \"Post\" WHERE \"middle\" = 7 AND \"id$\" IN (3, 6, 9)") != [
                [.integer(3)]
            ])
    }

    @Test("All texts that are not values are reported at once, with the expected values")
    func messages() throws {
        let editor = StoreEditor(browser)
        do {
            try editor.change(
                "Post", 3, version: 1,
                [("small", "x"), ("middle", "y"), ("title", "fine")].map {
                    StoreEditor.Change(property: $0, value: $1)
                })
            Issue.record("The change was made.")
        } catch {
            #expect(Set(error.fields.keys) == ["small", "middle"])
            #expect(error.fields["middle"] == "'y' is not valid. Write a whole number from -10 to 10.")
        }
        do {
            try editor.change("Post", 3, version: 1, [StoreEditor.Change(property: "middle", value: "11")])
            Issue.record("The change was made.")
        } catch {
            #expect(error.fields["middle"]?.contains("10") == true)
        }
    }
}
