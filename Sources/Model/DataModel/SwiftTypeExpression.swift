/// A type as Swift writes it, which an author gives for an attribute.
///
/// It is written into generated code, so it may contain nothing but names, with dots and type arguments, optionals,
/// arrays, dictionaries, tuples and protocols. Types that no attribute can have, such as functions, are invalid.
struct SwiftTypeExpression {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    private init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// Returns whether a text is exactly one type.
    static func isValid(_ text: String) -> Bool {
        var reader = SwiftTypeExpression(text)
        guard reader.type() else { return false }
        reader.skipSpaces()
        return reader.position == reader.scalars.count
    }

    /// Words that begin something other than a type. Words that are merely useless as a type are left to the compiler.
    private static let keywords: Set<String> = [
        "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer", "deinit",
        "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "some", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func skipSpaces() {
        while next == " " { position += 1 }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func type() -> Bool {
        depth += 1
        defer { depth -= 1 }
        // Real types are not nested this deeply.
        guard depth < 50 else { return false }
        let start = position
        if name() == "any", next == " " {
            skipSpaces()
        } else {
            position = start
        }
        repeat {
            guard simpleType() else { return false }
        } while take("&")
        return true
    }

    private mutating func simpleType() -> Bool {
        if take("[") {
            guard type() else { return false }
            if take(":"), !type() { return false }
            guard take("]") else { return false }
        } else if take("(") {
            repeat {
                let start = position
                // An element of a tuple may have a name.
                if name() == nil || !take(":") { position = start }
                guard type() else { return false }
            } while take(",")
            guard take(")") else { return false }
        } else {
            guard namedType() else { return false }
        }
        while true {
            if take("?") { continue }
            if take(".") {
                guard namedType() else { return false }
                continue
            }
            return true
        }
    }

    private mutating func namedType() -> Bool {
        guard name() != nil else { return false }
        guard take("<") else { return true }
        repeat {
            skipSpaces()
            if let digit = next, "0"..."9" ~= digit {
                while let digit = next, "0"..."9" ~= digit { position += 1 }
            } else if !type() {
                return false
            }
        } while take(",")
        return take(">")
    }

    /// A name, in backticks or not; nil where there is none.
    private mutating func name() -> String? {
        skipSpaces()
        let isQuoted = next == "`"
        if isQuoted { position += 1 }
        var name = ""
        while let scalar = next, scalar == "_" || scalar.properties.isXIDContinue || "🀀"..."\u{1FAFF}" ~= scalar {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard let first = name.unicodeScalars.first, first == "_" || !("0"..."9" ~= first) else { return nil }
        if isQuoted {
            guard next == "`" else { return nil }
            position += 1
            return name
        }
        return Self.keywords.contains(name) ? nil : name
    }
}
