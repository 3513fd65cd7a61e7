import CXMLReader
import DataModel

/// An element of an XML document, with its attributes and children in document order.
struct XMLElement {
    /// An attribute with its place.
    struct Attribute {
        var name: String
        var value: String
        var location: SourceLocation
    }

    var name: String
    var attributes: [Attribute]
    var children: [XMLElement]
    /// The element's own text, without that of its children.
    var text: String
    var location: SourceLocation

    /// The attribute with a name.
    func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

    /// The attribute's value.
    subscript(name: String) -> String? { attribute(name)?.value }

    /// The children with a name.
    func children(named name: String) -> [XMLElement] { children.filter { $0.name == name } }
}

extension XMLElement {
    /// Reads a document and returns its outermost element; one that is not well-formed is reported.
    init?(parsing bytes: [UInt8], file: String, reportingTo diagnostics: inout Diagnostics) {
        let start = SourceLocation(file: file, line: 1, column: 1)
        if bytes.starts(with: Array("bplist00".utf8)) {
            diagnostics.report(
                .malformedXML, at: start, "The file is a binary property list, not XML",
                notes: ["Convert it with 'plutil -convert xml1', or save it again in Xcode"])
            return nil
        }
        guard let document = bytes.withUnsafeBytes({ CXMLDocumentCreate($0.baseAddress, $0.count) }) else {
            diagnostics.report(.unreadableFile, at: start, "There is not enough memory to read the file")
            return nil
        }
        defer { CXMLDocumentDestroy(document) }
        guard let root = CXMLDocumentRoot(document) else {
            let position = CXMLDocumentErrorPosition(document)
            let location = SourceLocation(file: file, line: Int(position.line), column: Int(position.column))
            let message = CXMLDocumentErrorMessage(document).map { String(cString: $0) } ?? "it has no element"
            diagnostics.report(
                .malformedXML, at: location, "The file is not well-formed XML: \(message)",
                notes: ["A model is XML as Xcode writes it; look for a merge conflict or a file cut short"])
            return nil
        }
        self.init(root, file: file)
    }

    // The reader bounds the depth, so that recursion is safe.
    private init(_ element: OpaquePointer, file: String) {
        func location(_ position: CXMLPosition) -> SourceLocation {
            SourceLocation(file: file, line: Int(position.line), column: Int(position.column))
        }
        name = String(cString: CXMLElementName(element))
        self.location = location(CXMLElementPosition(element))
        attributes = (0..<CXMLElementAttributeCount(element)).map { index in
            Attribute(
                name: String(cString: CXMLElementAttributeName(element, index)),
                value: String(cString: CXMLElementAttributeValue(element, index)),
                location: location(CXMLElementAttributePosition(element, index)))
        }
        var length = 0
        let characters = CXMLElementText(element, &length)
        text = UnsafeRawBufferPointer(start: characters, count: length).withMemoryRebound(to: UInt8.self) {
            String(decoding: $0, as: UTF8.self)
        }
        children = []
        var child = CXMLElementFirstChild(element)
        while let current = child {
            children.append(XMLElement(current, file: file))
            child = CXMLElementNextSibling(current)
        }
    }
}
