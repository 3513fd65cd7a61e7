import DataModel
import Foundation
import ModelFormat
import Testing

@testable import LanguageServer

@Suite struct AnswerTests {
    let folder: ModelFolder
    let client: TestClient
    let uris: [String]
    static let second = feed.replacing(
        first: "<attribute name=\"title\"", with: "<attribute name=\"headline\" elementID=\"title\""
    )
    .replacing(first: "property=\"title\"", with: "property=\"headline\"")
    .replacing(
        first: "<attribute name=\"name\"",
        with:
            "<attribute name=\"age\" optional=\"YES\" attributeType=\"Integer 16\" usesScalarValueType=\"NO\"/>\n        <attribute name=\"name\""
    )

    init() throws {
        folder = try ModelFolder()
        client = try TestClient()
        uris = try folder.writeBundle("Feed", ["Feed": feed, "Feed 2": Self.second]).map(FileURI.uri)
    }

    private func text(_ old: String, _ new: String) -> String { Self.second.replacing(first: old, with: new) }

    private func hover(_ old: String, _ new: String) throws -> String {
        try client.ask("textDocument/hover", uris[1], text(old, new))["contents"]["value"].string ?? ""
    }

    @Test func hoverShowsSwiftAndSQL() throws {
        let attribute = try hover("name=\"likes\"", "name=\"li|kes\"")
        #expect(attribute.contains("var likes: Int64"))
        #expect(attribute.contains("\"likes\" INTEGER NOT NULL"))
        #expect(attribute.contains("Default: `0`"))
        #expect(attribute.contains("Since version `Feed`."))
        let new = try hover("name=\"age\"", "name=\"a|ge\"")
        #expect(new.contains("var age: Int16?"))
        #expect(new.contains("New in this version."))
        let entity = try hover("<entity name=\"Post\"", "<ent|ity name=\"Post\"")
        #expect(entity.contains("class Post {"))
        #expect(entity.contains("    var author: Person?"))
        #expect(entity.contains("CREATE TABLE \"Post\""))
        let relationship = try hover("name=\"posts\"", "name=\"|posts\"")
        #expect(relationship.contains("var posts: ToMany<Post>"))
        #expect(relationship.contains("Inverse: `Post.author`"))
        #expect(relationship.contains("column `author` of `Post`"))
    }

    @Test func hoverTellsTheMigration() throws {
        let (plain, position) = marked(text("name=\"headline\"", "name=\"head|line\""))
        client.open(uris[1], plain)
        _ = try client.diagnostics(uris[1])
        let hover = try client.result(
            "textDocument/hover", ["textDocument": ["uri": .string(uris[1])], "position": position])
        let value = hover["contents"]["value"].string ?? ""
        #expect(value.contains("rename attribute Post.title to Post.headline"), "\(value)")
        #expect(value.contains("Since version `Feed`."))
    }

    @Test func definitionLeadsToTheDeclaration() throws {
        func line(_ old: String, _ new: String) throws -> Int? {
            let found = try client.ask("textDocument/definition", uris[1], text(old, new)).array
            #expect(found.count == 1, "\(new): \(found)")
            #expect(found.first?["uri"] == .string(uris[1]))
            return found.first?["range"]["start"]["line"].integer
        }
        func declaration(_ name: String) -> Int? {
            Self.second.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains(name) }
        }
        #expect(
            try line("destinationEntity=\"Person\"", "destinationEntity=\"Per|son\"")
                == declaration("<entity name=\"Person\""))
        #expect(try line("inverseName=\"posts\"", "inverseName=\"|posts\"") == declaration("name=\"posts\""))
        #expect(
            try line("property=\"headline\"", "property=\"headline|\"") == declaration("<attribute name=\"headline\""))
        #expect(try line("author.name", "author.na|me") == declaration("<attribute name=\"name\""))
        #expect(try line("AND author.name", "AND aut|hor.name") == declaration("<relationship name=\"author\""))
    }

    @Test func referencesAreOfAllVersions() throws {
        let found = try client.ask(
            "textDocument/references", uris[1], text("<attribute name=\"headline\"", "<attribute name=\"head|line\""),
            ["context": ["includeDeclaration": true]]
        ).array
        // In each version the declaration and an index.
        #expect(found.count == 4)
        #expect(Set(found.map { $0["uri"] }) == [.string(uris[0]), .string(uris[1])])
        let without = try client.ask(
            "textDocument/references", uris[1], text("name=\"posts\"", "name=\"po|sts\""),
            ["context": ["includeDeclaration": false]]
        ).array
        #expect(without.count == 2)
    }

    /// A file is read again only if its date differs. Advice comes after the other versions are read.
    @Test func versionsAreReadBeforeTheyAreNeeded() throws {
        let client = try TestClient { plan in
            var diagnostics = Diagnostics()
            if let place = plan?.schema.graph.model.location { diagnostics.report(.missingIndex, at: place, "Slow") }
            return diagnostics
        }
        let file = try #require(FileURI.path(uris[0]))
        func write(_ text: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: file)
        }
        try write(feed)
        client.open(uris[1], Self.second)
        #expect(try client.diagnostics(uris[1]) == [])
        #expect(try client.diagnostics(uris[1]).map { $0["code"] } == ["missing-index"])
        try write("")
        let (_, position) = marked(text("<attribute name=\"headline\"", "<attribute name=\"head|line\""))
        let found = try client.result(
            "textDocument/references", ["textDocument": ["uri": .string(uris[1])], "position": position]
        ).array
        #expect(found.count == 4)
    }

    @Test func symbolsAreATree() throws {
        let symbols = try client.ask("textDocument/documentSymbol", uris[1], Self.second + "|").array
        #expect(symbols.map { $0["name"].string } == ["Post", "Person", "Popular"])
        #expect(
            symbols[0]["children"].array.map { $0["name"].string } == [
                "headline", "likes", "timestamp", "author", "byTitle",
            ])
        client.open(uris[1], Self.second)
        let all = try client.result("workspace/symbol", ["query": "TITL"]).array
        #expect(all.map { $0["name"].string } == ["byTitle", "title", "byTitle"])
        #expect(try client.result("workspace/symbol", ["query": ""]).array.count == 11)
    }

    /// Two entities of one name made the outline of classes end the process.
    @Test func hoverInAModelWithErrors() throws {
        let wrong = text("<entity name=\"Person\"", "<entity name=\"Post\"")
        let hover = try client.ask(
            "textDocument/hover", uris[1], wrong.replacing(first: "name=\"likes\"", with: "name=\"li|kes\""))
        #expect(hover["contents"]["value"].string?.contains("var likes: Int64") == true)
    }

    // MARK: Edits

    @Test func renameTakesAlongAllThatNames() throws {
        let (plain, position) = marked(text("name=\"author\"", "name=\"auth|or\""))
        client.open(uris[1], plain)
        let parameters: JSONValue = [
            "textDocument": ["uri": .string(uris[1])], "position": position, "newName": "writer",
        ]
        let prepared = try client.result("textDocument/prepareRename", parameters)
        #expect(prepared["placeholder"] == "author")
        let edit = try client.result("textDocument/rename", parameters)
        let renamed = applying(edit["documentChanges"].array.first?["edits"].array ?? [], to: plain)
        #expect(renamed.contains("name=\"writer\" optional=\"YES\" maxCount=\"1\""))
        #expect(renamed.contains("inverseName=\"writer\""))
        #expect(renamed.contains("AND writer.name"))
        // The version before has the name.
        #expect(renamed.contains("elementID=\"author\""))
        #expect(!renamed.replacing(first: "elementID=\"author\"", with: "").contains("author"))
        #expect(edit["documentChanges"].array.first?["textDocument"]["version"] == 1)
        let refused = try client.answer(
            "textDocument/rename",
            ["textDocument": ["uri": .string(uris[1])], "position": position, "newName": "likes"])
        #expect(refused["error"]["code"] == -32803)
    }

    @Test func formattingChangesNothingElse() throws {
        let plain = text("    <entity name=\"Post\"", "  <entity   name=\"Post\"")
        client.open(uris[1], plain)
        let parameters: JSONValue = [
            "textDocument": ["uri": .string(uris[1])], "options": ["tabSize": 4, "insertSpaces": true],
        ]
        let edits = try client.result("textDocument/formatting", parameters).array
        let formatted = applying(edits, to: plain)
        #expect(formatted.contains("\n    <entity name=\"Post\""))
        client.change(uris[1], to: formatted, version: 2)
        #expect(try client.result("textDocument/formatting", parameters) == [])
        // A text that cannot be read is not changed.
        client.change(uris[1], to: formatted.replacing(first: "</entity>", with: ""), version: 3)
        #expect(try client.result("textDocument/formatting", parameters) == [])
    }

    // MARK: Fixes

    private func actions(_ text: String, _ place: String, at uri: String? = nil) throws -> [JSONValue] {
        let uri = uri ?? uris[1]
        client.open(uri, text)
        _ = try client.diagnostics(uri)
        let bytes = Array(text.utf8)
        let offset = bytes.firstRange(of: Array(place.utf8))?.lowerBound ?? 0
        let position = DocumentText(bytes).position(of: offset, .utf8).json
        return try client.result(
            "textDocument/codeAction",
            [
                "textDocument": ["uri": .string(uri)], "range": ["start": position, "end": position],
                "context": ["diagnostics": []],
            ]
        ).array
    }

    private func edited(_ text: String, by action: JSONValue) -> String {
        applying(action["edit"]["documentChanges"].array.first?["edits"].array ?? [], to: text)
    }

    @Test func fixesOfTheCheckAreOffered() throws {
        let wrong = text("attributeType=\"Date\"", "attributeType=\"Dat\"")
        let found = try actions(wrong, "attributeType=\"Dat\"")
        let action = try #require(found.first { $0["title"] == "Write attributeType=\"Date\"" }, "\(found)")
        #expect(action["isPreferred"] == true)
        #expect(edited(wrong, by: action) == Self.second)
    }

    @Test func missingInverseIsMade() throws {
        let wrong = text(
            "        <attribute name=\"likes\"",
            "        <relationship name=\"editor\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"Person\"/>\n        <attribute name=\"likes\""
        )
        let found = try actions(wrong, "relationship name=\"editor\"")
        let action = try #require(found.first { $0["title"].string?.contains("inverse") == true }, "\(found)")
        client.change(uris[1], to: edited(wrong, by: action), version: 2)
        let left = try client.diagnostics(uris[1], version: 2).filter { $0["code"].string?.contains("inverse") == true }
        #expect(left == [])
        #expect(found.contains { $0["title"] == "Silence 'missing-inverse' here" })
    }

    @Test func missingAttributeIsAdded() throws {
        let wrong = text(" attributeType=\"Integer 16\" usesScalarValueType=\"NO\"", "")
        let found = try actions(wrong, "attribute name=\"age\"")
        let action = try #require(
            found.first { $0["title"].string?.contains("attributeType=\"String\"") == true }, "\(found)")
        let fixed = edited(wrong, by: action)
        client.change(uris[1], to: fixed, version: 2)
        #expect(try client.diagnostics(uris[1], version: 2).filter { $0["severity"] == 1 } == [], "\(fixed)")
    }

    @Test func fixesOfAHalfTypedTextLeaveTheRest() throws {
        let wrong = text("attributeType=\"Date\"", "attributeType=\"Dat\"").replacing(
            first: "        <attribute name=\"likes\"",
            with: "        <attribute name=\"su\n        <attribute name=\"likes\"")
        let action = try #require(
            try actions(wrong, "attributeType=\"Dat\"").first { $0["title"] == "Write attributeType=\"Date\"" })
        #expect(edited(wrong, by: action) == wrong.replacing(first: "\"Dat\"", with: "\"Date\""))
    }

    @Test func newVersionIsOneChange() throws {
        let found = try actions(Self.second, "<entity")
        let action = try #require(found.first { $0["kind"] == "refactor" })
        #expect(action["title"] == "Begin the version 'Feed 3'")
        let changes = action["edit"]["documentChanges"].array
        #expect(changes.first?["uri"].string?.hasSuffix("/Feed%203.xcdatamodel/contents") == true)
        // Neovim creates no file that may exist.
        #expect(changes.first?["options"] == .null)
        #expect(changes[1]["edits"].array.first?["newText"] == .string(Self.second))
        #expect(changes.last?["edits"].array.first?["newText"].string?.contains("Feed 3.xcdatamodel") == true)
        // An older version begins none.
        #expect(try actions(feed, "<entity", at: uris[0]).contains { $0["kind"] == "refactor" } == false)
    }

    @Test func clientsGetWhatTheyUnderstand() throws {
        let client = try TestClient(capabilities: [:])
        let symbols = try client.ask("textDocument/documentSymbol", uris[1], Self.second + "|").array
        #expect(symbols.first?["location"]["uri"] == .string(uris[1]))
        let hover = try client.ask("textDocument/hover", uris[1], text("name=\"likes\"", "name=\"li|kes\""))
        #expect(hover["contents"]["kind"] == "plaintext")
        #expect(hover["contents"]["value"].string?.contains("```") == false)
    }

    @Test func errorsOfScriptsAreAtTheirPlace() throws {
        let path = "\(folder.path)/Feed.xcdatamodeld/Feed 2.sql"
        let script = "-- Fills\n  UPDATE \"Post\"\n  SET \"headlin\" = 'x';\n"
        client.open(FileURI.uri(path), script)
        let found = try client.diagnostics(FileURI.uri(path))
        #expect(found.map { $0["code"] } == ["invalid-migration-script"])
        #expect(found.first?["range"]["start"] == ["line": 2, "character": 7])
        client.change(FileURI.uri(path), to: script.replacing(first: "headlin", with: "headline"), version: 2)
        #expect(try client.diagnostics(FileURI.uri(path), version: 2) == [])
    }
}
