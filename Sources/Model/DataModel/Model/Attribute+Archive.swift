/// The archives of transformable attributes by the built-in transformer.
extension Attribute {
    /// The Swift type that the author names for the value.
    public var swiftTypeName: String? { entry("ashlar.swiftType") }

    /// The Swift type of the transformer that the author names: in `userInfo`, or as the attribute's transformer.
    public var transformerTypeName: String? {
        if let name = entry("ashlar.transformer") { return name }
        guard !hasBuiltInTransformer, let name = valueTransformerName else { return nil }
        return name.hasPrefix(".") ? String(name.dropFirst()) : name
    }

    /// Whether the value is a keyed archive: either no transformer is named, or one of Core Data's own. The names of
    /// the constants are often mistaken for the names that they contain.
    private var hasBuiltInTransformer: Bool {
        guard let name = valueTransformerName, !name.isEmpty else { return true }
        return ["NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData", "NSUnarchiveFromData"].contains { builtIn in
            ["", "Transformer", "TransformerName"].contains { name == builtIn + $0 }
        }
    }

    /// The Swift type of a transformable attribute whose value the built-in transformer archives; nil for one with
    /// another transformer, and for one whose class the built-in transformer does not allow.
    public var archivedTypeName: String? {
        guard type == .transformable, swiftTypeName == nil, transformerTypeName == nil else { return nil }
        guard let customClassName, !customClassName.isEmpty else { return ArchivedTypeName.any }
        var parser = ArchivedTypeName(customClassName)
        return parser.parse()
    }

    private func entry(_ key: String) -> String? {
        guard let text = userInfo[key], !text.isEmpty else { return nil }
        return text
    }
}

/// Reads the class of an archived value, written as a class of Foundation or as a Swift type, such as `[String: Int64]`.
struct ArchivedTypeName {
    /// The type of a value that may be of any allowed class.
    static let any = "ArchivedValue"

    private var rest: Substring

    init(_ text: String) {
        rest = text.filter { !$0.isWhitespace }[...]
    }

    private static let scalars: [String: String] = [
        "NSString": "String", "NSMutableString": "String", "String": "String", "NSData": "Data",
        "NSMutableData": "Data", "Data": "Data", "NSDate": "Date", "Date": "Date", "NSURL": "URL", "URL": "URL",
        "NSUUID": "UUID", "UUID": "UUID", "Bool": "Bool", "Int": "Int", "Int16": "Int16", "Int32": "Int32",
        "Int64": "Int64", "Double": "Double", "Float": "Float",
    ]
    /// Classes whose objects have several types, and names that give no type.
    private static let others: Set<String> = [
        "", "Any", "AnyObject", "AnyHashable", "NSObject", "NSNumber", "NSNull", "NSCoding", "NSSecureCoding", any,
    ]
    private static let collections: [String: (name: String, parameters: Int)] = [
        "NSArray": ("Array", 0), "NSMutableArray": ("Array", 0), "Array": ("Array", 1),
        "NSDictionary": ("Dictionary", 0), "NSMutableDictionary": ("Dictionary", 0), "Dictionary": ("Dictionary", 2),
        "NSSet": ("Set", 0), "NSMutableSet": ("Set", 0), "Set": ("Set", 1),
    ]

    /// The Swift type; nil for a type that the built-in transformer does not support.
    mutating func parse() -> String? {
        guard let type = type(), rest.isEmpty else { return nil }
        return type
    }

    private mutating func type() -> String? {
        if take("[") {
            guard let first = type() else { return nil }
            if take("]") { return "[\(first)]" }
            guard take(":"), let second = type(), take("]") else { return nil }
            return "[\(first): \(second)]"
        }
        let name = self.name()
        if let scalar = Self.scalars[name] { return scalar }
        if Self.others.contains(name) { return Self.any }
        guard let (collection, count) = Self.collections[name] else { return nil }
        var arguments = Array(repeating: Self.any, count: collection == "Dictionary" ? 2 : 1)
        if count > 0, take("<") {
            for index in 0..<count {
                guard index == 0 || take(","), let argument = type() else { return nil }
                arguments[index] = argument
            }
            guard take(">") else { return nil }
        }
        return collection == "Set" ? "Set<\(arguments[0])>" : "[\(arguments.joined(separator: ": "))]"
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    /// A name without its module: Swift, Foundation, or the model's own, which is empty.
    private mutating func name() -> String {
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        rest = rest.dropFirst(name.count)
        for module in ["Swift.", "Foundation.", "."] where name.hasPrefix(module) {
            return String(name.dropFirst(module.count))
        }
        return String(name)
    }
}
