import DataModel
import Foundation
import ModelFormat
import Testing

@Suite("Input that is broken or hostile")
struct HostileInputTests {
    private func findings(_ bytes: [UInt8]) -> [String] {
        let (model, diagnostics) = ModelReader.read(contents: bytes, named: "Test", file: "contents")
        #expect(model == nil)
        return diagnostics.all.map { "\($0.severity) \($0.code.rawValue)" }
    }

    private let malformed = ["error malformed-xml"]

    @Test(arguments: [
        "", " ", "hello", "<", "<model", "<model>", "<model/><model/>", "<model a=\"1\" a=\"2\"/>",
        "<model>&nothing;</model>",
        "<model a='&nothing;'/>", "<model>\u{1}</model>", "<model>\u{0}</model>", "{}", "%PDF-1.4",
        "<model><entity></model>",
        "<model a=\"<\"/>", "<?xml version=\"1.0\"?>", "<!DOCTYPE model>", "<model>]]></model>", "<model/>x",
    ])
    func whatIsNotXMLIsAnError(text: String) {
        #expect(findings(Array(text.utf8)) == malformed)
    }

    @Test func everyTruncationIsAnError() {
        let bytes = Array(thing("<attribute name=\"a\" attributeType=\"String\"><userInfo/></attribute>").utf8)
        for length in 0..<bytes.count { #expect(findings(Array(bytes[..<length])) == malformed) }
    }

    @Test func invalidUTF8IsAnError() {
        let start = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><model a=\"".utf8)
        for invalid: [UInt8] in [[0xE9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80]] {
            #expect(findings(start + invalid + Array("\"/>".utf8)) == malformed)
        }
        let wide = Array("<model/>".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(findings([0xFF, 0xFE] + wide) == malformed)
        #expect(findings(wide) == malformed)
    }

    @Test func otherXMLIsNoModel() {
        #expect(findings(Array("<plist/>".utf8)) == ["error not-a-model"])
        #expect(findings(Array("<model type=\"com.example.Other\"/>".utf8)) == ["error not-a-model"])
    }

    @Test func binaryModelsAreNamedAsSuch() {
        #expect(findings(Array("bplist00\u{1}".utf8)) == ["error binary-model"])
    }

    @Test func anXMLBombIsRefused() throws {
        var text = "<!DOCTYPE model [<!ENTITY e0 \"ha\">"
        for number in 1...30 {
            text += "<!ENTITY e\(number) \"" + String(repeating: "&e\(number - 1);", count: 10) + "\">"
        }
        text += "]><model type=\"com.apple.IDECoreDataModeler.DataModel\"><entity name=\"&e30;\"/></model>"
        let result = read(text)
        #expect(result.model == nil)
        #expect(try #require(result.diagnostics.first).message.contains("declares entities"))
    }

    @Test(arguments: [
        "<!DOCTYPE model [<!ENTITY e SYSTEM \"URL\">]><model>&e;</model>",
        "<!DOCTYPE model [<!ENTITY e SYSTEM \"URL\">]><model a=\"&e;\"/>",
        "<!DOCTYPE model [<!ENTITY % e SYSTEM \"URL\"> %e;]><model/>",
        "<!DOCTYPE model [%e;]><model/>",
        "<!DOCTYPE model [<!ATTLIST model type CDATA \"x\">]><model/>",
        "<!DOCTYPE model [<!ELEMENT model ANY>]><model/>",
        "<!DOCTYPE model [<!NOTATION n SYSTEM \"URL\">]><model/>",
        "<!DOCTYPE model [<!NOTATION n SYSTEM \"URL\"><!ENTITY e SYSTEM \"URL\" NDATA n>]><model/>",
        "<!DOCTYPE model SYSTEM \"URL\"><model>&e;</model>",
    ])
    func declarationsAreRefusedAndNothingIsOpened(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("<!ENTITY e \"secret\">", to: "secret.dtd")
        for url in ["file://\(folder.path)/secret.dtd", "\(folder.path)/secret.dtd", "http://127.0.0.1:1/secret.dtd"] {
            let result = read(text.replacingOccurrences(of: "URL", with: url))
            #expect(result.model == nil)
            #expect(result.findings == malformed)
            #expect(!result.diagnostics.contains { $0.description.contains("secret\"") })
        }
    }

    @Test func anExternalDocumentTypeIsNotLoaded() throws {
        let folder = try TemporaryFolder()
        try folder.write("<!ENTITY e \"secret\"><!ATTLIST model type CDATA \"secret\">", to: "secret.dtd")
        for url in ["file://\(folder.path)/secret.dtd", "http://127.0.0.1:1/secret.dtd"] {
            let result = read("<!DOCTYPE model SYSTEM \"\(url)\"><model><entity name=\"A\"/></model>")
            #expect(result.findings == ["warning no-effect"])
            #expect(result.model?.entities.map(\.name) == ["A"])
        }
        #expect(read("<!DOCTYPE model><model/>").findings.isEmpty)
    }

    @Test func anIncludedFileIsNotRead() throws {
        let folder = try TemporaryFolder()
        try folder.write("<entity name=\"B\"/>", to: "part.xml")
        let include =
            "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"\(folder.path)/part.xml\" parse=\"xml\"/>"
        let result = read("<model>\n\(include)<entity name=\"A\">\(include)</entity></model>")
        #expect(result.model?.entities.map(\.name) == ["A"])
        #expect(result.findings == ["warning no-effect", "warning no-effect"])
        #expect(try #require(result.diagnostics.first).location.line == 2)
        // Other elements with a prefix belong to other tools.
        #expect(read("<model><x:note xmlns:x=\"urn:x\"/></model>").findings.isEmpty)
    }

    @Test(arguments: [101, 10_000, 200_000])
    func deepNestingIsAnError(depth: Int) throws {
        let text = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        let result = read(text)
        #expect(result.findings == malformed)
        let found = try #require(result.diagnostics.first)
        #expect(found.message.contains("nested more than 100 deep"))
        #expect(found.location.column == 301)
        #expect(findings(Array(String(repeating: "<a>", count: depth).utf8)) == malformed)
    }

    @Test func aHundredLevelsAreRead() {
        let inner = String(repeating: "<a>", count: 99) + String(repeating: "</a>", count: 99)
        #expect(read("<model>\(inner)</model>").findings == ["warning unknown-element"])
    }

    @Test func tooManyAttributesAreAnError() {
        func element(_ count: Int) -> String {
            "<model " + (0..<count).map { "a\($0)='='" }.joined(separator: " ") + "/>"
        }
        #expect(read(element(1000)).model != nil)
        #expect(read(element(1001)).findings == malformed)
        #expect(read(element(300_000)).findings == malformed)
        let text =
            "<!-- \(String(repeating: "=", count: 2000)) --><model>\(String(repeating: "=", count: 2000))</model>"
        #expect(read(text).model != nil)
    }

    @Test func largeDocumentsAreRead() {
        let attribute = "<attribute name=\"a\" attributeType=\"String\"/>"
        let body = (0..<20_000).map { "<entity name=\"E\($0)\">\(attribute)</entity>" }.joined(separator: "\n")
        #expect(read(document(body)).model?.entities.count == 20_000)
    }
}
