import Ashlar
import Foundation
@_spi(Studio) import StoreBrowsing
import Testing

@_spi(Studio) @testable import StudioServer

/// Lists, statements, and changes of other programs.
extension BrowserTests {
    private static let rowCount = "document.querySelectorAll('tbody tr').length"
    private static let head = "[...document.querySelectorAll('thead th a')].map(e => e.innerText).join()"

    @Test("Columns are chosen and ordered")
    func columns() async throws {
        try await looking(isWritable: true) { browser, _ async throws in
            try await browser.click("//tbody//a[.='Picture']")
            try await browser.click("//summary[.='Columns']")
            for name in ["id", "isSold", "key", "latitude", "longitude", "painted", "painter", "price", "style"] {
                try await browser.click("//a[@aria-label='Hide \(name)']")
            }
            #expect(try await browser.value(Self.head) == "title,year")
            try await browser.click("//a[@aria-label='Move back: title']")
            #expect(try await browser.value(Self.head).replacing(" ↑", with: "") == "year,title")
            try await browser.click("//a[@aria-label='Show painter']")
            #expect(try await browser.value(Self.head) == "year,title,painter")
            // The choice holds for the sorted list and its pages.
            try await browser.click("//thead//a[.='title']")
            try await browser.click("//nav[1]//a[.='Next page']")
            #expect(try await browser.value(Self.head) == "year,title,painter")
            try await browser.click("//tbody/tr[1]/th/a")
            #expect(try await browser.path.hasPrefix("/object?entity=Picture&id="))
        }
    }

    @Test("A list follows its search field while one types")
    func search() async throws {
        try await looking(isWritable: true) { browser, _ async throws in
            try await browser.click("//tbody//a[.='Picture']")
            #expect(try await browser.value(Self.rowCount) == "50")
            try await browser.type("PICTURE 11", into: "//*[@id='search']")
            // 11, and 110 to 119
            try await browser.wait("\(Self.rowCount) === 11")
            #expect(try await browser.value("location.search.includes('search=PICTURE+11')") == "true")
            #expect(try await browser.value("document.activeElement.id") == "search")
            try await browser.press("9")
            try await browser.wait("\(Self.rowCount) === 1")
            try await browser.press("z")
            try await browser.wait("\(Self.rowCount) === 0")
            try await browser.clear("//*[@id='search']")
            try await browser.type("7", into: "//*[@id='search']")
            try await browser.wait("[...document.querySelectorAll('tbody th')].some(e => e.innerText === '7')")
        }
    }

    @Test("Several rows get one value, and are deleted, each in one transaction")
    func severalRows() async throws {
        try await looking(isWritable: true) { browser, gallery async throws in
            try await browser.open("http://127.0.0.1:\(gallery.port)/rows?entity=Picture")
            for number in [2, 3, 4] { try await browser.click("//*[@name='row.\(number)']") }
            #expect(
                try await browser.value("document.getElementById('selected').innerText") == "3 selected rows:")
            try await browser.click("//*[@id='property']/option[.='year']")
            try await browser.click("//button[.='Change…']")
            try await browser.wait("document.querySelector('h1')?.innerText === 'Change year of 3 objects'")
            try await browser.clear("//*[@name='value.year']")
            try await browser.type("9999", into: "//*[@name='value.year']")
            try await browser.click("//button[.='Save in 3 objects']")
            try await browser.wait("document.getElementById('message-year')?.innerText.includes('3000') ?? false")
            try await browser.clear("//*[@name='value.year']")
            try await browser.type("1777", into: "//*[@name='value.year']")
            let before = try gallery.transactionCount
            try await browser.click("//button[.='Save in 3 objects']")
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Saved 3 objects.'")
            #expect(try gallery.transactionCount == before + 1)
            #expect(try gallery.value("SELECT group_concat(id$) FROM Picture WHERE year = 1777") == "2,3,4")
            #expect(
                try await browser.value("document.querySelector('.undo button').innerText")
                    == "Undo: year of 3 objects of Picture")

            try await browser.click("//*[@id='select-all']")
            #expect(
                try await browser.value("document.getElementById('selected').innerText") == "50 selected rows:")
            try await browser.click("//button[.='Delete…']")
            try await browser.wait("document.querySelector('h1')?.innerText === 'Delete Picture'")
            #expect(try await browser.value("document.querySelector('main').innerText").contains("50 of Frame"))
            try await browser.click("//button[.='Delete']")
            try await browser.wait("document.querySelector('.notice')?.innerText === 'Deleted 50 objects of Picture.'")
            #expect(try gallery.value("SELECT count(*) FROM Picture") == "70")
            #expect(try gallery.value("SELECT count(*) FROM Frame") == "70")
            #expect(try gallery.transactionCount == before + 2)
            try await browser.click("//button[starts-with(., 'Undo')]")
            try await browser.wait("document.querySelector('.notice')?.innerText.startsWith('Undone') ?? false")
            #expect(try gallery.value("SELECT count(*) FROM Picture") == "120")
            #expect(try await browser.console.allSatisfy { $0.contains("409") })
        }
    }

    @Test("The searched, filtered and sorted list is exported as CSV and JSON")
    func export() async throws {
        try await looking { browser, gallery async throws in
            try await browser.open(
                "http://127.0.0.1:\(gallery.port)/rows?entity=Picture&search=Picture+11&filter=year%20%3E%201911&sort=title&descending=1"
            )
            func exported(_ format: String) async throws -> Answer {
                let path = try await browser.value(
                    "(e => e.pathname + e.search)([...document.querySelectorAll('a')].find(e => e.innerText === 'Export as \(format)'))"
                )
                return try await gallery.page(path)
            }
            let csv = try await exported("CSV")
            #expect(csv.text.contains("Content-Disposition: attachment; filename=\"Picture.csv\""))
            let lines = csv.body.split(separator: "\n")
            #expect(lines.first?.contains("\"title\"") == true)
            let titles = lines.dropFirst().compactMap { $0.firstMatch(of: /"(Picture \d+)"/).map { String($0.1) } }
            #expect(titles == (112...119).reversed().map { "Picture \($0)" })
            let json = try await exported("JSON")
            let objects = try #require(
                try JSONSerialization.jsonObject(with: Data(json.body.utf8)) as? [[String: Any]])
            #expect(objects.compactMap { $0["title"] as? String } == titles)
        }
    }

    // MARK: Statements

    @Test("A statement is run with its time and plan, from the link of a list")
    func statement() async throws {
        try await looking { browser, _ async throws in
            try await browser.click("//tbody//a[.='Picture']")
            try await browser.click("//*[@id='links']/a[.='SQL']")
            #expect(
                try await browser.value("document.getElementById('sql').value")
                    == "SELECT * FROM \"Picture\" LIMIT 100")
            #expect(try await browser.value(Self.rowCount) == "100")
            try await browser.clear("//*[@id='sql']")
            try await browser.type(
                "SELECT year, count(*) AS number FROM Picture WHERE year > 1940 GROUP BY year", into: "//*[@id='sql']")
            // The keys Control and Enter
            try await browser.type("\u{E009}\u{E007}", into: "//*[@id='sql']")
            try await browser.wait("location.search.includes('number') && \(Self.rowCount) === 9")
            #expect(
                try await browser.value("[...document.querySelectorAll('thead th')].map(e => e.innerText).join()")
                    == "year,number")
            #expect(
                try await browser.value(
                    "/^9 rows in [0-9.]+ ms\\.$/.test(document.querySelector('main [role=status]').innerText)")
                    == "true")
            #expect(try await browser.value("document.querySelector('.plan').innerText").contains("Picture"))
            // Statements of the R-tree's own are allowed.
            try await browser.clear("//*[@id='sql']")
            try await browser.type(
                "SELECT count(*) FROM \"rtree$Picture$byPlace\"", into: "//*[@id='sql']")
            try await browser.click("//button[.='Run']")
            try await browser.wait("location.search.includes('byPlace') && !!document.querySelector('main')")
            #expect(try await browser.value("document.querySelector('tbody td')?.innerText") == "120")
        }
    }

    @Test(
        "The page for SQL refuses to change anything, to open other files and to run code",
        arguments: [
            "UPDATE Picture SET year = 0", "DELETE FROM Picture", "INSERT INTO Room (code) VALUES ('x')",
            "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "DROP TABLE Picture", "ATTACH 'other.db' AS other",
            "VACUUM INTO 'copy.db'", "VACUUM", "PRAGMA journal_mode = DELETE", "PRAGMA query_only = OFF",
            "PRAGMA writable_schema = ON", "PRAGMA user_version = 7", "SELECT load_extension('x')",
            "SELECT writefile('x', 'y')", "SELECT readfile('/etc/passwd')", "SELECT fts3_tokenizer('x')", "BEGIN",
            "COMMIT", "SELECT 1; DELETE FROM Picture", "REINDEX", "ANALYZE", "WITH x AS (SELECT 1) DELETE FROM Picture",
            "DETACH main", "SAVEPOINT x", "SELECT * FROM Picture RETURNING", "",
        ])
    func refusedStatements(_ sql: String) async throws {
        try await Gallery.serving(pictures: 2, isWritable: true) { gallery async throws in
            let before = try Data(contentsOf: gallery.url)
            let files = try FileManager.default.contentsOfDirectory(atPath: gallery.folder.path).sorted()
            let answer = try await gallery.page(Address("/sql", [("sql", sql)]).text)
            #expect(answer.status == 200)
            #expect(answer.text.contains("role=\"alert\"") != sql.isEmpty, "\(answer.body.suffix(600))")
            #expect(!answer.text.contains("<table>") && !answer.text.contains("root:"))
            #expect(try Data(contentsOf: gallery.url) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: gallery.folder.path).sorted() == files)
            let local = FileManager.default.currentDirectoryPath
            for name in ["other.db", "copy.db", "x"] {
                #expect(!FileManager.default.fileExists(atPath: local + "/" + name))
            }
        }
    }

    @Test("A statement that takes too long is ended")
    func endlessStatement() async throws {
        try await Gallery.serving(pictures: 2) { gallery async throws in
            let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
            let answer = try await gallery.page(Address("/sql", [("sql", sql)]).text)
            #expect(answer.status == 200 && answer.text.contains("role=\"alert\""))
        }
    }

    // MARK: Enumerations

    @Test("A raw value is chosen among the cases that the package declares")
    func cases() async throws {
        try await Gallery.serving(pictures: 2, isWritable: true) { gallery async throws in
            // No picture has it: it is known from the source of the tests.
            #expect(
                try await gallery.page("/object?entity=Picture&id=1").text.contains(
                    "<option value=\"ink\">ink</option>"))
        }
    }

    // MARK: Totals and orders

    @Test("A list says how many rows it has")
    func totals() async throws {
        try await Gallery.serving { gallery async throws in
            #expect(try await gallery.page("/rows?entity=Picture").text.contains("120 rows"))
            #expect(
                try await gallery.page("/rows?entity=Picture&filter=year%20%3D%3D%201900").text.contains(">3 rows<"))
            #expect(try await gallery.page("/rows?entity=Painter&search=Ada").text.contains(">1 row<"))
            #expect(try await gallery.page("/rows?table=Picture").text.contains("120 rows"))
        }
    }

    @Test("Members of an ordered relationship change places")
    func orders() async throws {
        try await Gallery.serving(pictures: 8, isWritable: true) { gallery async throws in
            func members() throws -> [Int64] {
                try gallery.studio.browser.object("Painter", 1).relationships.first { $0.name == "pictures" }?.objects
                    .map(\.number) ?? []
            }
            let before = try members()
            #expect(before.count == 4)
            let version = try gallery.studio.browser.object("Painter", 1).version
            let fields = before.enumerated().map { index, number in
                let place = index == 3 ? 1 : index + 1
                return
                    "member.pictures.\(number)=1&had.pictures.\(number)=1&had-place.pictures.\(number)=\(index + 1)&place.pictures.\(number)=\(place)"
            }
            let form =
                "form-token=\(gallery.studio.formToken.text)&entity=Painter&id=1&version=\(version)&"
                + fields.joined(separator: "&")
            #expect(try await gallery.submit("/save", form).status == 303)
            #expect(try members() == [before[3], before[0], before[1], before[2]])
        }
    }

    // MARK: Changes of other programs

    @Test("A row that another program changed or deleted is marked, with its new values")
    func changedRows() async throws {
        try await looking { browser, gallery async throws in
            try await browser.open("http://127.0.0.1:\(gallery.port)/rows?entity=Picture&filter=title%20!%3D%20%22%22")
            try gallery.changing { context in
                let changed = try #require(try context.fetch(Picture.where { $0.title == "Picture 1" }).first)
                changed.title = "Changed outside"
                let deleted = try #require(try context.fetch(Picture.where { $0.title == "Picture 2" }).first)
                context.delete(deleted)
            }
            try await browser.wait("document.querySelectorAll('tr.changed').length === 1")
            #expect(
                try await browser.value("document.querySelector('tr.changed').innerText").contains("Changed outside"))
            #expect(try await browser.value("document.querySelector('tr.changed .badge').innerText") == "changed")
            #expect(try await browser.value("document.querySelector('tr.gone .badge').innerText") == "deleted")
            #expect(
                try await browser.value("document.querySelector('.changes').innerText")
                    == "Another program changed 1 and deleted 1 of these rows.")
        }
    }

    @Test("The page of an object that another program changed says so, and keeps typed texts")
    func changedObject() async throws {
        try await looking(isWritable: true) { browser, gallery async throws in
            try await browser.open("http://127.0.0.1:\(gallery.port)/object?entity=Picture&id=2")
            try await browser.type("typed ", into: "//*[@name='value.title']")
            try gallery.changing { context in
                let changed = try #require(try context.fetch(Picture.where { $0.title == "Picture 1" }).first)
                changed.year = 1234
            }
            try await browser.wait("document.querySelector('.changes').innerText.startsWith('Another program changed')")
            #expect(
                try await browser.value("document.querySelector('[name=\"value.title\"]').value").contains("typed"))
            try await browser.click("//a[.='Load the new values']")
            try await browser.wait("document.querySelector('[name=\"value.year\"]')?.value === '1234'")
        }
    }
}
