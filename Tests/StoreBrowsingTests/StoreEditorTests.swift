import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar
@_spi(Studio) @testable import StoreBrowsing

/// Changes by hand.
@Suite struct StoreEditorTests {
    let feed: BrowsedFeed
    let browser: StoreBrowser
    let editor: StoreEditor

    init() throws {
        var random = SeededGenerator(seed: Seed(11, in: #fileID))
        feed = try BrowsedFeed()
        try feed.fill(5, &random)
        browser = try feed.browser()
        editor = StoreEditor(browser)
    }

    private func change(_ entity: String, _ number: Int64, _ property: String, _ value: String?) throws {
        let version = try browser.object(entity, number).version
        try editor.change(entity, number, version: version, [StoreEditor.Change(property: property, value: value)])
    }

    private func value(_ entity: String, _ number: Int64, _ property: String) throws -> BrowsedValue? {
        try browser.object(entity, number).attributes.first { $0.name == property }?.value
    }

    @Test("a change is written, told by the history, taken back and done again")
    func undo() throws {
        let before = try value("Post", 3, "title")
        try change("Post", 3, "title", "new <b>")
        #expect(try value("Post", 3, "title") == .text("new <b>", length: nil))
        #expect(editor.undoTitle?.contains("title") == true && editor.redoTitle == nil)
        let last = try #require(try browser.timeline(before: nil).transactions.first)
        #expect(last.author == StoreEditor.author)
        #expect(last.changes.map(\.row) == [3])
        #expect(last.changes.map(\.kind) == [.update])
        try editor.undo()
        #expect(try value("Post", 3, "title") == before && editor.undoTitle == nil)
        try editor.redo()
        #expect(try value("Post", 3, "title") == .text("new <b>", length: nil))
        #expect(throws: BrowsingError.self) { try editor.redo() }
    }

    @Test(
        "values of every type",
        arguments: [
            ("small", "-5"), ("middle", "10"), ("large", "9223372036854775807"), ("price", "1.50"), ("score", "0.1"),
            ("ratio", "0.5"), ("title", ""), ("isNew", "true"), ("date", "2026-03-01T08:00:00.25Z"),
            ("key", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), ("link", "https://example.org/%20"), ("author", "4"),
        ])
    func types(_ property: String, _ text: String) throws {
        /// The values of the row, without its version.
        func stored() throws -> [SQLiteValue] {
            let columns = (BrowsedFeed.columns + ["author"]).map { "\"\($0)\"" }.joined(separator: ", ")
            return try feed.rows("SELECT \(columns) FROM \"Post\" WHERE \"id$\" = 3").first ?? []
        }
        let before = try stored()
        try change("Post", 3, property, nil)
        try change("Post", 3, property, text)
        let object = try browser.object("Post", 3)
        if let attribute = object.attributes.first(where: { $0.name == property }) {
            #expect(attribute.isEditable && attribute.editedText == (text == "1.50" ? "1.5" : text))
        } else {
            #expect(object.relationships.first { $0.name == property }?.objects.map(\.number) == [4])
        }
        while editor.undoTitle != nil { try editor.undo() }
        #expect(try stored() == before)
    }

    @Test(
        "what the model or the store does not allow is refused, and changes nothing",
        arguments: [
            ("Post", "small", "32768"), ("Post", "small", "x"), ("Post", "middle", "11"), ("Post", "middle", "-11"),
            ("Post", "score", "nan"), ("Post", "date", "yesterday"), ("Post", "key", "1"), ("Post", "isNew", "2"),
            ("Post", "price", "1,5"), ("Post", "cover", "00"), ("Post", "tags", "1"), ("Post", "tags", nil),
            ("Post", "author", "99"),
            ("Post", "nothing", "1"), ("Author", "name", "A"), ("Author", "name", "lower"), ("Author", "name", nil),
            ("Author", "name", "Author 4"), ("Post", "latitude", nil), ("Post", "id$", "1"), ("Post", "version$", "1"),
        ] as [(String, String, String?)])
    func refusals(_ entity: String, _ property: String, _ text: String?) throws {
        let before = try feed.rows("SELECT * FROM \"Post\"") + feed.rows("SELECT * FROM \"Author\"")
        #expect(throws: BrowsingError.self) { try change(entity, 3, property, text) }
        #expect(try feed.rows("SELECT * FROM \"Post\"") + feed.rows("SELECT * FROM \"Author\"") == before)
        #expect(editor.undoTitle == nil)
    }

    @Test("what somebody else changed meanwhile is left as it is")
    func conflicts() throws {
        try change("Post", 3, "small", "1")
        try feed.execute([("UPDATE \"Post\" SET \"small\" = 2, \"version$\" = \"version$\" + 1 WHERE \"id$\" = 3", [])])
        #expect(throws: BrowsingError.self) { try editor.undo() }
        #expect(try value("Post", 3, "small") == .number("2"))
        let version = try browser.object("Post", 3).version
        #expect(throws: BrowsingError.self) {
            try editor.change("Post", 3, version: version - 1, [StoreEditor.Change(property: "small", value: "3")])
        }
        #expect(try value("Post", 3, "small") == .number("2"))
    }
}
