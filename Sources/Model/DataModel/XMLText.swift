/// Text in XML: in the values of attributes, and between elements.
package enum XMLText {
    /// Returns the text with XML's special characters written as references. Characters that XML cannot contain, which
    /// no file of a model has, are replaced.
    package static func escaped(_ text: String, in quotationMark: UInt8 = UInt8(ascii: "\"")) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where quotationMark == UInt8(ascii: "\""): result += "&quot;"
            case "'" where quotationMark == UInt8(ascii: "'"): result += "&apos;"
            // If these are written unescaped, readers take them for spaces or for other line ends.
            case "\t", "\n", "\r", "\u{85}", "\u{2028}": result += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns the value of an escaped text. The reader refuses documents with other entities than XML's own.
    package static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let start = rest.firstIndex(of: "&"), let end = rest[start...].firstIndex(of: ";") {
            result += rest[..<start]
            let name = rest[rest.index(after: start)..<end]
            if let scalar = scalar(named: String(name)) {
                result.append(scalar)
            } else {
                result += rest[start...end]
            }
            rest = rest[rest.index(after: end)...]
        }
        result += rest
        return String(result)
    }

    private static func scalar(named name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.utf8.first == UInt8(ascii: "#") else { return nil }
            let digits = name.dropFirst()
            let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init)
        }
    }
}
