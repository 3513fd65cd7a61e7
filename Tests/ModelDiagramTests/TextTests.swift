import DataModel
import Foundation
import ModelFormat
import Testing

@testable import ModelDiagram

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Diagrams as text")
struct TextTests {
    private let diagram = Diagram(ModelGraph(.sample))

    // MARK: Golden files

    /// `ASHLAR_UPDATE_GOLDEN=1` writes them.
    private func compare(_ text: String, with path: String) throws {
        let file = ProjectFiles.package.appending(path: path)
        if ProcessInfo.processInfo.environment["ASHLAR_UPDATE_GOLDEN"] == "1" {
            try Data(text.utf8).write(to: file)
        }
        let isSame = try Data(contentsOf: file) == Data(text.utf8)
        #expect(isSame, "\(path) differs; ASHLAR_UPDATE_GOLDEN=1 accepts it")
    }

    private func project(_ name: String) throws -> Diagram {
        let path = ProjectFiles.package.appending(path: "Models/\(name).xcdatamodeld").path
        return Diagram(ModelGraph(try #require(ModelReader().read(atPath: path).model?.currentVersion)))
    }

    @Test func theSampleIsAsCommitted() throws {
        try compare(diagram.svg, with: "Tests/ModelDiagramTests/Golden/Sample.svg")
        try compare(diagram.mermaid, with: "Tests/ModelDiagramTests/Golden/Sample.mermaid")
        try compare(diagram.dot, with: "Tests/ModelDiagramTests/Golden/Sample.dot")
    }

    @Test func thePicturesOfTheProjectsModelsAreAsCommitted() throws {
        try compare(try project("PhotoFeed").svg, with: "Documentation/PhotoFeed.svg")
        try compare(try project("Zoo").mermaid, with: "Tests/ModelDiagramTests/Golden/Zoo.mermaid")
    }

    // MARK: SVG

    /// Collects the text of the elements of a document.
    private final class Texts: NSObject, XMLParserDelegate {
        var texts: [String] = []
        private var isWithinText = false

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            isWithinText = name == "text"
            if isWithinText { texts.append("") }
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            isWithinText = false
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) {
            if isWithinText { texts[texts.count - 1] += string }
        }
    }

    @Test func allTextIsInThePicture() {
        let parser = XMLParser(data: Data(diagram.svg.utf8))
        let texts = Texts()
        parser.delegate = texts
        #expect(parser.parse(), "\(parser.parserError as (any Error)?)")
        var expected = [diagram.title]
        for box in diagram.boxes {
            expected += [box.name] + [BoxMeasure.stereotype(of: box)].compactMap(\.self)
            for row in box.rows {
                expected += [row.name, row.detail]
                if !row.remarks.isEmpty { expected.append(row.remarks.joined(separator: ", ")) }
            }
        }
        #expect(texts.texts.sorted() == expected.sorted())
    }

    @Test func aLongListIsBrokenIntoLines() {
        let names = (0..<20).map { "property\($0)" }
        let row = Diagram.Row(section: .indexes, name: "index", detail: names.joined(separator: ", "), remarks: [])
        let measure = BoxMeasure(Diagram.Box(kind: .entity, name: "A", documentation: nil, rows: [row]))
        #expect(measure.rows[0].details.count > 3)
        #expect(measure.rows[0].details.joined(separator: " ") == row.detail)
        #expect(measure.width < 400)
    }

    @Test func charactersThatXMLCannotHoldAreReplaced() {
        #expect(XMLText.escaped("a\u{1}<b>\n\"&'\u{FFFE}") == "a\u{FFFD}&lt;b&gt;&#10;&quot;&amp;'\u{FFFD}")
    }

    // MARK: Mermaid

    /// Each line matches the grammar of class diagrams, and no name ends a line.
    @Test func mermaidIsAsItsGrammarSays() throws {
        let name = #"(?:[^"{}<>()~`;#*$]|#[0-9]+;)*"#
        let member = "(?:[^{}<>()~`;#$]|#[0-9]+;)+"
        let cardinality = #"(?: "[0-9.*]+")?"#
        let lines = [
            "classDiagram", "    direction LR", #"    class box\d+\["\#(name)"\] \{"#, "    \\}",
            "        <<(?:abstract|composite)>>", "        \(member) : \(member)",
            "        \(member)\\(\(member)\\)(?: \(member))?", "    box\\d+ <\\|-- box\\d+",
            "    box\\d+ \\.\\.> box\\d+ : \(name)",
            "    box\\d+\(cardinality) --?>?\(cardinality) box\\d+ : \(name)",
        ]
        let expression = try Regex("(?:" + lines.joined(separator: "|") + ")")
        for line in diagram.mermaid.split(separator: "\n") {
            #expect(try expression.wholeMatch(in: String(line)) != nil, "\(line)")
        }
        #expect(diagram.mermaid.split(separator: "\n").count { $0.contains(" class box") } == diagram.boxes.count)
        #expect(diagram.mermaid.contains("class box0[\"日本語\"]"))
    }

    // MARK: Graphviz

    /// The tables are well-formed, and edges end at existing ports.
    @Test func dotIsAsItsGrammarSays() throws {
        var ports: Set<String> = []
        let node = /\ *(box\d+) \[label=<(.*)>\]/
        for line in diagram.dot.split(separator: "\n") {
            guard let match = try node.wholeMatch(in: String(line)) else { continue }
            let parser = XMLParser(data: Data(match.2.utf8))
            #expect(parser.parse(), "\(line)")
            for port in String(match.2).matches(of: /PORT="(\w+)"/) { ports.insert("\(match.1):\(port.1)") }
        }
        var edgeCount = 0
        for match in diagram.dot.matches(of: /(box\d+:\w+) -> (box\d+:\w+) \[[^\]]*\]/) {
            edgeCount += 1
            #expect(ports.contains(String(match.1)) && ports.contains(String(match.2)))
        }
        #expect(edgeCount == diagram.connections.count)
        #expect(diagram.dot.hasPrefix("digraph \"Sample <1> & \\\"2\\\"\" {\n"))
    }
}
