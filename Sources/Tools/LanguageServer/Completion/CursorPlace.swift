import DataModel
import ModelFormat

/// The place of the cursor in a version's text, which may be half-typed.
struct CursorPlace {
    enum Kind: Hashable {
        /// Between tags.
        case content
        /// In the name of a start tag.
        case elementName
        /// In the name of an end tag.
        case endTag
        /// Where an attribute's name is or can begin.
        case attributeName
        /// In the value of an attribute.
        case value(of: String)
        /// In a comment or a declaration, or where only a sign of XML can follow.
        case nothing
    }

    var kind: Kind
    /// The bytes that a completion replaces.
    var replaced: Range<Int>
    /// The name of the tag that the cursor is in; empty between tags.
    var elementName = ""
    /// The attributes of the tag, as far as they can be read.
    var attributes: [String: String] = [:]
    /// The innermost element around the tag or the cursor.
    var parent: Int?

    /// The part of the replaced text that is before the cursor.
    func typed(_ bytes: [UInt8], _ offset: Int) -> String {
        String(decoding: bytes[replaced.lowerBound..<max(replaced.lowerBound, offset)], as: UTF8.self)
    }

    init(_ version: EditedVersion, at offset: Int) {
        let bytes = version.text.bytes
        var scan = TagScan(bytes, upTo: offset)
        scan.run()
        kind = scan.kind
        replaced = scan.replaced
        guard let document = version.document else { return }
        parent = document.element(around: scan.start ?? offset)
        guard let start = scan.start, kind != .content else { return }
        elementName = String(decoding: bytes[scan.nameRange], as: UTF8.self)
        guard let index = document.element(at: start) else { return }
        let element = document.elements[index]
        elementName = document.name(of: element)
        for attribute in element.attributes {
            attributes[document.text(attribute.nameRange)] = document.value(of: attribute)
        }
    }
}

/// Reads from the last `<` before the cursor.
private struct TagScan {
    let bytes: [UInt8]
    let end: Int
    private(set) var start: Int?
    private(set) var kind = CursorPlace.Kind.content
    private(set) var replaced: Range<Int>
    private(set) var nameRange = 0..<0

    init(_ bytes: [UInt8], upTo offset: Int) {
        self.bytes = bytes
        end = offset
        replaced = offset..<offset
    }

    mutating func run() {
        guard let start = bytes[..<end].lastIndex(of: UInt8(ascii: "<")) else { return findWord() }
        // A comment holds no tags.
        if isInComment {
            kind = .nothing
            return
        }
        var offset = start + 1
        if offset < end, bytes[offset] == UInt8(ascii: "!") || bytes[offset] == UInt8(ascii: "?") {
            if bytes[offset..<end].contains(UInt8(ascii: ">")) { return findWord() }
            kind = .nothing
            return
        }
        let isEndTag = offset < end && bytes[offset] == UInt8(ascii: "/")
        if isEndTag { offset += 1 }
        let nameStart = offset
        skipWord(&offset)
        nameRange = nameStart..<offset
        if offset == end {
            self.start = start
            kind = isEndTag ? .endTag : .elementName
            replaced = start..<endOfWord(offset)
            return
        }
        while offset < end {
            let byte = bytes[offset]
            if byte == UInt8(ascii: ">") { return findWord() }
            if Self.isSpace(byte) || byte == UInt8(ascii: "/") {
                offset += 1
                continue
            }
            readAttribute(&offset)
            if kind != .content {
                self.start = start
                return
            }
        }
        self.start = start
        let isAfterSpace = Self.isSpace(bytes[end - 1])
        kind = isEndTag || !isAfterSpace ? .nothing : .attributeName
        replaced = end..<endOfWord(end)
    }

    /// Reads an attribute, in which the cursor may be.
    private mutating func readAttribute(_ offset: inout Int) {
        let nameStart = offset
        skipWord(&offset)
        if offset == nameStart {
            offset += 1
            return
        }
        let name = String(decoding: bytes[nameStart..<offset], as: UTF8.self)
        if offset == end {
            kind = .attributeName
            replaced = nameStart..<endOfWord(offset)
            return
        }
        while offset < end, Self.isSpace(bytes[offset]) { offset += 1 }
        guard offset < end, bytes[offset] == UInt8(ascii: "=") else { return }
        offset += 1
        while offset < end, Self.isSpace(bytes[offset]) { offset += 1 }
        guard offset < end, bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'") else {
            if offset == end { kind = .nothing }
            return
        }
        let quotationMark = bytes[offset]
        let valueStart = offset + 1
        if let close = bytes[valueStart..<end].firstIndex(of: quotationMark) {
            offset = close + 1
            return
        }
        kind = .value(of: name)
        // The value ends with its quotation mark, unless that is the one of another attribute.
        var valueEnd = end
        while valueEnd < bytes.count, bytes[valueEnd] != quotationMark, bytes[valueEnd] != UInt8(ascii: "<"),
            bytes[valueEnd] != UInt8(ascii: "\n"), bytes[valueEnd] != UInt8(ascii: "=")
        {
            valueEnd += 1
        }
        let isClosed = valueEnd < bytes.count && bytes[valueEnd] == quotationMark
        replaced = valueStart..<(isClosed ? valueEnd : end)
        offset = end
    }

    private var isInComment: Bool {
        let opening = Array("<!--".utf8)
        guard let open = bytes[..<end].lastRange(of: opening) else { return false }
        return bytes[open.upperBound..<end].firstRange(of: Array("-->".utf8)) == nil
    }

    /// The word between tags that the cursor is behind.
    private mutating func findWord() {
        kind = .content
        var wordStart = end
        while wordStart > 0, Self.isLetter(bytes[wordStart - 1]) { wordStart -= 1 }
        replaced = wordStart..<end
    }

    private mutating func skipWord(_ offset: inout Int) {
        while offset < end, Self.isLetter(bytes[offset]) { offset += 1 }
    }

    private func endOfWord(_ offset: Int) -> Int {
        var offset = offset
        while offset < bytes.count, Self.isLetter(bytes[offset]) { offset += 1 }
        return offset
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"),
            UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}

extension ArraySlice<UInt8> {
    /// The last place of some bytes.
    fileprivate func lastRange(of other: [UInt8]) -> Range<Int>? {
        guard other.count <= count else { return nil }
        var start = endIndex - other.count
        while start >= startIndex {
            if self[start...].starts(with: other) { return start..<start + other.count }
            start -= 1
        }
        return nil
    }
}
