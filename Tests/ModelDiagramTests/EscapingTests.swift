import AwkwardText
import DataModel
import Foundation
import Testing

@testable import ModelDiagram

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Names with every scalar that combines, ends a line or is not seen are read back from the diagram's languages.
@Suite struct EscapingTests {
    /// XML allows no control characters except tab and the line ends.
    private func replacingControls(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.map { $0.value < 0x20 && !["\t", "\n", "\r"].contains($0) ? "\u{FFFD}" : $0 }
    }

    private final class Content: NSObject, XMLParserDelegate {
        var texts: [String] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) { texts.append("") }

        func parser(_ parser: XMLParser, foundCharacters string: String) { texts[texts.count - 1] += string }
    }

    private func elements(_ document: String) throws -> [String] {
        let parser = XMLParser(data: Data(document.utf8))
        let content = Content()
        parser.delegate = content
        #expect(parser.parse(), "\(parser.parserError as (any Error)?)")
        return content.texts
    }

    @Test func xmlTextComesBack() throws {
        let texts = AwkwardText.texts(around: ["<", "&", "\"", "]]>", ";", "&#"])
        let document = "<all>" + texts.map { "<t>\(XMLText.escaped($0))</t>" }.joined() + "</all>"
        let found = try elements(document).dropFirst()
        #expect(found.count == texts.count)
        for (text, found) in zip(texts, found) {
            #expect(Array(found.unicodeScalars) == replacingControls(text))
        }
    }

    /// A diagram of an entity that has these names everywhere.
    private func diagram(_ name: String) -> Diagram {
        Diagram(
            ModelGraph(
                Model(
                    name: name,
                    entities: [
                        Entity(
                            name: name,
                            attributes: [
                                Attribute(name: "a\(name)", type: .string, isOptional: true, derivationExpression: name)
                            ],
                            relationships: [
                                Relationship(
                                    name: name, destinationName: name, inverseName: name, isOptional: true,
                                    isToMany: true)
                            ], userInfo: UserInfo([UserInfo.Entry(key: "documentation", value: name)]))
                    ])))
    }

    @Test func picturesAndGraphsHaveAsManyLinesAsThoseOfPlainNames() throws {
        func lines(_ text: String) -> [Int] {
            // Of the characters that may end a line, only the line feed occurs.
            (["\n", "\r", "\u{B}", "\u{C}"] as [Unicode.Scalar]).map { end in text.unicodeScalars.count { $0 == end } }
        }
        let all = AwkwardText.texts(around: ["\"", "\\", "{", "}", "<", "&"]).joined()
        let (plain, awkward) = (diagram("x"), diagram(all))
        #expect(lines(plain.mermaid) == lines(awkward.mermaid))
        #expect(lines(plain.dot) == lines(awkward.dot))
        #expect(try elements(plain.svg).count == elements(awkward.svg).count)
    }

    @Test func mermaidTextComesBack() throws {
        for text in AwkwardText.texts(around: ["\"", ";", "#", "{", "`", "*"]) {
            var found = String.UnicodeScalarView()
            var rest = Diagram.mermaidText(text).unicodeScalars[...]
            while let scalar = rest.popFirst() {
                #expect(!["\"", "{", "`", "\n", "\r", "<", ">"].contains(scalar))
                guard scalar == "#" else {
                    found.append(scalar)
                    continue
                }
                let digits = rest.prefix { $0 != ";" }
                rest = rest.dropFirst(digits.count + 1)
                found.append(try #require(UInt32(String(digits)).flatMap(Unicode.Scalar.init)))
            }
            #expect(Array(found) == Array(text.unicodeScalars))
        }
    }

    @Test func dotTextComesBack() {
        for text in AwkwardText.texts(around: ["\"", "\\", "\\\"", "\\n"]) {
            var rest = Diagram.dotQuoted(text).unicodeScalars[...]
            #expect(rest.popFirst() == "\"")
            var found: [Unicode.Scalar] = []
            while let scalar = rest.popFirst(), scalar != "\"" {
                guard scalar == "\\" else {
                    found.append(scalar)
                    continue
                }
                let escaped = rest.popFirst() ?? "\""
                found.append(escaped == "n" ? "\n" : escaped)
            }
            #expect(rest.isEmpty)
            let expected = text.unicodeScalars.map { scalar -> Unicode.Scalar in
                scalar != "\n" && scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar
            }
            #expect(found == expected)
        }
    }
}
