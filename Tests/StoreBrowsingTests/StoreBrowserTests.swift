import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar
@_spi(Studio) @testable import StoreBrowsing

/// The contents that the browser shows of a store. The store does not change, and writers do not wait.
@Suite struct StoreBrowserTests {
    @Test("an object has its entity, values and related objects")
    func object() throws {
        var random = SeededGenerator(seed: Seed(7, in: #fileID))
        let feed = try BrowsedFeed()
        try feed.fill(30, &random)
        try feed.execute([
            (
                "UPDATE \"Post\" SET \"entity$\" = 'Video', \"author\" = 2, \"title\" = '<b>', \"small\" = -7 WHERE \"id$\" = 3",
                []
            )
        ])
        let pairs = try #require(
            try feed.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'Post$tags' OR name LIKE 'Tag$posts'").first)
        guard case .text(let table) = pairs[0] else { return }
        let columns = try feed.rows("SELECT name FROM pragma_table_info('\(table)')").map { "\($0[0])" }
        #expect(columns.count >= 2)
        let browser = try feed.browser()
        let object = try browser.object("Post", 3)
        #expect(object.entity == "Video" && object.label == "<b>")
        #expect(object.attributes.first { $0.name == "small" }?.value == .number("-7"))
        let author = try #require(object.relationships.first { $0.name == "author" })
        #expect(author.objects == [BrowsedReference(entity: "Author", number: 2, label: "Author 2")])
        let posts = try #require(try browser.object("Author", 2).relationships.first { $0.name == "posts" })
        #expect(posts.objects.contains { $0.number == 3 })
        var request = RowRequest(.entity("Post"))
        request.owner = RowOwner(entity: "Author", number: 2, relationship: "posts")
        #expect(try browser.rows(request).rows.compactMap(\.number) == posts.objects.map(\.number))
        #expect(throws: BrowsingError.self) { try browser.object("Video", 999) }
        #expect(throws: BrowsingError.self) { try browser.object("Nothing", 1) }
    }

    @Test("reading changes nothing, holds no writer up and leaves the log to be emptied")
    func reading() throws {
        var random = SeededGenerator(seed: Seed(8, in: #fileID))
        let feed = try BrowsedFeed()
        try feed.fill(30, &random)
        let browser = try feed.browser()
        let before = try Data(contentsOf: feed.url)
        let names = try FileManager.default.contentsOfDirectory(atPath: feed.folder.path).sorted()
        _ = try browser.overview()
        _ = try browser.rows(RowRequest(.entity("Post")))
        _ = try browser.object("Post", 3)
        _ = try browser.timeline(before: nil)
        #expect(try Data(contentsOf: feed.url) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: feed.folder.path).sorted() == names)
        let writer = try Connection(toWrite: feed.url)
        try writer.execute("BEGIN IMMEDIATE")
        _ = try writer.rows("UPDATE \"Post\" SET \"small\" = 5")
        let page = try browser.rows(RowRequest(.entity("Post")))
        #expect(page.rows.count == 30)
        try writer.execute("COMMIT")
        let answer = try writer.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(answer.first?.first == .integer(0))
    }

    @Test("the overview, the picture, key paths, the plan, the history and the map tell what there is")
    func pages() throws {
        var random = SeededGenerator(seed: Seed(9, in: #fileID))
        let feed = try BrowsedFeed()
        try feed.fill(30, &random)
        try feed.execute([("UPDATE \"Post\" SET \"latitude\" = \"id$\", \"longitude\" = - \"id$\"", [])])
        let browser = try feed.browser()
        let overview = try browser.overview()
        #expect(overview.entities.map(\.name) == ["Author", "Post", "Tag", "Video"])
        #expect(overview.entities.first { $0.name == "Post" }?.count == .exactly(30))
        #expect(overview.mappedEntities == ["Post", "Video"] && overview.hasHistory)
        let picture = try #require(try browser.diagram { "/rows?entity=\($0)&x=\"" })
        #expect(picture.contains("<a href=\"/rows?entity=Author&amp;x=&quot;\">") && !picture.contains("<style>"))
        #expect(try browser.keyPaths(of: "Post", beginningWith: "author.n") == ["author.name"])
        #expect(try browser.keyPaths(of: "Author", beginningWith: "posts.tags.na") == ["posts.tags.name"])
        #expect(try browser.keyPaths(of: "Author", beginningWith: "zzz").isEmpty)
        var request = RowRequest(.entity("Post"))
        request.sort = "large"
        #expect(try browser.explanation(of: request).plan.joined().contains("byLarge"))
        request.sort = nil
        request.filter = "title == 'a'"
        #expect(try browser.explanation(of: request).advice.contains("fetchIndex"))
        let map = try browser.map("Post", nil)
        #expect(map.points.count == 30 && map.names == ("longitude", "latitude"))
        let box = try #require(RowMap.Box(minimumX: -10, maximumX: 0, minimumY: 0, maximumY: 10))
        #expect(try Set(browser.map("Post", box).points.map(\.number)) == [3, 6, 9])
        #expect(try browser.storedSchema().text.contains("CREATE TABLE"))
        #expect(browser.plannedSchema.count == 1)
    }

    @Test("the differences of two stores")
    func differences() throws {
        var random = SeededGenerator(seed: Seed(10, in: #fileID))
        let (feed, other) = (try BrowsedFeed(), try BrowsedFeed())
        try feed.fill(3, &random)
        #expect(try feed.browser().differences(from: feed.url).tables.isEmpty)
        let found = try feed.browser().differences(from: other.url)
        #expect(found.tables.contains { $0.name == "Post" && $0.rows.count == 3 })
    }

    @Test("a file that is no store is shown as it is, or refused")
    func otherFiles() throws {
        let feed = try BrowsedFeed()
        let plain = feed.folder.appendingPathComponent("plain.sqlite")
        let connection = try Connection(opening: plain.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try connection.execute("CREATE TABLE t (a, b)")
        try connection.execute("INSERT INTO t VALUES (1, '<script>'), (x'00ff', NULL)")
        let browser = try StoreBrowser(plain)
        let overview = try browser.overview()
        #expect(!overview.isTyped && overview.tables.contains("t") && overview.summary.contains("not a store"))
        #expect(
            try browser.rows(RowRequest(.table("t"))).rows[0].values == [
                .number("1"), .number("1"), .text("<script>", length: nil),
            ])
        #expect(throws: BrowsingError.self) { try browser.rows(RowRequest(.entity("t"))) }
        #expect(throws: BrowsingError.self) { try StoreBrowser(feed.folder.appendingPathComponent("none")) }
        let text = feed.folder.appendingPathComponent("text")
        try Data("no database at all, and longer than a header of one: \(String(repeating: "x", count: 1000))".utf8)
            .write(to: text)
        #expect(throws: BrowsingError.self) { try StoreBrowser(text).overview() }
    }
}
