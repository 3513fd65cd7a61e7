/// Cuts a format string into tokens.
struct Lexer {
    let bytes: [UInt8]
    let allowsArguments: Bool
    var position = 0
    /// The number of placeholders so far, which is the index of the next one.
    private var argumentCount = 0

    init(_ text: String, allowsArguments: Bool) {
        bytes = Array(text.utf8)
        self.allowsArguments = allowsArguments
    }

    /// The byte at a distance from the position, or 0 after the end.
    func byte(at distance: Int = 0) -> UInt8 {
        position + distance < bytes.count ? bytes[position + distance] : 0
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    mutating func next() throws(PredicateFormatError) -> Token {
        skipSpace()
        let start = position
        guard position < bytes.count else { return Token(kind: .end, range: start..<start) }
        let kind = try nextKind()
        return Token(kind: kind, range: start..<position)
    }

    private mutating func skipSpace() {
        while position < bytes.count, [9, 10, 11, 12, 13, 32].contains(bytes[position]) { position += 1 }
    }

    private mutating func nextKind() throws(PredicateFormatError) -> Token.Kind {
        let start = position
        switch byte() {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber())
        case UInt8(ascii: ".") where isDigit(byte(at: 1)): return .number(try readNumber())
        case UInt8(ascii: "#"):
            return .name(try readPrefixedName("a name", hint: "'#' keeps a name from being read as a keyword"))
        case UInt8(ascii: "$"): return .variable(try readPrefixedName("the name of a variable"))
        case UInt8(ascii: "@"): return .collectionOperator(try readPrefixedName("the name of a collection operator"))
        case UInt8(ascii: "%"): return try readArgument()
        case UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"): return try readComparison()
        case UInt8(ascii: "!"):
            if byte(at: 1) == UInt8(ascii: "=") { return try readComparison() }
            position += 1
            return .symbol(.not)
        default: break
        }
        if let symbol = readSymbol() { return .symbol(symbol) }
        if let word = readWord() {
            return Keyword(word: word).map { .keyword($0, word) } ?? .name(word)
        }
        throw unexpectedCharacter(at: start)
    }

    private mutating func readSymbol() -> Token.Symbol? {
        if position + 1 < bytes.count, let symbol = Token.Symbol(rawValue: text(position..<(position + 2))) {
            position += 2
            return symbol
        }
        guard byte() < 0x80, let symbol = Token.Symbol(rawValue: text(position..<(position + 1))) else { return nil }
        position += 1
        return symbol
    }

    private mutating func readComparison() throws(PredicateFormatError) -> Token.Kind {
        let start = position
        repeat {
            position += 1
        } while [UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">")].contains(byte())
        let spelling = text(start..<min(position, start + 60))
        switch spelling {
        case "=": return .comparison(.equalTo)
        case "<>": return .comparison(.notEqualTo)
        case "=<": return .comparison(.lessThanOrEqualTo)
        case "=>": return .comparison(.greaterThanOrEqualTo)
        default: break
        }
        guard let comparison = ComparisonOperator(rawValue: spelling) else {
            throw PredicateFormatError(
                .syntax, at: start..<position, "'\(spelling)' is not an operator",
                hint: "the operators of comparison are ==, !=, <, <=, > and >=")
        }
        return .comparison(comparison)
    }

    // MARK: Names

    private mutating func readPrefixedName(_ what: String, hint: String? = nil) throws(PredicateFormatError) -> String {
        let start = position
        position += 1
        guard let word = readWord() else {
            throw PredicateFormatError(
                .syntax, at: start..<position, "'\(text(start..<position))' must be followed by \(what)", hint: hint)
        }
        return word
    }

    /// Reads letters, digits and underscores of any script, as models have names of all of them.
    private mutating func readWord() -> String? {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x80 {
                let isLetter = (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
                guard isLetter || byte == UInt8(ascii: "_") || (isDigit(byte) && position > start) else { break }
                position += 1
            } else {
                let (scalar, length) = scalar(at: position)
                let properties = scalar.properties
                guard position > start ? properties.isXIDContinue : properties.isXIDStart else { break }
                position += length
            }
        }
        return position > start ? text(start..<position) : nil
    }

    /// The scalar at a position that is the beginning of one, and its length.
    private func scalar(at position: Int) -> (Unicode.Scalar, length: Int) {
        let length = bytes[position] < 0xE0 ? 2 : bytes[position] < 0xF0 ? 3 : 4
        let scalars = text(position..<min(position + length, bytes.count)).unicodeScalars
        return (scalars.first ?? "\u{FFFD}", length)
    }

    private func unexpectedCharacter(at start: Int) -> PredicateFormatError {
        let byte = bytes[start]
        guard byte >= 0x80 else {
            let isControl = byte < 0x20 || byte == 0x7F
            let name = isControl ? "the control character \(byte)" : "'\(Character(Unicode.Scalar(byte)))'"
            let hint: String? =
                switch byte {
                case UInt8(ascii: "&"): "write && or AND"
                case UInt8(ascii: "|"): "write || or OR"
                case UInt8(ascii: "?"): "write TERNARY(condition, a, b)"
                default: nil
                }
            return PredicateFormatError(.syntax, at: start..<(start + 1), "\(name) has no meaning here", hint: hint)
        }
        let (scalar, length) = scalar(at: start)
        let code = String(scalar.value, radix: 16, uppercase: true)
        let isQuote = (0x2018...0x201F).contains(scalar.value)
        let isVisible = !scalar.properties.isWhitespace && scalar.properties.generalCategory != .format
        return PredicateFormatError(
            .syntax, at: start..<(start + length),
            isVisible ? "'\(scalar)' has no meaning here" : "the character U+\(code) has no meaning here",
            hint: isQuote ? "strings stand in straight quotes, ' or \"" : nil)
    }

    // MARK: Arguments

    private mutating func readArgument() throws(PredicateFormatError) -> Token.Kind {
        let start = position
        position += 1
        let index = try readArgumentPosition(start) ?? argumentCount
        while "hlqLzjt".utf8.contains(byte()) { position += 1 }
        let letter = byte()
        if position < bytes.count, letter < 0x80 { position += 1 }
        let kind: FormatArgument.Kind?
        switch letter {
        case UInt8(ascii: "@"): kind = .object
        case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "i"), UInt8(ascii: "c"): kind = .signedInteger
        case UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"):
            kind = .unsignedInteger
        case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "g"), UInt8(ascii: "G"), UInt8(ascii: "e"),
            UInt8(ascii: "E"), UInt8(ascii: "a"):
            kind = .real
        case UInt8(ascii: "K"): kind = nil
        default:
            throw PredicateFormatError(
                .syntax, at: start..<position, "'\(text(start..<position))' is not a placeholder for an argument",
                hint: "write %@ for a value, or %K for a key path")
        }
        guard allowsArguments else {
            throw PredicateFormatError(
                .unsupported, at: start..<position, "there are no arguments that '%' could stand for",
                hint: "write a $VARIABLE")
        }
        argumentCount += 1
        return kind.map { .argument(FormatArgument(index: index, kind: $0)) } ?? .keyPathArgument(index)
    }

    /// Reads the position in `%2$@`, which counts from 1.
    private mutating func readArgumentPosition(_ start: Int) throws(PredicateFormatError) -> Int? {
        let first = position
        while isDigit(byte()) { position += 1 }
        guard position > first else { return nil }
        guard byte() == UInt8(ascii: "$"), position - first < 7, let number = Int(text(first..<position)), number > 0
        else {
            throw PredicateFormatError(
                .syntax, at: start..<position, "a placeholder has no width or precision",
                hint: "write %1$@ for the first argument")
        }
        position += 1
        return number - 1
    }

    func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
