import DataModel

/// Makes Swift identifiers of the names in a model.
enum SwiftName {
    /// Words that cannot be identifiers without backticks.
    static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "borrowing", "break", "case", "catch",
        "class", "consume", "consuming", "continue", "default", "defer", "deinit", "do", "dynamic", "else", "enum",
        "extension", "fallthrough", "false", "fileprivate", "for", "func", "get", "guard", "if", "import", "in",
        "init", "inout", "internal", "is", "lazy", "let", "mutating", "nil", "nonisolated", "open", "operator",
        "optional", "override", "precedencegroup", "prefix", "postfix", "infix", "private", "protocol", "public",
        "repeat", "required", "rethrows", "return", "self", "set", "some", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "unowned", "var", "weak", "where", "while", "yield",
        "package", "actor", "async", "isolated", "macro", "sending", "unsafe", "willSet", "didSet", "any",
        "convenience", "final", "indirect", "nonmutating", "left", "right", "none", "each", "copy",
    ]

    /// Names of members that a class has by itself, which no property can have.
    static let reservedMembers: Set<String> = [
        "_", "hashValue", "Values", "Own", "self", "Self", "Type", "Protocol", "init", "CodingKeys", "Column",
        "Columns", "CompositeColumns", "ColumnCoding", "RelatedColumns",
    ]

    /// Names that stand for something else within a class, or within the description of a model: those of members that
    /// every class has, and those of parameters.
    private static let reservedClassNames: Set<String> = [
        "all", "changes", "column", "entity", "hasChanges", "hash", "hashValue", "id", "identifier", "isDeleted",
        "isInserted", "mask", "modelContext", "modelDescription", "new", "old", "order", "persistentModelID",
        "position", "row", "schema", "snapshot", "statement", "values", "versions", "where",
    ]

    /// Names of types that generated code speaks of, which no class can have.
    static let reservedTypes: Set<String> = [
        "Ashlar", "Foundation", "Swift", "Type", "Protocol", "Self", "Any", "Values", "Own", "Columns", "Column",
        "CompositeColumns",
        "ColumnCoding", "Condition", "RelatedColumns", "SQLExpression", "AttributeType", "ManagedObject",
        "PersistentModel", "PersistentIdentifier", "EntityDescription",
        "RelationshipDescription", "EntityNumber", "EntityValues", "Row", "RowError",
        "CompositeLayout", "CompositeValue", "UnsafeMutableRawPointer", "Void",
        "PropertyKeyPaths", "Statement", "SQLiteValue", "ToMany", "FetchDescriptor", "ModelContext", "ModelDescription",
        "ManagedObjectModel", "AnyObject", "Bool", "String", "Int", "Int16", "Int32", "Int64", "UInt64", "Double",
        "Float", "Date", "Data", "UUID", "URL", "Decimal", "Sendable", "Equatable", "Hashable", "Codable",
        "ClosedRange", "Optional", "Array", "Set", "Dictionary", "ArchivedValue",
        "SecureUnarchiveFromDataTransformer", "ExternalValue", "FullText", "FullTextColumn", "FullTextDescription",
        "FetchIndex", "IndexDescription",
    ]

    /// A property's name, in backticks where Swift needs them, and with an underscore where the class has the name.
    static func property(_ name: String) -> String {
        if reservedMembers.contains(name) { return name + "_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// The name of a case or another static member, after a point.
    static func member(_ name: String) -> String {
        ["init", "self", "Type", "Protocol"].contains(name) ? "`\(name)`" : name
    }

    /// The name of a full-text index's property, which is no member that every class has.
    static func fullText(_ name: String) -> String {
        reservedClassNames.contains(name) ? name + "_" : property(name)
    }

    /// A function's name: words of letters and digits joined, the first with a small letter.
    static func function(_ name: String) -> String {
        let words = name.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        let joined = words.enumerated().map {
            $0.offset == 0 ? $0.element : $0.element.prefix(1).uppercased() + $0.element.dropFirst()
        }
        .joined()
        // Of an abbreviation all letters become small, but the one that begins the next word.
        let capitals = joined.prefix { $0.isUppercase }
        let isWord = capitals.count == joined.count
        let small = isWord || capitals.count < 2 ? capitals.count : capitals.count - 1
        var result = joined.prefix(small).lowercased() + joined.dropFirst(small)
        if result.isEmpty || result.first?.isNumber == true { result = "_" + result }
        if reservedFunctions.contains(result) || reservedMembers.contains(result) { return result + "_" }
        return keywords.contains(result) ? "`\(result)`" : result
    }

    /// Names of static members that every class has, which no function can have without hiding them.
    private static let reservedFunctions: Set<String> = ["all", "entity", "order", "where"]

    /// An argument's label, which needs backticks for three words only and is a warning with them for all others.
    static func label(_ name: String) -> String {
        if reservedMembers.contains(name) { return name + "_" }
        return ["inout", "let", "var"].contains(name) ? "`\(name)`" : name
    }

    /// The label in a call, where two of the words that a declaration needs in backticks are a warning with them.
    static func argument(_ name: String) -> String { ["let", "var"].contains(name) ? name : label(name) }

    /// A class's name: the model's class without its module, else the entity's name.
    static func className(represented: String?, entity: String) -> String {
        var name = represented?.split(separator: ".").last.map(String.init) ?? entity
        if name.isEmpty || name == "NSManagedObject" || !isIdentifier(name) { name = entity }
        if reservedTypes.contains(name) || reservedClassNames.contains(name) { return name + "_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// A string literal with everything escaped that Swift would read otherwise.
    static func literal(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// What stands between the quotation marks of a string literal.
    static func escaped(_ text: String) -> String {
        if isPlain(text) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || (0x2028...0x202E).contains(scalar.value):
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a text is of printable ASCII without what is escaped, as most are.
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

    /// A literal of several lines, for SQL that people read: its lines, to be indented alike.
    static func multilineLiteral(_ text: String) -> [String] {
        let hasBackslash = text.contains(byte: UInt8(ascii: "\\"))
        if !text.contains(byte: UInt8(ascii: "\n")) {
            let hasQuote = text.contains(byte: UInt8(ascii: "\""))
            let hasMark = text.contains(byte: UInt8(ascii: "#"))
            let isPlain = hasQuote && !hasBackslash && !(hasMark && text.contains("\"#"))
            return [isPlain ? "#\"\(text)\"#" : literal(text)]
        }
        let delimiter = hasBackslash || text.contains("\"\"\"") ? "##" : ""
        return ["\(delimiter)\"\"\""] + text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            + ["\"\"\"\(delimiter)"]
    }
}
