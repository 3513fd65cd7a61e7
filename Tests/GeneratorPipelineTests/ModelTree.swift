import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An XML element that a test changes and writes again.
struct ModelTree: Sendable, Hashable {
    struct Attribute: Sendable, Hashable {
        var name: String
        var value: String
    }

    var name: String
    var attributes: [Attribute] = []
    var children: [ModelTree] = []

    subscript(name: String) -> String? {
        get { attributes.first { $0.name == name }?.value }
        set {
            attributes.removeAll { $0.name == name }
            if let newValue { attributes.append(Attribute(name: name, value: newValue)) }
        }
    }

    /// The number of elements, this one included.
    var count: Int { children.reduce(1) { $0 + $1.count } }

    /// Changes the element at a position in the order of the document; this one has position 0.
    mutating func change(at position: Int, _ body: (inout ModelTree) -> Void) {
        if position == 0 { return body(&self) }
        var rest = position - 1
        for index in children.indices {
            let count = children[index].count
            if rest < count { return children[index].change(at: rest, body) }
            rest -= count
        }
    }

    /// The element at a position in the order of the document.
    func element(at position: Int) -> ModelTree {
        var result = self
        var copy = self
        copy.change(at: position) { result = $0 }
        return result
    }

    // MARK: Text

    /// The document, as Xcode writes it.
    var text: String {
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"]
        write(to: &lines, 0)
        return lines.joined(separator: "\n") + "\n"
    }

    private func write(to lines: inout [String], _ level: Int) {
        let indent = String(repeating: "    ", count: min(level, 8))
        let pairs = attributes.map { " \($0.name)=\"\(Self.escaped($0.value))\"" }.joined()
        if children.isEmpty { return lines.append("\(indent)<\(name)\(pairs)/>") }
        lines.append("\(indent)<\(name)\(pairs)>")
        for child in children { child.write(to: &lines, level + 1) }
        lines.append("\(indent)</\(name)>")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\r", "\t": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension ModelTree {
    /// Returns the tree of a document; nil if it is not XML.
    static func read(_ data: Data) -> ModelTree? {
        let builder = Builder()
        let parser = XMLParser(data: data)
        parser.delegate = builder
        return parser.parse() ? builder.open.first?.children.first : nil
    }

    private final class Builder: NSObject, XMLParserDelegate {
        var open = [ModelTree(name: "document")]

        func parser(
            _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String] = [:]
        ) {
            let sorted = attributes.sorted { $0.key < $1.key }.map { Attribute(name: $0.key, value: $0.value) }
            open.append(ModelTree(name: elementName, attributes: sorted))
        }

        func parser(
            _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
        ) {
            let element = open.removeLast()
            open[open.count - 1].children.append(element)
        }
    }
}
