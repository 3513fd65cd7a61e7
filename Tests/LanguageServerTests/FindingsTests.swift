import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import Testing

@testable import LanguageServer

@Suite struct FindingsTests {
    let folder: ModelFolder
    let client: TestClient

    init() throws {
        folder = try ModelFolder()
        client = try TestClient()
    }

    private func codes(_ diagnostics: [JSONValue]) -> [String] { diagnostics.compactMap { $0["code"].string }.sorted() }

    @Test func findingsAreThoseOfTheCheck() throws {
        let wrong = feed.replacing(first: "attributeType=\"Date\"", with: "attributeType=\"Dat\"")
            .replacing(first: "inverseName=\"posts\"", with: "inverseName=\"post\"")
        let file = try folder.writeBundle("Feed", ["Feed": wrong])[0]
        let uri = FileURI.uri(file)
        client.open(uri, wrong)
        let found = try client.diagnostics(uri)
        let expected = ModelPlan.make(modelPath: "\(folder.path)/Feed.xcdatamodeld").diagnostics.sorted
        #expect(codes(found) == expected.map(\.code.rawValue).sorted())
        #expect(found.count > 1)
        let type = try #require(found.first { $0["code"] == "unknown-attribute-type" })
        let line = try #require(wrong.split(separator: "\n").firstIndex { $0.contains("\"Dat\"") })
        #expect(type["range"]["start"]["line"].integer == line)
        #expect(type["severity"] == 1)
    }

    @Test func unsavedTextCounts() throws {
        let file = try folder.writeBundle("Feed", ["Feed": feed])[0]
        let uri = FileURI.uri(file)
        client.open(uri, feed)
        #expect(try client.diagnostics(uri) == [])
        client.change(
            uri, to: feed.replacing(first: "destinationEntity=\"Person\"", with: "destinationEntity=\"Persn\""),
            version: 2)
        #expect(codes(try client.diagnostics(uri, version: 2)).contains("unknown-destination"))
        client.change(uri, to: feed, version: 3)
        #expect(try client.diagnostics(uri, version: 3) == [])
        // A text cannot become older.
        client.change(uri, to: "", version: 2)
        let symbols = try client.result("textDocument/documentSymbol", ["textDocument": ["uri": .string(uri)]])
        #expect(symbols.array.map { $0["name"] } == ["Post", "Person", "Popular"])
        client.change(uri, to: feed + "\n", version: 4)
        #expect(try client.diagnostics(uri, version: 4) == [])
    }

    @Test func codesLeadToTheirPage() throws {
        let wrong = feed.replacing(first: "attributeType=\"Date\"", with: "attributeType=\"Dat\"")
        let uri = FileURI.uri(try folder.writeBundle("Models/Feed", ["Feed": wrong])[0])
        client.open(uri, wrong)
        // The page is that of the checkout which the package uses.
        #expect(try client.diagnostics(uri).map { $0["codeDescription"] } == [.null])
        let page = try folder.write("# Diagnostics\n", to: ".build/checkouts/ashlar/Documentation/Diagnostics.md")
        client.change(uri, to: wrong + "\n", version: 2)
        #expect(
            try client.diagnostics(uri, version: 2).map { $0["codeDescription"]["href"] } == [
                .string("\(FileURI.uri(page))#unknown-attribute-type")
            ])
        let plain = try TestClient(capabilities: [:])
        plain.open(uri, wrong)
        #expect(try plain.diagnostics(uri).map { $0["codeDescription"] } == [.null])
    }

    @Test func halfTypedTextStillGivesAllElse() throws {
        let file = try folder.writeBundle("Feed", ["Feed": feed])[0]
        let uri = FileURI.uri(file)
        let wrong = feed.replacing(
            first: "<attribute name=\"name\" attributeType=\"String\"/>",
            with: "<attribute name=\"name\" attributeType=\"Strng\"/>")
        let typed = wrong.replacing(
            first: "        <attribute name=\"likes\"",
            with: "        <attribute name=\"sub\n        <attribute name=\"likes\"")
        client.open(uri, typed)
        let found = try client.diagnostics(uri)
        #expect(codes(found).contains("malformed-xml"))
        let type = try #require(found.first { $0["code"] == "unknown-attribute-type" })
        let line = try #require(typed.split(separator: "\n").firstIndex { $0.contains("Strng") })
        #expect(type["range"]["start"]["line"].integer == line)
    }

    @Test func otherVersionsAreReadAsTheyAreTyped() throws {
        let second = feed.replacing(
            first: "attributeType=\"Integer 64\" defaultValueString=\"0\"", with: "attributeType=\"Binary\""
        )
        .replacing(first: " usesScalarValueType=\"YES\"/>", with: "/>")
        .replacing(first: "likes &gt; 10 AND ", with: "")
        let files = try folder.writeBundle("Feed", ["Feed": feed, "Feed 2": second])
        let uris = files.map(FileURI.uri)
        client.open(uris[1], second)
        let before = codes(try client.diagnostics(uris[1], version: 1))
        #expect(before.contains("migration-not-inferrable"), "\(before)")
        // Now the first version has the type, too.
        client.open(uris[0], second)
        #expect(!codes(try client.diagnostics(uris[1], version: 1)).contains("migration-not-inferrable"))
        client.close(uris[0])
        #expect(codes(try client.diagnostics(uris[1], version: 1)) == before)
    }

    @Test func eachBundleHasItsOwnFindings() throws {
        let wrong = feed.replacing(first: "attributeType=\"Date\"", with: "attributeType=\"Dat\"")
        let first = FileURI.uri(try folder.writeBundle("First", ["First": wrong])[0])
        let second = FileURI.uri(try folder.writeBundle("Second", ["Second": feed])[0])
        client.open(first, wrong)
        client.open(second, feed)
        #expect(!(try client.diagnostics(first)).isEmpty)
        #expect(try client.diagnostics(second) == [])
        // A closed document has no findings.
        client.close(first)
        #expect(try client.diagnostics(first) == [])
        #expect(client.pending.isEmpty)
    }

    @Test func inverseLeadsToItsOtherSide() throws {
        let wrong = feed.replacing(first: "inverseName=\"author\" inverseEntity=\"Post\"", with: "")
        let file = try folder.writeBundle("Feed", ["Feed": wrong])[0]
        let uri = FileURI.uri(file)
        client.open(uri, wrong)
        let found = try client.diagnostics(uri)
        let mismatch = try #require(found.first { $0["code"] == "inverse-mismatch" }, "\(found)")
        let related = mismatch["relatedInformation"].array
        let line = try #require(wrong.split(separator: "\n").firstIndex { $0.contains("name=\"posts\"") })
        #expect(related.first?["location"]["range"]["start"]["line"].integer == line)
    }

    /// Slow findings come after a pause, and keep their lines until they are looked for again.
    @Test func adviceFollowsItsLine() throws {
        let file = try folder.writeBundle("Feed", ["Feed": feed])[0]
        let uri = FileURI.uri(file)
        let client = try TestClient { plan in
            var diagnostics = Diagnostics()
            let request = plan?.schema.graph.model.fetchRequests.first
            if let request { diagnostics.report(.missingIndex, at: request.location, "Slow") }
            return diagnostics
        }
        client.open(uri, feed)
        #expect(try client.diagnostics(uri) == [])
        let slow = try client.diagnostics(uri)
        #expect(codes(slow) == ["missing-index"])
        let line = try #require(slow.first?["range"]["start"]["line"].integer)
        client.change(uri, to: feed.replacing(first: "        <attribute", with: "\n        <attribute"), version: 2)
        let moved = try client.diagnostics(uri, version: 2)
        #expect(moved.first?["range"]["start"]["line"].integer == line + 1)
        // Another line has another finding, which is not known yet.
        client.change(uri, to: feed.replacing(first: "likes &gt; 10 AND", with: "likes &gt; 11 AND"), version: 3)
        #expect(try client.diagnostics(uri, version: 3) == [])
        #expect(codes(try client.diagnostics(uri, version: 3)) == ["missing-index"])
    }

    @Test func documentsThatAreNoModelsHaveNoAnswers() throws {
        client.open("untitled:contents", feed)
        client.open("file:///nowhere/contents", feed)
        client.change("file:///nowhere/contents", to: "", version: 2)
        client.close("file:///nowhere/contents")
        #expect(
            try client.answer(
                "textDocument/hover",
                ["textDocument": ["uri": "untitled:contents"], "position": ["line": 0, "character": 0]])["error"][
                    "code"] == -32803)
        #expect(client.pending.isEmpty)
    }

    @Test func pathsWithAnyCharactersAreFound() throws {
        let file = try folder.writeBundle(
            "Fé ed#1%", ["V\u{1F600} 2": feed.replacing(first: "\"Date\"", with: "\"Dat\"")])[0]
        let text = feed.replacing(first: "\"Date\"", with: "\"Dat\"")
        // Editors escape more or less than others.
        let uri = FileURI.uri(file).replacingOccurrences(of: "%20", with: " ")
        client.open(uri, text)
        #expect(codes(try client.diagnostics(uri)) == ["unknown-attribute-type"])
    }
}
