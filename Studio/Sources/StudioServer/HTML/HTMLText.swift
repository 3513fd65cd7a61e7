/// Escapes all text of a page, except that of pictures.
///
/// The text is read by Unicode scalars. Swift combines a special character of HTML and a following combining scalar
/// into one character, which would not be escaped.
enum HTMLText {
    /// Text in visible form: signs stand for characters that cannot be seen, or that change the direction of other
    /// text.
    static func shown(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let sign = sign(scalar) { result += sign } else { append(scalar, to: &result) }
        }
        return String(result)
    }

    /// Text as the value of an attribute or of a form, which comes back as it is.
    static func value(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            // No page can have these.
            case 0...0x8, 0xB, 0xC, 0xE...0x1F, 0x7F...0x9F: result.append("\u{FFFD}")
            case 0x9, 0xA, 0xD: result += "&#\(scalar.value);".unicodeScalars
            default: append(scalar, to: &result)
            }
        }
        return String(result)
    }

    private static func append(_ scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView) {
        switch scalar {
        case "&": result += "&amp;".unicodeScalars
        case "<": result += "&lt;".unicodeScalars
        case ">": result += "&gt;".unicodeScalars
        case "\"": result += "&quot;".unicodeScalars
        case "'": result += "&#39;".unicodeScalars
        default: result.append(scalar)
        }
    }

    private static func sign(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView? {
        switch scalar.value {
        case 0x9, 0xA: nil
        case 0...0x1F: Unicode.Scalar(0x2400 + scalar.value).map { String.UnicodeScalarView([$0]) }
        case 0x7F: "\u{2421}".unicodeScalars
        // Other controls, and characters that change the direction of text, separate lines or are invisible.
        case 0x80...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFE, 0xFFFF,
            0xE0000...0xE007F:
            "⟨U+\(String(scalar.value, radix: 16, uppercase: true))⟩".unicodeScalars
        default: nil
        }
    }
}
