extension ValueType {
    /// Whether values are numbers. Booleans are the numbers 1 and 0.
    public var isNumeric: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: true
        default: false
        }
    }

    /// Whether values are whole numbers.
    public var isInteger: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: true
        default: false
        }
    }

    /// Whether values have an order.
    public var isOrdered: Bool { isNumeric || self == .date || self == .string }

    /// The narrowest type that holds the numbers of both.
    func widened(with other: ValueType) -> ValueType {
        let order: [ValueType] = [.boolean, .integer16, .integer32, .integer64, .float, .double, .decimal]
        let first = order.firstIndex(of: self) ?? 0
        let second = order.firstIndex(of: other) ?? 0
        // A float does not have the digits of a wide integer.
        if max(first, second) == 4, min(first, second) >= 2, first != second { return .double }
        return order[max(first, second)]
    }
}

extension ResolvedType {
    /// The type of one element, for a type of many values.
    public var element: ResolvedType? {
        if case .collection(let element) = self { element } else { nil }
    }

    var isNumeric: Bool {
        if case .value(let value) = self { value.isNumeric } else { false }
    }

    var isInteger: Bool {
        if case .value(let value) = self { value.isInteger } else { false }
    }

    /// The type with an article, for messages.
    var phrase: String {
        switch self {
        case .value(let value): value.phrase
        case .object(let entity): "an object of \(entity.shortened)"
        case .composite(let name): "a composite \(name.shortened)"
        case .collection(let element): "many values, each \(element.phrase)"
        case .bounds(let element): "two bounds, each \(element.phrase)"
        case .fullText: "a full-text index"
        case .null: "nil"
        case .unknown: "a value of unknown type"
        }
    }
}

extension ValueType {
    fileprivate var phrase: String { Self.phrases[self] ?? rawValue }

    private static let phrases: [ValueType: String] = [
        .integer16: "an integer", .integer32: "an integer", .integer64: "an integer", .decimal: "a decimal number",
        .double: "a number", .float: "a number", .string: "a string", .boolean: "a Boolean", .date: "a date",
        .binary: "binary data", .uuid: "a UUID", .uri: "a URI", .objectID: "an object identifier",
        .transformable: "a transformable value",
    ]
}

extension ResolutionPass {
    /// The type that has the values of both types; nil if there is none.
    func merged(_ first: ResolvedType, _ second: ResolvedType) -> ResolvedType? {
        if first == second || second == .unknown || second == .null { return first }
        if first == .unknown || first == .null { return second }
        switch (first, second) {
        case (.value(let left), .value(let right)):
            // A variable cannot be a Bool in one place and an Int in another.
            guard left.isNumeric, right.isNumeric, left != .boolean, right != .boolean else { return nil }
            return .value(left.widened(with: right))
        case (.object(let left), .object(let right)):
            if schema.isEntity(left, kindOf: right) { return first }
            return schema.isEntity(right, kindOf: left) ? second : nil
        case (.collection(let left), .collection(let right)): return merged(left, right).map { .collection(of: $0) }
        case (.bounds(let left), .bounds(let right)): return merged(left, right).map { .bounds(of: $0) }
        default: return nil
        }
    }

    /// Returns whether a value of one type can equal one of the other.
    func isComparable(_ first: ResolvedType, _ second: ResolvedType) -> Bool {
        if merged(first, second) != nil { return true }
        switch (first, second) {
        case (.value(let left), .value(let right)): return left.isNumeric && right.isNumeric
        case (.object, .value(.objectID)), (.value(.objectID), .object): return true
        default: return false
        }
    }
}
