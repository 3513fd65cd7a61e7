import DataModel

/// The text of a document with the places of everything in it, so that it can be changed.
///
/// The reader has found the text well-formed; this type only divides it. It is made only for documents with findings.
package struct SourceDocument {
    /// An attribute in a start tag. All ranges count bytes.
    package struct Attribute {
        package var nameRange: Range<Int>
        /// The value as it is written, without its quotation marks.
        package var valueRange: Range<Int>

        /// The whole attribute.
        package var range: Range<Int> { nameRange.lowerBound..<valueRange.upperBound + 1 }
    }

    package struct Element {
        package var nameRange: Range<Int>
        package var attributes: [Attribute] = []
        /// From the `<` to behind the `>` of the start tag.
        package var startTag: Range<Int>
        package var isSelfClosing = false
        /// From the `<` to after the `>` of the end tag; nil if the element has none.
        package var endTag: Range<Int>?
        package var parent: Int?
        package var children: [Int] = []

        /// The whole element.
        package var range: Range<Int> { startTag.lowerBound..<(endTag ?? startTag).upperBound }
    }

    package let bytes: [UInt8]
    /// All elements, in the order of their start tags.
    package let elements: [Element]
    /// Whether the document is declared to be in UTF-8, or has no declaration.
    package let isUTF8: Bool
    private let lines: SourceLines

    /// Divides a text; nil if it is not a well-formed document.
    init?(_ bytes: [UInt8]) {
        guard let tree = SourceTree(bytes) else { return nil }
        self.init(bytes, tree)
    }

    private init(_ bytes: [UInt8], _ tree: SourceTree) {
        self.bytes = bytes
        self.elements = tree.elements
        isUTF8 = Self.declaredEncoding(bytes).map { $0.lowercased() == "utf-8" } ?? true
        lines = SourceLines(bytes)
    }

    /// Divides a text that is read for the first time; nil if it is not a well-formed document in UTF-8. A finding then
    /// gives the reason.
    package init?(_ bytes: [UInt8], file: String, reportingTo diagnostics: inout Diagnostics) {
        guard XMLElement(parsing: bytes, file: file, reportingTo: &diagnostics) != nil else { return nil }
        guard let document = SourceDocument(bytes), document.isUTF8 else {
            diagnostics.report(
                .malformedXML, at: SourceLocation(file: file, line: 1, column: 1), "The file is not in UTF-8",
                notes: ["Save it in UTF-8, as Xcode does"])
            return nil
        }
        self = document
    }

    /// Divides a text that may be broken, as far as it can be. Returns the changes that would make it a well-formed
    /// document, in the order of their places.
    static func dividing(_ bytes: [UInt8]) -> (document: SourceDocument, repairs: [Replacement])? {
        SourceTree(bytes, isTolerant: true).map { (SourceDocument(bytes, $0), $0.repairs) }
    }

    private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
        let head = String(decoding: bytes.prefix(200), as: UTF8.self)
        guard let end = head.firstRange(of: "?>")?.lowerBound,
            let match = head[..<end].firstMatch(of: #/encoding\s*=\s*["']([A-Za-z0-9._\-]+)["']/#)
        else { return nil }
        return String(match.1)
    }

    /// The bytes' text.
    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    package func name(of element: Element) -> String { text(element.nameRange) }

    /// The attribute with a name.
    package func attribute(_ name: String, of element: Element) -> Attribute? {
        element.attributes.first { text($0.nameRange) == name }
    }

    /// The value of an attribute, with its references replaced by their characters.
    package func value(of attribute: Attribute) -> String { XMLText.unescaped(text(attribute.valueRange)) }

    /// The offset of a place; nil when there is no such place.
    package func offset(line: Int, column: Int) -> Int? { lines.offset(line: line, column: column) }

    /// The line and the column of an offset.
    func position(of offset: Int) -> (line: Int, column: Int) { lines.position(of: offset) }

    /// The last element whose start tag begins at an offset or before it. An offset within a start tag belongs to that
    /// element.
    package func element(startingAtOrBefore offset: Int) -> Int? {
        var low = 0
        var high = elements.count
        while low < high {
            let middle = (low + high) / 2
            if elements[middle].startTag.lowerBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }

    /// The element whose start tag begins at an offset.
    package func element(at offset: Int) -> Int? {
        element(startingAtOrBefore: offset).flatMap { elements[$0].startTag.lowerBound == offset ? $0 : nil }
    }
}
