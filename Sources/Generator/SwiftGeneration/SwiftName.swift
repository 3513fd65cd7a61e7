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

    /// Names that no property can have: members that every class has, and types of the runtime that the class's body
    /// uses.
    static let reservedMembers: Set<String> = [
        "_", "hashValue", "persistentModelID", "predicateValue", "Values", "Own", "self", "Self", "Type", "Protocol",
        "init", "CodingKeys",
        "ArchivedValue", "AttributeType", "Column", "Columns", "ColumnCoding", "CompositeColumns", "CompositeLayout",
        "CompositeValue", "Condition", "Decimal", "EntityDescription", "EntityValues", "ExternalValue",
        "FetchDescriptor", "FetchIndex", "FullText", "FullTextColumn", "FullTextDescription", "IndexDescription",
        "ManagedObject", "ManagedObjectModel", "ModelContext", "ModelDescription", "PersistentIdentifier",
        "PersistentModel", "PropertyKeyPaths", "RelatedColumns", "RelationshipDescription", "Row", "RowError",
        "SQLExpression", "SQLiteValue", "Statement", "ToMany",
    ]

    /// Names with another meaning within a class, or within the description of a model: those of members that every
    /// class has, and those of parameters.
    private static let reservedClassNames: Set<String> = [
        "all", "changes", "column", "entity", "hasChanges", "hash", "hashValue", "id", "identifier", "isDeleted",
        "isInserted", "mask", "modelContext", "modelDescription", "new", "old", "order", "persistentModelID",
        "position", "row", "schema", "snapshot", "statement", "values", "versions", "where",
    ]

    /// Names of types that generated code uses; no class can have them.
    static let reservedTypes: Set<String> = [
        "Ashlar", "Foundation", "Swift", "Type", "Protocol", "Self", "Any", "Values", "Own", "Columns", "Column",
        "CompositeColumns",
        "ColumnCoding", "Condition", "RelatedColumns", "SQLExpression", "AttributeType", "ManagedObject",
        "PersistentModel", "PersistentIdentifier", "EntityDescription",
        "RelationshipDescription", "EntityValues", "Row", "RowError",
        "CompositeLayout", "CompositeValue", "UnsafeMutableRawPointer", "Void",
        "PropertyKeyPaths", "Statement", "SQLiteValue", "ToMany", "FetchDescriptor", "ModelContext", "ModelDescription",
        "ManagedObjectModel", "AnyObject", "Bool", "String", "Int", "Int16", "Int32", "Int64", "UInt64", "Double",
        "Float", "Date", "Data", "UUID", "URL", "Decimal", "Sendable", "Equatable", "Hashable", "Codable",
        "ClosedRange", "Optional", "Array", "Set", "Dictionary", "ArchivedValue",
        "SecureUnarchiveFromDataTransformer", "ExternalValue", "FullText", "FullTextColumn", "FullTextDescription",
        "FetchIndex", "IndexDescription", "CodingKeys",
    ]

    /// Names of type parameters and associated types in whose scope generated code uses classes and structs.
    static let typeParameters: Set<String> = ["Model", "Composite", "Root", "ID", "Value"]

    /// Returns whether a name is one of some that are taken, with any number of underscores after it.
    ///
    /// Such a name gets one more underscore, so that `init` and `init_` stay different.
    private static func isTaken(_ name: String, _ names: Set<String>) -> Bool {
        if !name.hasSuffix("_") { return names.contains(name) }
        let end = name.utf8.lastIndex { $0 != UInt8(ascii: "_") }
        return names.contains(name) || end.map { names.contains(String(name[...$0])) } ?? false
    }

    /// A property's name, in backticks if Swift needs them, and with an underscore if the class has the name already.
    static func property(_ name: String) -> String {
        if isTaken(name, reservedMembers) { return name + "_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// The name of a case or another static member, after a point.
    static func member(_ name: String) -> String {
        ["init", "self", "Type", "Protocol"].contains(name) ? "`\(name)`" : name
    }

    /// The name of a full-text index's property, which must differ from the members that every class has.
    static func fullText(_ name: String) -> String {
        isTaken(name, reservedClassNames) ? name + "_" : property(name)
    }

    /// A function's name: words of letters and digits joined, the first with a small letter.
    static func function(_ name: String) -> String {
        let words = name.unicodeScalars.split { !$0.properties.isXIDContinue }.map { String($0) }
        let joined = words.enumerated().map {
            $0.offset == 0 ? $0.element : $0.element.prefix(1).uppercased() + $0.element.dropFirst()
        }
        .joined()
        // Of an abbreviation all letters become small, but the one that begins the next word.
        let capitals = joined.prefix { $0.isUppercase }
        let isWord = capitals.count == joined.count
        let small = isWord || capitals.count < 2 ? capitals.count : capitals.count - 1
        var result = joined.prefix(small).lowercased() + joined.dropFirst(small)
        if !SQLiteName.isLegal(result) { result = "_" + result }
        if isTaken(result, reservedFunctions) || isTaken(result, reservedMembers) { return result + "_" }
        return keywords.contains(result) ? "`\(result)`" : result
    }

    /// Names of static members that every class has, which no function can have without hiding them.
    private static let reservedFunctions: Set<String> = ["all", "entity", "order", "where"]

    /// An argument's label, which needs backticks for three words only and is a warning with them for all others.
    static func label(_ name: String) -> String {
        if isTaken(name, reservedMembers) { return name + "_" }
        return ["inout", "let", "var"].contains(name) ? "`\(name)`" : name
    }

    /// The label in a call. Two of the words that need backticks in a declaration cause a warning with them here.
    static func argument(_ name: String) -> String { ["let", "var"].contains(name) ? name : label(name) }

    /// A class's name: the model's class without its module, else the entity's name.
    static func className(represented: String?, entity: String) -> String {
        var name = represented?.split(separator: ".").last.map(String.init) ?? entity
        if name.isEmpty || name == "NSManagedObject" || !isIdentifier(name) { name = entity }
        if isTaken(name, reservedTypes) || isTaken(name, reservedClassNames) { return name + "_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    static func isIdentifier(_ name: String) -> Bool { SQLiteName.isLegal(name) }
}
