import CXMLReader
import DataModel
import Foundation

/// An element of an XML document, with its attributes and children in document order.
///
/// It is a view of the document's own tree, because most elements of most versions are never read.
struct XMLElement {
    /// An attribute with its place.
    struct Attribute {
        var name: String
        var value: String
        var location: SourceLocation
    }

    private let document: XMLDocument
    private let node: OpaquePointer

    fileprivate init(_ node: OpaquePointer, of document: XMLDocument) {
        self.node = node
        self.document = document
    }

    var name: String { String(cString: CXMLElementName(node)) }

    var location: SourceLocation { document.location(CXMLElementPosition(node)) }

    /// The place where the document names a file outside of it as the document type, which is not read; nil if it does not.
    var externalSubset: SourceLocation? {
        CXMLDocumentExternalSubset(document.pointer).map { document.location($0.pointee) }
    }

    var attributes: [Attribute] { (0..<CXMLElementAttributeCount(node)).map { attribute(at: $0) } }

    var children: [XMLElement] {
        var children: [XMLElement] = []
        var child = CXMLElementFirstChild(node)
        while let current = child {
            children.append(XMLElement(current, of: document))
            child = CXMLElementNextSibling(current)
        }
        return children
    }

    /// The element's own text, without that of its children.
    var text: String {
        var length = 0
        let characters = CXMLElementText(node, &length)
        return UnsafeRawBufferPointer(start: characters, count: length).withMemoryRebound(to: UInt8.self) {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The attribute with a name.
    func attribute(_ name: String) -> Attribute? {
        let index = CXMLElementFindAttribute(node, name)
        return index < CXMLElementAttributeCount(node) ? attribute(at: index) : nil
    }

    /// The attribute's value.
    subscript(name: String) -> String? {
        let index = CXMLElementFindAttribute(node, name)
        guard index < CXMLElementAttributeCount(node) else { return nil }
        return String(cString: CXMLElementAttributeValue(node, index))
    }

    /// The children with a name.
    func children(named name: String) -> [XMLElement] { children.filter { $0.name == name } }

    private func attribute(at index: Int) -> Attribute {
        Attribute(
            name: String(cString: CXMLElementAttributeName(node, index)),
            value: String(cString: CXMLElementAttributeValue(node, index)),
            location: document.location(CXMLElementAttributePosition(node, index)))
    }
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
        guard let document = XMLDocument(bytes, file: file) else {
            diagnostics.report(.unreadableFile, at: start, "There is not enough memory to read the file")
            return nil
        }
        guard let root = CXMLDocumentRoot(document.pointer) else {
            let location = document.location(CXMLDocumentErrorPosition(document.pointer))
            let message = CXMLDocumentErrorMessage(document.pointer).map { String(cString: $0) }
            diagnostics.report(
                .malformedXML, at: location, "The file is not well-formed XML: \(message ?? "it has no element")",
                notes: ["A model is XML as Xcode writes it; look for a merge conflict or a file cut short"])
            return nil
        }
        self.init(root, of: document)
    }

    /// The place where a text stops being a well-formed document; nil if it is one.
    static func placeOfError(in bytes: [UInt8]) -> SourceLocation? {
        guard let document = XMLDocument(bytes, file: "") else { return SourceLocation(file: "") }
        if CXMLDocumentRoot(document.pointer) != nil { return nil }
        return document.location(CXMLDocumentErrorPosition(document.pointer))
    }

    /// The text of the element, up to the next one beside it; nil if it is not known.
    var source: XMLSource? {
        let begin = CXMLElementOffset(node)
        let end = CXMLElementNextSibling(node).map { CXMLElementOffset($0) } ?? document.bytes.count
        return begin < end ? XMLSource(bytes: document.bytes, range: begin..<end) : nil
    }
}

/// A part of a document's bytes.
struct XMLSource {
    var bytes: [UInt8]
    var range: Range<Int>

    /// Returns whether the same is written.
    func isSame(as other: XMLSource) -> Bool {
        guard range.count == other.range.count else { return false }
        return bytes.withUnsafeBytes { own in
            other.bytes.withUnsafeBytes { others in
                guard let own = own.baseAddress, let others = others.baseAddress else { return true }
                return memcmp(own + range.lowerBound, others + other.range.lowerBound, range.count) == 0
            }
        }
    }
}

/// A document that was read.
private final class XMLDocument {
    let pointer: OpaquePointer
    let bytes: [UInt8]
    private let file: String

    /// Reads a document; nil when memory runs out.
    init?(_ bytes: [UInt8], file: String) {
        guard let pointer = bytes.withUnsafeBytes({ CXMLDocumentCreate($0.baseAddress, $0.count) }) else { return nil }
        self.pointer = pointer
        self.bytes = bytes
        self.file = file
    }

    deinit {
        CXMLDocumentDestroy(pointer)
    }

    func location(_ position: CXMLPosition) -> SourceLocation {
        SourceLocation(file: file, line: Int(position.line), column: Int(position.column))
    }
}
