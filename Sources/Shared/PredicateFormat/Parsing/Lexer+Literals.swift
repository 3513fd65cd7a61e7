extension Lexer {
    // MARK: Numbers

    mutating func readNumber() throws(PredicateFormatError) -> Constant {
        let start = position
        if byte() == UInt8(ascii: "0") {
            switch byte(at: 1) | 0x20 {
            case UInt8(ascii: "x"): return try readInteger(radix: 16, "hexadecimal")
            case UInt8(ascii: "o"): return try readInteger(radix: 8, "octal")
            case UInt8(ascii: "b"): return try readInteger(radix: 2, "binary")
            default: break
            }
        }
        skipDigits()
        var isInteger = true
        if byte() == UInt8(ascii: "."), isDigit(byte(at: 1)) {
            isInteger = false
            position += 1
            skipDigits()
        }
        if byte() | 0x20 == UInt8(ascii: "e") {
            let hasSign = byte(at: 1) == UInt8(ascii: "+") || byte(at: 1) == UInt8(ascii: "-")
            if isDigit(byte(at: hasSign ? 2 : 1)) {
                isInteger = false
                position += hasSign ? 2 : 1
                skipDigits()
            }
        }
        let written = text(start..<position)
        try refuseLetter(start, "a number")
        if isInteger, let integer = Int64(written) { return .integer(integer) }
        let spelling = written.hasPrefix(".") ? "0" + written : written
        guard let value = Double(spelling), value.isFinite else {
            throw PredicateFormatError(.syntax, at: start..<position, "the number is too large")
        }
        return .decimal(spelling)
    }

    private mutating func skipDigits() {
        while isDigit(byte()) { position += 1 }
    }

    private mutating func readInteger(radix: Int, _ name: String) throws(PredicateFormatError) -> Constant {
        let start = position
        position += 2
        while isDigit(byte()) || ((byte() | 0x20) >= UInt8(ascii: "a") && (byte() | 0x20) <= UInt8(ascii: "f")) {
            position += 1
        }
        let digits = text((start + 2)..<position)
        try refuseLetter(start, "a \(name) number")
        guard let integer = Int64(digits, radix: radix) else {
            let isWrong = digits.isEmpty || digits.contains { $0.hexDigitValue ?? 16 >= radix }
            throw PredicateFormatError(
                .syntax, at: start..<position,
                isWrong ? "'\(text(start..<position).shortened)' is not \(name)" : "the number is too large")
        }
        return .integer(integer)
    }

    /// Refuses `12abc`, which would otherwise be read as two tokens, with a message about the second.
    private func refuseLetter(_ start: Int, _ what: String) throws(PredicateFormatError) {
        let letter = byte() | 0x20
        guard (letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")) || byte() == UInt8(ascii: "_") else {
            return
        }
        throw PredicateFormatError(
            .syntax, at: start..<(position + 1),
            "\(what) must not be followed by '\(Character(Unicode.Scalar(byte())))'")
    }

    // MARK: Strings

    mutating func readString() throws(PredicateFormatError) -> String {
        let start = position
        let quote = byte()
        position += 1
        var content: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote {
                position += 1
                return String(decoding: content, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                try readEscape(into: &content, from: start)
            } else {
                content.append(byte)
                position += 1
            }
        }
        throw PredicateFormatError(
            .syntax, at: start..<(start + 1), "the string that begins here has no end",
            hint: "a \(Character(Unicode.Scalar(quote))) is missing")
    }

    private mutating func readEscape(into content: inout [UInt8], from stringStart: Int) throws(PredicateFormatError) {
        let start = position
        position += 2
        guard start + 1 < bytes.count else {
            throw PredicateFormatError(
                .syntax, at: stringStart..<(stringStart + 1), "the string that begins here has no end",
                hint: "write \\\\ for a backslash")
        }
        switch bytes[start + 1] {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"): content.append(bytes[start + 1])
        case UInt8(ascii: "n"): content.append(10)
        case UInt8(ascii: "r"): content.append(13)
        case UInt8(ascii: "t"): content.append(9)
        case UInt8(ascii: "b"): content.append(8)
        case UInt8(ascii: "f"): content.append(12)
        case UInt8(ascii: "u"): content += Array(String(try readScalar(start)).utf8)
        default:
            // Dropping the backslash or keeping it would each change a pattern silently.
            let isPlain = bytes[start + 1] < 0x80 && bytes[start + 1] >= 0x20
            let letter = isPlain ? "\\\(Character(Unicode.Scalar(bytes[start + 1])))" : "\\"
            throw PredicateFormatError(
                .syntax, at: start..<(start + (isPlain ? 2 : 1)), "'\(letter)' is not an escape sequence",
                hint: "write \\\\ for a backslash, as in '\\\(letter)'")
        }
    }

    /// Reads the digits of `\u00E9`, and the second half of a pair of surrogates.
    private mutating func readScalar(_ start: Int) throws(PredicateFormatError) -> Unicode.Scalar {
        let first = try readCodeUnit(start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xDC00, byte() == UInt8(ascii: "\\"), byte(at: 1) == UInt8(ascii: "u") {
            position += 2
            let second = try readCodeUnit(position - 2)
            if (0xDC00...0xDFFF).contains(second) {
                let value = 0x10000 + ((UInt32(first) - 0xD800) << 10) + (UInt32(second) - 0xDC00)
                if let scalar = Unicode.Scalar(value) { return scalar }
            }
        }
        throw PredicateFormatError(
            .syntax, at: start..<position, "the escape sequence is half a pair of surrogates",
            hint: "write the character itself")
    }

    private mutating func readCodeUnit(_ start: Int) throws(PredicateFormatError) -> UInt16 {
        let digits = text(position..<min(position + 4, bytes.count))
        guard digits.utf8.count == 4, digits.allSatisfy(\.isASCII), digits.allSatisfy(\.isHexDigit),
            let unit = UInt16(digits, radix: 16)
        else {
            throw PredicateFormatError(
                .syntax, at: start..<min(start + 2, bytes.count), "'\\u' must be followed by four hexadecimal digits")
        }
        position += 4
        return unit
    }
}
