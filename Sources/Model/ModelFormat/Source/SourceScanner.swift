import Foundation

/// Steps through the text of a document from tag to tag, and continues after a broken one.
///
/// In a well-formed document, it finds each tag. In another one, it finds the tags that can be read, and lists the
/// bytes that cannot.
struct SourceScanner {
    /// A tag as it is written.
    struct Tag {
        enum Kind {
            case start, selfClosing, end
        }

        var kind: Kind
        /// From the `<` to behind the `>`; a broken tag ends before the next one.
        var range: Range<Int>
        var nameRange: Range<Int>
        var attributes: [SourceDocument.Attribute] = []
        /// Whether the tag lacks its `>`.
        var isUnfinished = false
    }

    private let bytes: [UInt8]
    private var offset = 0
    /// The tags, in the order of the text.
    private(set) var tags: [Tag] = []
    /// The bytes that belong to nothing, in the order of the text.
    private(set) var broken: [Range<Int>] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether each tag could be read.
    var isComplete: Bool { broken.isEmpty && !tags.contains { $0.isUnfinished } }

    /// Reads all tags.
    mutating func scan() {
        while let start = find("<", from: offset) {
            offset = start
            if stands("<!--") {
                skip(past: "-->", from: offset + 4)
            } else if stands("<![CDATA[") {
                skip(past: "]]>", from: offset + 9)
            } else if stands("<?") {
                skip(past: "?>", from: offset + 2)
            } else if stands("<!") {
                skipDeclaration()
            } else if stands("</") {
                readEndTag()
            } else {
                readStartTag()
            }
        }
    }

    private mutating func readEndTag() {
        let start = offset
        offset += 2
        let nameRange = readName()
        skipSpace()
        if stands(">") {
            offset += 1
            return tags.append(Tag(kind: .end, range: start..<offset, nameRange: nameRange))
        }
        let end = endOfBrokenTag(from: offset)
        if offset < end { broken.append(offset..<end) }
        offset = end
        let isUnfinished = !stands(">")
        if !isUnfinished { offset += 1 }
        if nameRange.isEmpty {
            broken.append(start..<offset)
        } else {
            tags.append(Tag(kind: .end, range: start..<offset, nameRange: nameRange, isUnfinished: isUnfinished))
        }
    }

    private mutating func readStartTag() {
        let start = offset
        offset += 1
        let nameRange = readName()
        // A sign that is not written as a reference.
        if nameRange.isEmpty { return broken.append(start..<offset) }
        var tag = Tag(kind: .start, range: start..<start, nameRange: nameRange)
        while true {
            let end = offset
            skipSpace()
            if stands("/>") || stands(">") {
                tag.kind = stands("/>") ? .selfClosing : .start
                offset += tag.kind == .selfClosing ? 2 : 1
                tag.range = start..<offset
                break
            }
            if offset >= bytes.count || stands("<") {
                // The space before the next tag belongs to the text.
                tag.isUnfinished = true
                tag.range = start..<end
                offset = end
                break
            }
            if let attribute = readAttribute() { tag.attributes.append(attribute) }
        }
        tags.append(tag)
    }

    /// Reads an attribute; nil when it is broken, and then it is skipped.
    private mutating func readAttribute() -> SourceDocument.Attribute? {
        let start = offset
        let nameRange = readName()
        if nameRange.isEmpty {
            // A single quotation mark or slash.
            offset += 1
            broken.append(start..<offset)
            return nil
        }
        let nameEnd = offset
        skipSpace()
        guard stands("=") else {
            broken.append(start..<nameEnd)
            offset = nameEnd
            return nil
        }
        offset += 1
        let signEnd = offset
        skipSpace()
        guard stands("\"") || stands("'") else {
            // A value without quotation marks goes too.
            if stands(">") || stands("/>") || stands("<") || offset >= bytes.count || skipsLine(from: signEnd) {
                offset = signEnd
            } else {
                _ = readName()
            }
            broken.append(start..<offset)
            return nil
        }
        let valueStart = offset + 1
        // A value cannot contain "<", so that one that does was not ended.
        let limit = find("<", from: valueStart) ?? bytes.count
        guard let end = find(bytes[offset], from: valueStart), end < limit else {
            offset = endOfBrokenTag(from: valueStart)
            broken.append(start..<offset)
            return nil
        }
        offset = end + 1
        return SourceDocument.Attribute(nameRange: nameRange, valueRange: valueStart..<end)
    }

    /// Returns whether there is a line break between an offset and where the scanner is.
    private func skipsLine(from start: Int) -> Bool { bytes[start..<offset].contains(UInt8(ascii: "\n")) }

    /// The end of the broken part of a tag: before the sign that ends the tag, else at the end of the line, and before
    /// the next tag in any case.
    private func endOfBrokenTag(from start: Int) -> Int {
        var end = find("<", from: start) ?? bytes.count
        if let line = find("\n", from: start) { end = min(end, line) }
        while end > start, Self.isSpace(bytes[end - 1]) { end -= 1 }
        if end > start, bytes[end - 1] == UInt8(ascii: ">") {
            end -= 1
            if end > start, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
        }
        return end
    }

    private mutating func readName() -> Range<Int> {
        let start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            if Self.isSpace(byte) || byte == 0x3D || byte == 0x3E || byte == 0x2F || byte == 0x3C || byte == 0x22
                || byte == 0x27
            {
                break
            }
            offset += 1
        }
        return start..<offset
    }

    /// Steps over a document type declaration; its internal subset holds at most comments and instructions.
    private mutating func skipDeclaration() {
        let start = offset
        var isInSubset = false
        while offset < bytes.count {
            if isInSubset && stands("<!--") {
                skip(past: "-->", from: offset + 4)
            } else if isInSubset && stands("<?") {
                skip(past: "?>", from: offset + 2)
            } else if stands("\"") || stands("'") {
                guard let end = find(bytes[offset], from: offset + 1) else { break }
                offset = end + 1
            } else {
                if stands("[") { isInSubset = true }
                if stands("]") { isInSubset = false }
                offset += 1
                if bytes[offset - 1] == UInt8(ascii: ">") && !isInSubset { return }
            }
        }
        offset = start
        breakLine()
    }

    private mutating func skipSpace() {
        while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
    }

    /// Continues after a mark; if there is none, with the next line.
    private mutating func skip(past mark: StaticString, from start: Int) {
        let beginning = offset
        offset = start
        while let found = find(mark.utf8Start.pointee, from: offset) {
            offset = found
            if stands(mark) {
                offset += mark.utf8CodeUnitCount
                return
            }
            offset += 1
        }
        offset = beginning
        breakLine()
    }

    /// Skips the text up to the end of the line or the next tag.
    private mutating func breakLine() {
        let start = offset
        let line = find("\n", from: start) ?? bytes.count
        offset = min(line, find("<", from: start + 1) ?? bytes.count)
        broken.append(start..<offset)
    }

    private func stands(_ mark: StaticString) -> Bool {
        guard bytes.count - offset >= mark.utf8CodeUnitCount else { return false }
        var index = 0
        while index < mark.utf8CodeUnitCount, bytes[offset + index] == mark.utf8Start[index] { index += 1 }
        return index == mark.utf8CodeUnitCount
    }

    private func find(_ mark: StaticString, from start: Int) -> Int? { find(mark.utf8Start.pointee, from: start) }

    private func find(_ byte: UInt8, from start: Int) -> Int? { bytes.firstOffset(of: byte, from: start) }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }
}

extension [UInt8] {
    /// The first offset of a byte, from an offset on.
    ///
    /// The C library's search is used because the tool is built in debug, where a loop over a large document takes as
    /// long as everything else that is done for it.
    func firstOffset(of byte: UInt8, from start: Int) -> Int? {
        withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, start < buffer.count else { return nil }
            guard let found = memchr(base + start, Int32(byte), buffer.count - start) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}
