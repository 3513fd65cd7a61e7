/// How text stands in a page: the one place where it is escaped.
///
/// It goes by Unicode scalars, since a letter that combines with a mark of the language would hide it from Swift's characters.
enum HTMLText {
    /// Text as people see it: what cannot be seen, or turns the direction of other text, is shown as a sign.
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
        // Other controls, what turns the direction of text, and what separates lines or is not there at all.
        case 0x80...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFE, 0xFFFF,
            0xE0000...0xE007F:
            "⟨U+\(String(scalar.value, radix: 16, uppercase: true))⟩".unicodeScalars
        default: nil
        }
    }
}
