/// Text from another source, prepared for people: everything that a terminal would take for a command, or an editor
/// would not show, is written as its number.
///
/// A model may have any name, such as `\u{1B}[2J`, which clears the screen.
public enum TerminalText {
    /// The text with everything but printable characters, line breaks and tabs written as `\u{1B}`.
    public static func escaped(_ text: String) -> String { escaped(text, keepingLineBreaks: true) }

    /// The text as a part of one line, with its line breaks written as `\u{A}` too.
    public static func line(_ text: String) -> String { escaped(text, keepingLineBreaks: false) }

    private static func escaped(_ text: String, keepingLineBreaks: Bool) -> String {
        // Most texts, such as SQL and models, are long and contain none of these characters.
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 || $0 == 0xEF }) else {
            return text
        }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isShown(scalar) || keepingLineBreaks && scalar == "\n" {
                result.append(scalar)
            } else {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            }
        }
        return String(result)
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09: true
        // C0, DEL and C1, which terminals obey.
        case 0..<0x20, 0x7F..<0xA0: false
        // Line breaks that only some programs recognize, and marks that change the direction of text.
        case 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
        default: true
        }
    }
}
