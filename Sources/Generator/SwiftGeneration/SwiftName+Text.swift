/// Escapes a model's texts for Swift literals and comments. It works on Unicode scalars, because the compiler's rules
/// depend on scalars, not on characters or their appearance.
extension SwiftName {
    /// A string literal with everything escaped that Swift would interpret, or that would be invisible.
    static func literal(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Returns the text between the quotation marks of a string literal.
    static func escaped(_ text: String, keepingQuotes: Bool = false) -> String {
        if isPlain(text) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"" where !keepingQuotes: result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isHidden(scalar):
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A literal of several lines, for readable SQL: its lines, to be indented alike.
    ///
    /// SQL is full of quotation marks, so it is written in raw literals if nothing in the text can end one or be read
    /// as an escape.
    static func multilineLiteral(_ text: String) -> [String] {
        let marks = Marks(text)
        if !marks.hasLineBreak {
            let isRaw =
                marks.hasQuote && !marks.hasBackslash && !marks.hasDelimiter && !marks.hasTab && !marks.hasHidden
            return [isRaw ? "#\"\(text)\"#" : literal(text)]
        }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let needsEscapes = marks.hasBackslash || marks.hasThreeQuotes
        if !marks.hasHidden, !needsEscapes || !marks.hasTwoNumberSigns {
            let delimiter = needsEscapes ? "##" : ""
            return ["\(delimiter)\"\"\""] + lines + ["\"\"\"\(delimiter)"]
        }
        return ["\"\"\""] + lines.map { escaped($0, keepingQuotes: !marks.hasThreeQuotes) } + ["\"\"\""]
    }

    /// The properties of a text that determine its literal. It is one loop over the bytes, because the tool is built
    /// without optimisation and writes mostly SQL.
    private struct Marks {
        var hasHidden = false
        var hasQuote = false
        var hasBackslash = false
        var hasLineBreak = false
        var hasTab = false
        /// Two quotes at the beginning, which would open another literal, or a quote that a number sign follows.
        var hasDelimiter = false
        var hasThreeQuotes = false
        var hasTwoNumberSigns = false

        init(_ text: String) {
            var text = text
            var isASCII = true
            text.withUTF8 { bytes in
                guard let start = bytes.baseAddress else { return }
                var quotes = 0
                var signs = 0
                var index = 0
                while index < bytes.count {
                    let byte = start[index]
                    if byte == 0x22 {
                        quotes &+= 1
                        hasQuote = true
                        if quotes == 2, index == 1 { hasDelimiter = true }
                        if quotes == 3 { hasThreeQuotes = true }
                    } else {
                        if byte == 0x23, quotes > 0 { hasDelimiter = true }
                        quotes = 0
                    }
                    signs = byte == 0x23 ? signs &+ 1 : 0
                    if signs == 2 { hasTwoNumberSigns = true }
                    if byte == 0x5C { hasBackslash = true }
                    if byte == 0x0A { hasLineBreak = true }
                    if byte == 0x09 { hasTab = true }
                    if byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F { hasHidden = true }
                    if byte >= 0x80 { isASCII = false }
                    index &+= 1
                }
            }
            if !isASCII, text.unicodeScalars.contains(where: { $0.value >= 0x80 && SwiftName.isHidden($0) }) {
                hasHidden = true
            }
        }
    }

    /// Splits a text into lines of a comment. A line ends wherever the compiler or an editor may see a line end.
    /// Scalars that reorder text, so that code looks like a comment or a comment like code, are left out.
    static func commentLines(_ text: String) -> [String] {
        var lines = [""]
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A where previous == "\r": break
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: lines.append("")
            case 0x09: lines[lines.count - 1] += " "
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: break
            default: lines[lines.count - 1].unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        return lines
    }

    /// Returns whether a scalar is invisible, or combines with the one before.
    ///
    /// The test uses blocks, which no later version of Unicode changes. Unicode's properties cover more scalars with
    /// each version; with blocks, the same model gives the same bytes on every machine. Marks that belong to a script
    /// stay unchanged.
    fileprivate static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: false
        case 0..<0xA1, 0xAD, 0x300...0x36F, 0x61C, 0x115F...0x1160, 0x1680, 0x17B4...0x17B5, 0x180B...0x180F,
            0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x2000...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x20D0...0x20FF,
            0x3000, 0x3164, 0xE000...0xF8FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFF,
            0x1_3430...0x1_343F, 0x1_BCA0...0x1_BCA3, 0x1_D173...0x1_D17A, 0x1_FFFE...0x1_FFFF, 0xE_0000...0x10_FFFF:
            true
        default: false
        }
    }

    /// Returns whether a text is printable ASCII without characters to escape, as most are.
    private static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return true }
            var index = 0
            while index < bytes.count {
                let byte = start[index]
                if byte < 0x20 || byte >= 0x7F || byte == 0x22 || byte == 0x5C { return false }
                index &+= 1
            }
            return true
        }
    }
}
