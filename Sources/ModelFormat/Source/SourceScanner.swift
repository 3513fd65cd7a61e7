import Foundation

/// Steps through the text of a document from tag to tag.
struct SourceScanner {
    private let bytes: [UInt8]
    private var offset = 0
    private var elements: [SourceDocument.Element] = []
    private var open: [Int] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// All elements in the order of their start tags; nil when tags do not fit each other.
    mutating func scan() -> [SourceDocument.Element]? {
        while let start = find("<", from: offset) {
            offset = start
            let isRead: Bool
            if stands("<!--") {
                isRead = skip(past: "-->", from: offset + 4)
            } else if stands("<![CDATA[") {
                isRead = skip(past: "]]>", from: offset + 9)
            } else if stands("<?") {
                isRead = skip(past: "?>", from: offset + 2)
            } else if stands("<!") {
                isRead = skipDeclaration()
            } else if stands("</") {
                isRead = readEndTag()
            } else {
                isRead = readStartTag()
            }
            if !isRead { return nil }
        }
        return open.isEmpty && !elements.isEmpty ? elements : nil
    }

    private mutating func readEndTag() -> Bool {
        guard let end = find(">", from: offset), let index = open.popLast() else { return false }
        elements[index].endTag = offset..<end + 1
        offset = end + 1
        return true
    }

    private mutating func readStartTag() -> Bool {
        let start = offset
        offset += 1
        let nameRange = readName()
        if nameRange.isEmpty { return false }
        var element = SourceDocument.Element(nameRange: nameRange, startTag: start..<start, parent: open.last)
        while offset < bytes.count {
            skipSpace()
            if stands("/>") || stands(">") {
                element.isSelfClosing = stands("/>")
                offset += element.isSelfClosing ? 2 : 1
                element.startTag = start..<offset
                if let parent = open.last { elements[parent].children.append(elements.count) }
                if !element.isSelfClosing { open.append(elements.count) }
                elements.append(element)
                return true
            }
            guard let attribute = readAttribute() else { return false }
            element.attributes.append(attribute)
        }
        return false
    }

    private mutating func readAttribute() -> SourceDocument.Attribute? {
        let nameRange = readName()
        skipSpace()
        guard !nameRange.isEmpty, stands("=") else { return nil }
        offset += 1
        skipSpace()
        guard stands("\"") || stands("'"), let end = find(bytes[offset], from: offset + 1) else { return nil }
        let valueRange = offset + 1..<end
        offset = end + 1
        return SourceDocument.Attribute(nameRange: nameRange, valueRange: valueRange)
    }

    private mutating func readName() -> Range<Int> {
        let start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            if Self.isSpace(byte) || byte == 0x3D || byte == 0x3E || byte == 0x2F { break }
            offset += 1
        }
        return start..<offset
    }

    /// Steps over a document type declaration; its internal subset holds at most comments and instructions.
    private mutating func skipDeclaration() -> Bool {
        var isInSubset = false
        while offset < bytes.count {
            if isInSubset && stands("<!--") {
                if !skip(past: "-->", from: offset + 4) { return false }
            } else if isInSubset && stands("<?") {
                if !skip(past: "?>", from: offset + 2) { return false }
            } else if stands("\"") || stands("'") {
                guard let end = find(bytes[offset], from: offset + 1) else { return false }
                offset = end + 1
            } else {
                if stands("[") { isInSubset = true }
                if stands("]") { isInSubset = false }
                offset += 1
                if bytes[offset - 1] == UInt8(ascii: ">") && !isInSubset { return true }
            }
        }
        return false
    }

    private mutating func skipSpace() {
        while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
    }

    private mutating func skip(past mark: StaticString, from start: Int) -> Bool {
        offset = start
        while let found = find(mark.utf8Start.pointee, from: offset) {
            offset = found
            if stands(mark) {
                offset += mark.utf8CodeUnitCount
                return true
            }
            offset += 1
        }
        return false
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
    /// Where a byte is met first from an offset on.
    ///
    /// The C library's search is used because the tool is built in debug, where a loop over a large document takes as long
    /// as all else that is done for it.
    func firstOffset(of byte: UInt8, from start: Int) -> Int? {
        withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, start < buffer.count else { return nil }
            guard let found = memchr(base + start, Int32(byte), buffer.count - start) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}
