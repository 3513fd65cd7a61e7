import DataModel

extension XMLElement {
    /// Returns the place of the characters of an attribute's value; nil if there is no such attribute, or the place is
    /// unknown.
    func valueLocation(of name: String) -> StringLocation? {
        guard let value = self[name], let source else { return nil }
        var text = AttributeText(source, at: location)
        return text.location(of: name, value)
    }
}

/// The start tag of an element, read once more byte by byte, because a parser does not give the places of parts of
/// values.
private struct AttributeText {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var place: SourceLocation

    init(_ source: XMLSource, at location: SourceLocation) {
        bytes = source.bytes[source.range]
        position = source.range.lowerBound
        place = location
    }

    private var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func advance() {
        guard let byte = current else { return }
        position += 1
        if byte == UInt8(ascii: "\n") {
            place.line += 1
            place.column = 1
        } else {
            place.column += 1
        }
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte = current, condition(byte) { advance() }
    }

    private mutating func name() -> String {
        let start = position
        skip { !Self.spaces.contains($0) && !Self.marks.contains($0) }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static let spaces = Set(" \t\r\n".utf8)
    private static let marks = Set("=/>\"'<".utf8)

    /// The places of a value's characters; nil if the text is not as expected.
    mutating func location(of wanted: String, _ value: String) -> StringLocation? {
        guard current == UInt8(ascii: "<") else { return nil }
        advance()
        _ = name()
        while true {
            skip { Self.spaces.contains($0) }
            let found = name()
            skip { Self.spaces.contains($0) }
            guard !found.isEmpty, current == UInt8(ascii: "=") else { return nil }
            advance()
            skip { Self.spaces.contains($0) }
            guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
            advance()
            if found == wanted { return location(of: Array(value.utf8), until: quote) }
            skip { $0 != quote }
            advance()
        }
    }

    /// Steps through a value that is written up to a quotation mark.
    private mutating func location(of value: [UInt8], until quote: UInt8) -> StringLocation? {
        var result = StringLocation(start: place)
        var offset = 0
        while let byte = current, byte != quote {
            result.add(offset: offset, at: place)
            if byte == UInt8(ascii: "&") {
                let start = position
                skip { $0 != UInt8(ascii: ";") && $0 != quote }
                guard let length = Self.length(of: bytes[(start + 1)..<position]) else { return nil }
                offset += length
            } else if byte == UInt8(ascii: "\r"), position + 1 < bytes.endIndex,
                bytes[position + 1] == UInt8(ascii: "\n")
            {
                advance()
                offset += 1
            } else {
                // A line break or a tab is read as a space.
                guard offset < value.count, value[offset] == byte || Self.spaces.contains(byte) else { return nil }
                offset += 1
            }
            advance()
        }
        return offset == value.count ? result : nil
    }

    /// The number of UTF-8 bytes of the character that a reference stands for; nil for entities that the document
    /// declares.
    private static func length(of reference: ArraySlice<UInt8>) -> Int? {
        let text = String(decoding: reference, as: UTF8.self)
        if ["amp", "lt", "gt", "quot", "apos"].contains(text) { return 1 }
        guard text.hasPrefix("#") else { return nil }
        let digits = text.dropFirst()
        let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return code.flatMap { Unicode.Scalar($0) }.map { UTF8.width($0) }
    }
}
