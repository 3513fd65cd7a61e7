import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar
@_spi(Studio) @testable import StoreBrowsing

/// Files that are damaged or malicious.
@Suite struct HostileStoreTests {
    /// Reads everything in a store, and returns the number of successful reads.
    private func look(_ browser: StoreBrowser) -> Int {
        var count = 0
        /// Counts a read that succeeds, and checks that the error of any other has a description.
        func see<Result>(_ body: () throws(BrowsingError) -> Result) -> Result? {
            do throws(BrowsingError) {
                let result = try body()
                count += 1
                return result
            } catch {
                #expect(!error.description.isEmpty)
                return nil
            }
        }
        let overview = see { () throws(BrowsingError) in try browser.overview() }
        for name in overview?.tables ?? [] {
            let first = see { () throws(BrowsingError) in try browser.rows(RowRequest(.table(name))) }
            var request = RowRequest(.table(name))
            request.position = first?.next
            request.sort = first?.columns.last?.name
            _ = see { () throws(BrowsingError) in try browser.rows(request) }
        }
        for entity in overview?.entities.map(\.name) ?? [] {
            var request = RowRequest(.entity(entity))
            let page = see { () throws(BrowsingError) in try browser.rows(request) }
            request.filter = "name BEGINSWITH 'A' OR title CONTAINS 'b'"
            _ = see { () throws(BrowsingError) in try browser.rows(request) }
            request.filter = ""
            request.sort = page?.columns.last?.name
            _ = see { () throws(BrowsingError) in try browser.rows(request) }
            _ = see { () throws(BrowsingError) in try browser.explanation(of: request) }
            _ = see { () throws(BrowsingError) in try browser.map(entity, nil) }
            for number in page?.rows.prefix(5).compactMap(\.number) ?? [1] {
                _ = see { () throws(BrowsingError) in try browser.object(entity, number) }
            }
        }
        _ = see { () throws(BrowsingError) in try browser.timeline(before: nil) }
        _ = see { () throws(BrowsingError) in try browser.storedSchema() }
        _ = see { () throws(BrowsingError) in try browser.diagram { $0 } }
        return count
    }

    @Test("a damaged store is shown as far as it can be read, and never ends the program", arguments: seeds(8))
    func damage(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let feed = try BrowsedFeed()
        try feed.fill(80, &random)
        _ = try Connection(toWrite: feed.url).rows("PRAGMA wal_checkpoint(TRUNCATE)")
        let whole = try Data(contentsOf: feed.url)
        let folder = feed.folder.appendingPathComponent("damaged")
        for number in 0..<25 {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let damaged = folder.appendingPathComponent("\(number).store")
            var bytes = whole
            for _ in 0..<random.number(1..<40) {
                // The first page contains the schema. If it is damaged, little can be read.
                let first = random.oneIn(4) ? 0 : 4096
                bytes[random.number(first..<bytes.count)] = UInt8(random.number(0..<256))
            }
            if random.oneIn(4) { bytes = bytes.prefix(random.number(100..<bytes.count)) }
            try bytes.write(to: damaged)
            do throws(BrowsingError) {
                _ = look(try StoreBrowser(damaged, model: feed.model))
            } catch {
                #expect(!error.description.isEmpty)
            }
            #expect(try Data(contentsOf: damaged) == bytes)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["\(number).store"])
            // Edits succeed or throw an error, and the program does not stop.
            if let browser = try? StoreBrowser(damaged, model: feed.model) {
                let editor = StoreEditor(browser)
                for number: Int64 in [3, 6, 9] {
                    guard let version = try? browser.object("Post", number).version else { continue }
                    try? editor.change(
                        "Post", number, version: version, [StoreEditor.Change(property: "small", value: "1")])
                    try? editor.delete("Post", number, version: version)
                }
                _ = try? editor.undo()
            }
            try FileManager.default.removeItem(at: folder)
        }
    }

    @Test("names that are markup, control signs or SQL, and rows without end, are shown or refused")
    func names() throws {
        let feed = try BrowsedFeed()
        let url = feed.folder.appendingPathComponent("names.sqlite")
        let connection = try Connection(opening: url.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        let names = [
            "<script>alert(1)</script>", "a\"; DROP TABLE t; --", "tab\tline\nreturn\r", "\u{202E}turned", "名前",
            "é\u{301}\u{200D}",
            "'", "`", "[x]", " ", "row", "main", "rowid", String(repeating: "long", count: 5000),
        ]
        for name in names {
            let quoted = "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
            try connection.execute("CREATE TABLE \(quoted) (\(quoted) TEXT, b BLOB)")
            _ = try connection.rows("INSERT INTO \(quoted) VALUES (?1, ?2)", [.text(name), .blob(Data(count: 300))])
        }
        let columns = (0..<1990).map { "c\($0)" }.joined(separator: ", ")
        try connection.execute("CREATE TABLE wide (\(columns))")
        try connection.execute("INSERT INTO wide DEFAULT VALUES")
        let browser = try StoreBrowser(url)
        let tables = try browser.overview().tables
        #expect(Set(names + ["wide"]).isSubset(of: tables))
        for name in names {
            let page = try browser.rows(RowRequest(.table(name)))
            #expect(page.rows.count == 1)
            var request = RowRequest(.table(name))
            request.sort = name
            _ = try browser.rows(request)
        }
        #expect(try browser.rows(RowRequest(.table("wide"))).hiddenColumnCount > 1800)
        #expect(look(browser) > names.count)
    }

    @Test("what a file would have computed, called or written is not done")
    func schema() throws {
        let feed = try BrowsedFeed()
        var random = SeededGenerator(seed: 3)
        try feed.fill(10, &random)
        let endless = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)"
        try feed.execute([
            ("CREATE VIEW \"forever\" AS SELECT \(endless) AS x", []),
            (
                "CREATE TRIGGER \"harm\" AFTER UPDATE ON \"Post\" BEGIN DELETE FROM \"Author\"; SELECT \(endless); END",
                []
            ),
            ("CREATE TABLE \"made\" (\"a\" INTEGER, \"b\" AS (length(printf('%*d', 1000000000, \"a\"))) VIRTUAL)", []),
            ("INSERT INTO \"made\" VALUES (1)", []),
        ])
        let browser = try feed.browser()
        let authors = try feed.rows("SELECT count(*) FROM \"Author\"")
        #expect(look(browser) > 10)
        #expect(throws: BrowsingError.self) { try browser.rows(RowRequest(.table("forever"))) }
        let editor = StoreEditor(browser)
        let version = try browser.object("Post", 3).version
        #expect {
            try editor.change("Post", 3, version: version, [StoreEditor.Change(property: "small", value: "1")])
        } throws: { ($0 as? BrowsingError)?.kind == .refused }
        #expect(try feed.rows("SELECT count(*) FROM \"Author\"") == authors)
    }
}
