/// Comparisons of two texts by their bytes, after the differences that the options ignore are removed.
enum TextMatching {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    static func holds(
        _ comparison: TextComparison, _ text: String, _ pattern: String, _ options: TextOptions
    ) throws(ScalarFunctionError) -> Bool {
        if comparison == .matches { return try RegularExpressions.matches(text, pattern, options) }
        var text = text
        var pattern = pattern
        if !options.isEmpty {
            // The pattern's wildcards and backslashes are ASCII, which folding keeps.
            if !options.contains(.patternIsFolded) { pattern = TextFolding.folded(pattern, options) }
            let answer: Bool? = text.withUTF8 { text in
                isASCII(text) ? pattern.withUTF8 { bytes(comparison, text, $0, options) } : nil
            }
            if let answer { return answer }
            text = TextFolding.folded(text, options)
        }
        return text.withUTF8 { text in
            pattern.withUTF8 { pattern in bytes(comparison, text, pattern) { $0 } }
        }
    }

    /// Compares two ASCII texts without copying them. Returns nil for other texts, and for regular expressions.
    static func ascii(
        _ comparison: TextComparison, _ text: Bytes, _ pattern: Bytes, _ options: TextOptions
    ) -> Bool? {
        comparison != .matches && isASCII(text) && isASCII(pattern) ? bytes(comparison, text, pattern, options) : nil
    }

    private static func isASCII(_ text: Bytes) -> Bool { text.reduce(0) { $0 | $1 } < 0x80 }

    /// Compares an ASCII text.
    private static func bytes(
        _ comparison: TextComparison, _ text: Bytes, _ pattern: Bytes, _ options: TextOptions
    ) -> Bool {
        options.contains(.caseInsensitive)
            ? bytes(comparison, text, pattern, TextFolding.lowercased) : bytes(comparison, text, pattern) { $0 }
    }

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
        default:
            guard let first = pattern.first.map(fold) else { return true }
            return (0...last).contains { fold(text[$0]) == first && isEqual(text, at: $0, pattern, fold) }
        }
    }

    @inline(__always)
    private static func isEqual(_ text: Bytes, at start: Int, _ pattern: Bytes, _ fold: (UInt8) -> UInt8) -> Bool {
        for index in 0..<pattern.count where fold(text[start + index]) != fold(pattern[index]) { return false }
        return true
    }

    /// Returns whether a text matches a pattern with `*`, `?` and backslashes.
    ///
    /// The time grows with the product of both lengths at worst.
    private static func isLike(_ text: Bytes, _ pattern: Bytes, _ fold: (UInt8) -> UInt8) -> Bool {
        var position = 0
        var token = 0
        /// The token after the last `*`, and the end of the text that the `*` matches so far.
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
                    if position < text.count, fold(text[position]) == fold(pattern[literal]) {
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
