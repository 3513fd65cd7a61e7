/// The parts of a Swift text that matter to a search for calls and their arguments: no comments, and strings as one.
///
/// Positions count bytes of UTF-8.
struct SwiftToken: Equatable {
    enum Kind: Equatable {
        /// A name, a keyword or a number.
        case word
        /// A string without interpolation, with its value.
        case string(String)
        /// A string whose value is not known: interpolated, raw, or of several lines.
        case otherString
        /// A bracket, a comma, a dot, or another character.
        case mark
    }

    var kind: Kind
    var text: String
    var range: Range<Int>

    func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }

    /// The tokens of a text; nil when a comment, a string or a bracket in it has no end.
    static func tokens(of source: String) -> [SwiftToken]? {
        var scanner = SwiftScanner(Array(source.utf8))
        return scanner.tokens()
    }
}

private struct SwiftScanner {
    private let bytes: [UInt8]
    private var position = 0
    private var found: [SwiftToken] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func tokens() -> [SwiftToken]? {
        while position < bytes.count {
            let byte = bytes[position]
            if isSpace(byte) {
                position += 1
            } else if hasPrefix("//") {
                while position < bytes.count, bytes[position] != 0x0A { position += 1 }
            } else if hasPrefix("/*") {
                guard skipComment() else { return nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#") && beginsRawString() {
                guard scanString() else { return nil }
            } else if isWord(byte) {
                let start = position
                while position < bytes.count, isWord(bytes[position]) { position += 1 }
                add(.word, from: start)
            } else {
                position += 1
                add(.mark, from: position - 1)
            }
        }
        return isBalanced ? found : nil
    }

    /// Whether each bracket has its other one.
    private var isBalanced: Bool {
        var open: [String] = []
        for token in found where token.kind == .mark {
            switch token.text {
            case "(", "[", "{": open.append(token.text)
            case ")": if open.popLast() != "(" { return false }
            case "]": if open.popLast() != "[" { return false }
            case "}": if open.popLast() != "{" { return false }
            default: break
            }
        }
        return open.isEmpty
    }

    private mutating func add(_ kind: SwiftToken.Kind, from start: Int) {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        found.append(SwiftToken(kind: kind, text: text, range: start..<position))
    }

    private func hasPrefix(_ text: String) -> Bool {
        position <= bytes.count && bytes[position...].starts(with: text.utf8)
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Letters, digits, the underscore, and everything that is not ASCII.
    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    /// Comments of this kind may be within each other.
    private mutating func skipComment() -> Bool {
        var depth = 0
        repeat {
            if position >= bytes.count { return false }
            if hasPrefix("/*") {
                depth += 1
                position += 2
            } else if hasPrefix("*/") {
                depth -= 1
                position += 2
            } else {
                position += 1
            }
        } while depth > 0
        return true
    }

    private func beginsRawString() -> Bool {
        var next = position
        while next < bytes.count, bytes[next] == UInt8(ascii: "#") { next += 1 }
        return next < bytes.count && bytes[next] == UInt8(ascii: "\"")
    }

    private mutating func scanString() -> Bool {
        let start = position
        var hashes = 0
        while bytes[position] == UInt8(ascii: "#") {
            hashes += 1
            position += 1
        }
        let quote = hasPrefix("\"\"\"") ? "\"\"\"" : "\""
        position += quote.utf8.count
        let end = quote + String(repeating: "#", count: hashes)
        let escape = "\\" + String(repeating: "#", count: hashes)
        let contents = position
        var isPlain = hashes == 0 && quote.utf8.count == 1
        while !hasPrefix(end) {
            if position >= bytes.count || quote.utf8.count == 1 && bytes[position] == 0x0A { return false }
            if hasPrefix(escape) {
                isPlain = false
                position += escape.utf8.count
                // An interpolation may have strings of its own.
                if position < bytes.count, bytes[position] == UInt8(ascii: "("), !skipInterpolation() { return false }
            }
            position += 1
        }
        let value = String(decoding: bytes[contents..<position], as: UTF8.self)
        position += end.utf8.count
        add(isPlain ? .string(value) : .otherString, from: start)
        return true
    }

    /// Leaves the position at the bracket that ends an interpolation.
    private mutating func skipInterpolation() -> Bool {
        var depth = 0
        let count = found.count
        defer { found.removeSubrange(count...) }
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth == 0 { return true }
            case UInt8(ascii: "\""):
                guard scanString() else { return false }
                continue
            case 0x0A: return false
            default: break
            }
            position += 1
        }
        return false
    }
}
