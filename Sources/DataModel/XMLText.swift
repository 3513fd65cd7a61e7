/// How text stands in an attribute's value.
enum XMLText {
    /// The text as it is written between two quotation marks.
    static func escaped(_ text: String, in quotationMark: UInt8 = UInt8(ascii: "\"")) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where quotationMark == UInt8(ascii: "\""): result += "&quot;"
            case "'" where quotationMark == UInt8(ascii: "'"): result += "&apos;"
            // A reader takes these for spaces when they are written as they are.
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// What a written text stands for. The reader refuses documents with other entities than XML's own.
    static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&"), let end = rest[start...].firstIndex(of: ";") {
            result += rest[..<start]
            let name = rest[rest.index(after: start)..<end]
            result += character(named: name) ?? String(rest[start...end])
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(named name: Substring) -> String? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.first == "#" else { return nil }
            let digits = name.dropFirst()
            let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
        }
    }
}
