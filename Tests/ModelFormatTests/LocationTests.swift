import DataModel
import Testing

@testable import ModelFormat

@Suite("Places in the XML")
struct LocationTests {
    private func parse(_ text: String) throws -> XMLElement {
        var diagnostics = Diagnostics()
        let root = XMLElement(parsing: Array(text.utf8), file: "f", reportingTo: &diagnostics)
        #expect(diagnostics.all.isEmpty)
        return try #require(root)
    }

    private func places(_ element: XMLElement) -> [String] {
        ["\(element.name) \(element.location)"] + element.attributes.map { "@\($0.name) \($0.location)" }
            + element.children.flatMap(places)
    }

    @Test func elementsAndAttributesHaveLineAndColumn() throws {
        let text = """
            <?xml version="1.0"?>
            <!-- <not a="tag"> -->
            <a>
              <b x = '>' y="2"
                 z="/>"/><c/>
            </a>
            """
        #expect(
            try places(parse(text)) == ["a f:3:1", "b f:4:3", "@x f:4:6", "@y f:4:14", "@z f:5:6", "c f:5:14"])
    }

    @Test func whatIsNoElementIsSteppedOver() throws {
        let prolog = "<!DOCTYPE a PUBLIC \"-//a//\" '<x>y' [ <!-- ]> <a> --> <?p ]> <a> ?> ]>"
        let start = "<a><?i <b> ?><![CDATA[<b>]]><!-- <b> -->"
        let places = try places(parse(prolog + start + "<b/>t<b><!----></b></a>"))
        let column = prolog.count + start.count + 1
        #expect(places == ["a f:1:\(prolog.count + 1)", "b f:1:\(column)", "b f:1:\(column + 5)"])
    }

    @Test func columnsCountBytesAndLinesMayEndAsOnWindows() throws {
        let root = try parse("\u{FEFF}<a>\r\n<b n=\"é\" m=\"\"/>\r\n\r\n\t<c/></a>")
        #expect(places(root) == ["a f:1:1", "b f:2:1", "@n f:2:4", "@m f:2:11", "c f:4:2"])
    }

    @Test func namespaceDeclarationsAreNoAttributes() throws {
        let root = try parse("<a xmlns=\"urn:a\" x=\"1\" xmlns:n=\"urn:n\" n:y=\"2\"/>")
        #expect(places(root) == ["a f:1:1", "@x f:1:18", "@n:y f:1:40"])
    }

    @Test func linesBeyondSixteenBitsAreRight() throws {
        let root = try parse("<a>" + String(repeating: "\n", count: 70_000) + " <b c=\"\"/></a>")
        #expect(places(root) == ["a f:1:1", "b f:70001:2", "@c f:70001:5"])
    }

    @Test func textIsPutTogetherAndCharacterReferencesAreRead() throws {
        let root = try parse("<a v=\"&lt;&#65;\">1 &amp;<b>x</b><![CDATA[<2>]]>&#x42;</a>")
        #expect(root.text == "1 &<2>B")
        #expect(root["v"] == "<A")
        #expect(root.children.first?.text == "x")
    }

    @Test func errorsHaveLineAndColumn() throws {
        var diagnostics = Diagnostics()
        #expect(XMLElement(parsing: Array("<a>\n  <b>\n</a>".utf8), file: "f", reportingTo: &diagnostics) == nil)
        let found = try #require(diagnostics.all.first)
        #expect(found.location.line == 3)
        #expect((1...5).contains(found.location.column))
        #expect(found.message.contains("mismatch"))
    }
}
