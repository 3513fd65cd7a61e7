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
        let root = try parse(
            "<a v=\"&lt;&#65;\" w=\"&amp;&#38;&amp;#38;&quot;\">1 &amp;<b>x</b><![CDATA[<2>]]>&#x42;</a>")
        #expect(root.text == "1 &<2>B")
        #expect(root["v"] == "<A")
        #expect(root["w"] == "&&&#38;\"")
        #expect(root.children.first?.text == "x")
    }

    @Test func anAmpersandInAnAttributeIsOne() throws {
        let root = try parse("<a v=\"a &amp;&amp; b\" w=\"&amp;\" x=\"&#38;#38;\" y=\"&amp;lt;\" z=\"&amp;#38;\"/>")
        #expect(root["v"] == "a && b")
        #expect(root["w"] == "&")
        #expect(root["x"] == "&#38;")
        #expect(root["y"] == "&lt;")
        #expect(root["z"] == "&#38;")
    }

    @Test func errorsHaveLineAndColumn() throws {
        var diagnostics = Diagnostics()
        #expect(XMLElement(parsing: Array("<a>\n  <b>\n</a>".utf8), file: "f", reportingTo: &diagnostics) == nil)
        let found = try #require(diagnostics.all.first)
        #expect(found.location.line == 3)
        #expect((1...5).contains(found.location.column))
        #expect(found.message.contains("mismatch"))
    }

    @Test func charactersOfAValueHavePlaces() throws {
        // Each letter of the value, and where it stands.
        let root = try parse(
            "<a first='x=\"1\"'\n  v = \"a&lt;b&#233;c&#x1F600;d\r\n e\tf\ng é h&quot;i\" z=''><b v=\"\"/></a>")
        let value = try #require(root["v"])
        let location = try #require(root.valueLocation(of: "v"))
        func place(_ letter: Character) -> String {
            let index = value.firstIndex(of: letter) ?? value.endIndex
            let place = location.location(at: value.utf8.distance(from: value.startIndex, to: index))
            return "\(place.line):\(place.column)"
        }
        #expect("a<béc😀d".map(place) == ["2:8", "2:9", "2:13", "2:14", "2:20", "2:21", "2:30"])
        #expect("efgh\"i".map(place) == ["3:2", "3:4", "4:1", "4:6", "4:7", "4:13"])
        let empty = try #require(root.children.first?.valueLocation(of: "v"))
        #expect(empty.location(at: 0) == SourceLocation(file: "f", line: 4, column: 27))
        #expect(root.valueLocation(of: "w") == nil)
    }
}
