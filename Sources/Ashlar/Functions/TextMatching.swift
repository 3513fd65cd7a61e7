/// Comparisons of text with text, by the bytes of what the options leave.
enum TextMatching {
    static func holds(
        _ comparison: TextComparison, _ text: String, _ pattern: String, _ options: TextOptions
    ) throws(ScalarFunctionError) -> Bool {
        if comparison == .matches { return try RegularExpressions.matches(text, pattern, options) }
        var text = text
        var pattern = pattern
        if !options.isEmpty {
            // The pattern's wildcards and backslashes are ASCII, which folding leaves.
            pattern = TextFolding.folded(pattern, options)
            if let answer = ascii(comparison, &text, &pattern, options) { return answer }
            text = TextFolding.folded(text, options)
        }
        return text.withUTF8 { text in
            pattern.withUTF8 { pattern in bytes(comparison, text, pattern) { $0 } }
        }
    }

    /// The answer for a text in ASCII, without a copy of it; nil for other texts.
    private static func ascii(
        _ comparison: TextComparison, _ text: inout String, _ pattern: inout String,
        _ options: TextOptions
    ) -> Bool? {
        text.withUTF8 { text in
            guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
            return pattern.withUTF8 { pattern in
                options.contains(.caseInsensitive)
                    ? bytes(comparison, text, pattern, TextFolding.lowercased) : bytes(comparison, text, pattern) { $0 }
            }
        }
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    @inline(__always)
    private static func bytes(
        _ comparison: TextComparison, _ text: Bytes, _ pattern: Bytes, _ fold: (UInt8) -> UInt8
    ) -> Bool {
        if comparison == .like { return isLike(text, pattern, fold) }
        guard text.count >= pattern.count else { return false }
        let last = text.count - pattern.count
        switch comparison {
        case .hasPrefix: return isEqual(text, at: 0, pattern, fold)
        case .hasSuffix: return isEqual(text, at: last, pattern, fold)
        default: return (0...last).contains { isEqual(text, at: $0, pattern, fold) }
        }
    }

    @inline(__always)
    private static func isEqual(_ text: Bytes, at start: Int, _ pattern: Bytes, _ fold: (UInt8) -> UInt8) -> Bool {
        for index in 0..<pattern.count where fold(text[start + index]) != pattern[index] { return false }
        return true
    }

    /// Whether a text is of the form that a pattern with `*`, `?` and backslashes says.
    ///
    /// The time grows with the product of both lengths at worst.
    private static func isLike(_ text: Bytes, _ pattern: Bytes, _ fold: (UInt8) -> UInt8) -> Bool {
        var position = 0
        var token = 0
        /// Where to go on after the last `*`, and what it has taken up to.
        var resumption: (token: Int, position: Int)?
        while position < text.count || token < pattern.count {
            if token < pattern.count {
                switch pattern[token] {
                case UInt8(ascii: "*"):
                    token += 1
                    resumption = (token, position)
                    continue
                case UInt8(ascii: "?") where position < text.count:
                    token += 1
                    position = end(ofCharacterAt: position, text)
                    continue
                case UInt8(ascii: "?"): break
                default:
                    let isEscaped = pattern[token] == UInt8(ascii: "\\") && token + 1 < pattern.count
                    let literal = isEscaped ? token + 1 : token
                    if position < text.count, fold(text[position]) == pattern[literal] {
                        token = literal + 1
                        position += 1
                        continue
                    }
                }
            }
            guard let last = resumption, last.position < text.count else { return false }
            position = end(ofCharacterAt: last.position, text)
            token = last.token
            resumption = (token, position)
        }
        return true
    }

    private static func end(ofCharacterAt position: Int, _ text: Bytes) -> Int {
        var end = position + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
