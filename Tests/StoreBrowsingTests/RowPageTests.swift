import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar
@_spi(Studio) @testable import StoreBrowsing

/// Lists of rows, page by page.
@Suite struct RowPageTests {
    /// The numbers on all pages of a list, forwards, and then those of all pages back from the last.
    private func walk(_ first: RowRequest, _ browser: StoreBrowser) throws -> (forwards: [Int64], backwards: [Int64]) {
        var request = first
        var pages: [RowPage] = []
        while true {
            let page = try browser.rows(request)
            pages.append(page)
            #expect(page.rows.count <= request.limit)
            guard let next = page.next, pages.count < 1000 else { break }
            request.position = next
        }
        let forwards = pages.flatMap(\.rows).compactMap(\.number)
        var back = pages.last?.rows.compactMap(\.number) ?? []
        request.isBackward = true
        var position = pages.last?.previous
        var count = 0
        while let found = position, count < 1000 {
            request.position = found
            let page = try browser.rows(request)
            back = page.rows.compactMap(\.number) + back
            position = page.previous
            count += 1
        }
        return (forwards, back)
    }

    @Test("all pages, forwards and backwards, are one sorted fetch, for each type of attribute", arguments: seeds(3))
    func pagesAreOneFetch(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let feed = try BrowsedFeed()
        try feed.fill(60, &random)
        let browser = try feed.browser()
        let connection = try Connection(toWrite: feed.url)
        for column in BrowsedFeed.columns + ["author", "id"] {
            for isDescending in [false, true] {
                var request = RowRequest(.entity(random.oneIn(3) ? "Video" : "Post"))
                request.sort = random.oneIn(9) ? nil : column
                request.isDescending = isDescending
                request.limit = random.number(1..<20)
                var conditions = request.subject == .entity("Video") ? ["\"entity$\" = 'Video'"] : []
                switch random.number(0..<4) {
                case 0:
                    request.filter = "small >= 0 OR title == 'a'"
                    conditions.append("(\"small\" >= 0 OR \"title\" = 'a')")
                case 1:
                    request.filter = "author.name ENDSWITH '3'"
                    conditions.append("\"author\" = 3")
                default: break
                }
                let name = request.sort == nil || column == "id" ? "id$" : column
                let direction = isDescending ? "DESC" : "ASC"
                let expected = try connection.rows(
                    "SELECT \"id$\" FROM \"Post\" \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")) "
                        + "ORDER BY \"\(name)\" \(direction), \"id$\" \(direction)"
                ).compactMap { if case .integer(let number) = $0[0] { number } else { nil } }
                let found = try walk(request, browser)
                #expect(found.forwards == expected, "\(request)")
                #expect(found.backwards == expected, "\(request)")
            }
        }
    }

    @Test("a table without rowid is paged by its key, whatever is in it")
    func tableWithoutRowid() throws {
        let feed = try BrowsedFeed()
        var statements = [
            ("CREATE TABLE \"odd\"\"<b>\" (a, \"b c\", PRIMARY KEY (\"b c\", a)) WITHOUT ROWID", [] as [SQLiteValue])
        ]
        let values: [SQLiteValue] = [
            .integer(1), .real(1.5), .text("x\u{0}y"), .blob(Data([0xFF])), .text(""), .text("\u{202E}"),
        ]
        for first in values {
            for second in values { statements.append(("INSERT INTO \"odd\"\"<b>\" VALUES (?1, ?2)", [first, second])) }
        }
        try feed.execute(statements)
        let browser = try feed.browser()
        var request = RowRequest(.table("odd\"<b>"))
        request.limit = 5
        var rows: [[BrowsedValue]] = []
        while true {
            let page = try browser.rows(request)
            rows += page.rows.map(\.values)
            guard let next = page.next, rows.count < 100 else { break }
            request.position = next
        }
        #expect(rows.count == 36 && Set(rows).count == 36)
    }

    @Test("a row whose text is no Unicode, or too long for an address, is found again as the place of a page")
    func unreadableTexts() throws {
        let feed = try BrowsedFeed()
        var statements: [(String, [SQLiteValue])] = [("CREATE TABLE \"odd\" (a TEXT)", [])]
        for number in 0..<9 {
            let beginning = SQLiteValue.blob(Data([0xFF, UInt8(0x80 + number / 3)]))
            let rest = SQLiteValue.text(String(repeating: "z", count: 300 * (number % 2)))
            statements.append(("INSERT INTO \"odd\" VALUES (CAST(?1 AS TEXT) || ?2)", [beginning, rest]))
        }
        try feed.execute(statements)
        let browser = try feed.browser()
        var request = RowRequest(.table("odd"))
        (request.limit, request.sort) = (2, "a")
        var count = 0
        while true {
            let page = try browser.rows(request)
            count += page.rows.count
            guard let next = page.next, count < 50 else { break }
            request.position = next
        }
        #expect(count == 9)
        request.position = "s.i1000"
        #expect(throws: BrowsingError.self) { try browser.rows(request) }
    }

    @Test(
        "what is no place of a list is refused",
        arguments: [
            "", ".", "i1", "i1.i2.i3", "s.s", "n.s", "tzz.i1", "t+f.i1", "tff.i1", "r7ff8000000000001.i1", "x.i1",
            "i99999999999999999999.i1",
            "i1.i-", "n.", ".i1", "b0.i1",
        ])
    func badPositions(_ text: String) throws {
        let feed = try BrowsedFeed()
        var request = RowRequest(.entity("Post"))
        (request.sort, request.position) = ("small", text)
        let browser = try feed.browser()
        let error = #expect(throws: BrowsingError.self) { try browser.rows(request) }
        #expect(error?.kind == .invalid)
    }

    @Test("what a list cannot have is an error that says so")
    func mistakes() throws {
        let feed = try BrowsedFeed()
        let browser = try feed.browser()
        func error(_ change: (inout RowRequest) -> Void) -> BrowsingError? {
            var request = RowRequest(.entity("Post"))
            change(&request)
            do throws(BrowsingError) { _ = try browser.rows(request) } catch { return error }
            return nil
        }
        #expect(error { $0.filter = "likes >" }?.kind == .invalid)
        #expect(error { $0.filter = "small == %@" }?.kind == .invalid)
        #expect(error { $0.filter = "small == $x" }?.kind == .invalid)
        #expect(error { $0.filter = "1 == 1); DROP TABLE Post; --" }?.kind == .invalid)
        #expect(error { $0.sort = "id$\" --" }?.kind == .invalid)
        #expect(error { $0.subject = .entity("Nothing") }?.kind == .missing)
        #expect(error { $0.subject = .table("Nothing") }?.kind == .missing)
        #expect(error { $0.owner = RowOwner(entity: "Post", number: 1, relationship: "author") }?.kind == .invalid)
        #expect(error { $0.owner = RowOwner(entity: "Post", number: 1, relationship: "x") }?.kind == .missing)
    }
}
