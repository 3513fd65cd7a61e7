/// Checks one comparison: that its operator has a meaning for the types on its sides.
struct ComparisonResolver {
    let parsed: ParsedPredicate.Comparison
    var left: ResolvedExpression
    var right: ResolvedExpression

    init(_ parsed: ParsedPredicate.Comparison, left: ResolvedExpression, right: ResolvedExpression) {
        self.parsed = parsed
        self.left = left
        self.right = right
    }

    mutating func resolve(
        in pass: inout ResolutionPass
    ) throws(PredicateFormatError) -> ResolvedPredicate.Comparison {
        try checkQuantifier(pass)
        if try resolveFullText(&pass) {
            return ResolvedPredicate.Comparison(
                modifier: parsed.modifier, left: left, operator: parsed.operator, options: parsed.options, right: right)
        }
        switch parsed.operator {
        case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            try refuseMany(right, parsed.right)
            try compare(&pass)
        case .beginsWith, .endsWith, .like, .matches:
            try refuseMany(right, parsed.right)
            try requireStrings(&pass)
        case .contains: try resolveContains(&pass)
        case .in: try resolveIn(&pass)
        case .between: try resolveBetween(&pass)
        }
        try checkOptions()
        return ResolvedPredicate.Comparison(
            modifier: parsed.modifier, left: left, operator: parsed.operator, options: parsed.options, right: right)
    }

    var name: String { "'\(parsed.operator.rawValue)'" }

    // MARK: One and many

    /// The type of the compared left value: of one element after ANY and ALL.
    var leftType: ResolvedType {
        parsed.modifier == .direct ? left.type : left.type.element ?? .unknown
    }

    private mutating func adoptLeft(
        _ type: ResolvedType, _ pass: inout ResolutionPass
    ) throws(PredicateFormatError) {
        guard type != .unknown, type != .null else { return }
        left = try pass.adopt(parsed.modifier == .direct ? type : .collection(of: type), left)
    }

    private func checkQuantifier(_ pass: ResolutionPass) throws(PredicateFormatError) {
        let text = parsed.left.description.shortened
        if parsed.modifier == .direct {
            guard left.type.element != nil, parsed.operator != .contains else { return }
            throw PredicateFormatError(
                .toMany, at: parsed.left.range, "'\(text)' has many values, but \(name) compares one",
                hint: "write ANY \(text) or ALL \(text), or use a collection operator such as @count")
        }
        guard left.type.element == nil, left.type != .unknown else { return }
        throw PredicateFormatError(
            .toMany, at: parsed.left.range, "'\(parsed.modifier.rawValue)' needs many values, but '\(text)' has one",
            hint: "remove '\(parsed.modifier.rawValue)'")
    }

    private func refuseMany(_ side: ResolvedExpression, _ text: ParsedExpression) throws(PredicateFormatError) {
        guard side.type.element != nil else { return }
        let description = text.description.shortened
        throw PredicateFormatError(
            .toMany, at: text.range, "'\(description)' has many values, but \(name) compares one",
            hint: "write IN, or put ANY and '\(description)' on the left")
    }

    // MARK: Operators

    /// Checks that a value on the left and one on the right can be compared.
    private mutating func compare(_ pass: inout ResolutionPass) throws(PredicateFormatError) {
        right = try pass.adopt(leftType, right)
        try adoptLeft(right.type, &pass)
        if leftType == .unknown, right.type == .unknown {
            let known = pass.knownType(of: left)
            let type =
                known == .unknown ? pass.knownType(of: right) : parsed.modifier == .direct ? known : known.element
            try adoptLeft(type ?? .unknown, &pass)
            right = try pass.adopt(type ?? .unknown, right)
        }
        right = try compatible(right, parsed.right, with: leftType, of: parsed.left, pass)
        if parsed.modifier == .direct {
            left = try compatible(left, parsed.left, with: right.type, of: parsed.right, pass)
        }
        try checkEqualityOfUnusualTypes()
        guard parsed.operator != .equalTo, parsed.operator != .notEqualTo else { return }
        for (type, text) in [(leftType, parsed.left), (right.type, parsed.right)] {
            if type == .unknown || type.isOrdered { continue }
            throw PredicateFormatError(
                .invalidOperator, at: parsed.operatorRange,
                "\(name) needs an order, but '\(text.description.shortened)' is \(type.phrase)",
                hint: type == .null ? "nil is compared with == and !=" : nil)
        }
    }

    private func checkEqualityOfUnusualTypes() throws(PredicateFormatError) {
        for (type, other) in [(leftType, right.type), (right.type, leftType)] {
            switch type {
            case .value(.transformable), .composite:
                if other == .null { continue }
                throw PredicateFormatError(
                    .invalidOperator, at: parsed.operatorRange, "\(type.phrase) can be compared with nil only")
            default: continue
            }
        }
    }

    private mutating func requireStrings(_ pass: inout ResolutionPass) throws(PredicateFormatError) {
        try adoptLeft(.value(.string), &pass)
        right = try pass.adopt(.value(.string), right)
        for (type, text) in [(leftType, parsed.left), (right.type, parsed.right)] where type != .value(.string) {
            throw PredicateFormatError(
                .invalidOperator, at: parsed.operatorRange,
                "\(name) compares strings, but '\(text.description.shortened)' is \(type.phrase)",
                hint: type == .null ? "nil is compared with == and !=" : nil)
        }
    }

    private mutating func resolveContains(_ pass: inout ResolutionPass) throws(PredicateFormatError) {
        if parsed.modifier == .direct, left.type == .unknown, isList(pass) {
            left = try pass.adopt(.collection(of: right.type), left)
        }
        guard parsed.modifier == .direct, let element = left.type.element else {
            try refuseMany(right, parsed.right)
            return try requireStrings(&pass)
        }
        right = try pass.adopt(element, right)
        try refuseMany(right, parsed.right)
        left = try pass.adopt(.collection(of: right.type), left)
        right = try compatible(right, parsed.right, with: left.type.element ?? element, of: parsed.left, pass)
    }

    /// Returns whether the left side stands for a list of values: a given one, or whatever contains an object.
    private func isList(_ pass: ResolutionPass) -> Bool {
        if case .argument(let argument) = left.kind, pass.lists.contains(argument.index) { return true }
        return right.type.isObject
    }

    private mutating func resolveIn(_ pass: inout ResolutionPass) throws(PredicateFormatError) {
        if leftType == .unknown, right.type == .value(.string) { try adoptLeft(right.type, &pass) }
        if right.type == .value(.string) { return try requireStrings(&pass) }
        guard right.type.element != nil || right.type == .unknown else {
            throw PredicateFormatError(
                .invalidOperator, at: parsed.right.range,
                "'IN' needs many values on its right, but '\(parsed.right.description.shortened)' is "
                    + right.type.phrase,
                hint: "write a list, as in {1, 2}")
        }
        if leftType != .unknown { right = try pass.adopt(.collection(of: leftType), right) }
        if let element = right.type.element { try adoptLeft(element, &pass) }
        try checkElements(pass)
    }

    private mutating func resolveBetween(_ pass: inout ResolutionPass) throws(PredicateFormatError) {
        guard case .aggregate(let bounds) = right.kind else {
            guard right.type == .unknown else {
                throw PredicateFormatError(
                    .invalidOperator, at: parsed.right.range, "'BETWEEN' needs two values on its right",
                    hint: "write a list, as in {1, 2}")
            }
            if leftType != .unknown { right = try pass.adopt(.bounds(of: leftType), right) }
            return try requireOrder()
        }
        guard bounds.count == 2 else {
            throw PredicateFormatError(
                .argumentCount, at: parsed.right.range,
                "'BETWEEN' needs two values on its right, but there "
                    + (bounds.count == 1 ? "is 1" : "are \(bounds.count)")
            )
        }
        right = try pass.adopt(.collection(of: leftType), right)
        if let element = right.type.element { try adoptLeft(element, &pass) }
        try checkElements(pass)
        try requireOrder()
    }

    private func requireOrder() throws(PredicateFormatError) {
        guard leftType != .unknown, !leftType.isOrdered else { return }
        throw PredicateFormatError(
            .invalidOperator, at: parsed.operatorRange,
            "\(name) needs an order, but '\(parsed.left.description.shortened)' is \(leftType.phrase)")
    }

    /// Checks the elements of the right side against the left side.
    private mutating func checkElements(_ pass: ResolutionPass) throws(PredicateFormatError) {
        guard case .aggregate(var elements) = right.kind, case .aggregate(let texts) = parsed.right.kind else {
            guard let element = right.type.element, !pass.isComparable(leftType, element) else { return }
            throw PredicateFormatError(
                .incompatibleTypes, at: parsed.right.range,
                "'\(parsed.left.description.shortened)' is \(leftType.phrase), but "
                    + "'\(parsed.right.description.shortened)' has \(right.type.phrase)")
        }
        for (index, text) in texts.enumerated() {
            elements[index] = try compatible(elements[index], text, with: leftType, of: parsed.left, pass)
        }
        right.kind = .aggregate(elements)
    }

    // MARK: Types

    /// Checks an expression against the type of the other side, and makes a string literal the UUID or URI it is for.
    private func compatible(
        _ side: ResolvedExpression, _ text: ParsedExpression, with type: ResolvedType, of other: ParsedExpression,
        _ pass: ResolutionPass
    ) throws(PredicateFormatError) -> ResolvedExpression {
        var result = side
        if case .constant(.string(let string)) = side.kind {
            if type == .value(.uri) || (type == .value(.uuid) && string.isUUID) {
                result.type = type
                return result
            }
        }
        if type == .value(.boolean), case .constant(.integer(let number)) = side.kind, number != 0, number != 1 {
            throw PredicateFormatError(
                .incompatibleTypes, at: text.range,
                "'\(other.description.shortened)' is a Boolean, which \(number) is not", hint: "write YES or NO")
        }
        // A literal on the other side gets this side's type when it is checked itself.
        if case .constant(.string(let string)) = other.kind {
            if side.type == .value(.uri) || (side.type == .value(.uuid) && string.isUUID) { return result }
        }
        guard pass.isComparable(type, side.type) else {
            throw PredicateFormatError(
                .incompatibleTypes, at: text.range,
                "'\(other.description.shortened)' is \(type.phrase), but "
                    + "'\(text.description.shortened)' is \(side.type.phrase)", hint: hint(for: side, with: type))
        }
        return result
    }

    private func hint(for side: ResolvedExpression, with type: ResolvedType) -> String? {
        switch (side.kind, type) {
        case (.constant(.string(let text)), _) where type.isNumeric && Double(text) != nil: "remove the quotes"
        case (.constant(.integer), .value(.string)), (.constant(.decimal), .value(.string)): "write it in quotes"
        case (.constant, .value(.date)): "write CAST(seconds since 2001, \"NSDate\"), or a $VARIABLE"
        case (.constant, .value(.uuid)): "a UUID is written as \"01234567-89AB-CDEF-0123-456789ABCDEF\""
        case (_, .object): "compare with an attribute of the object"
        default: nil
        }
    }

    private func checkOptions() throws(PredicateFormatError) {
        guard !parsed.options.isEmpty else { return }
        let sides = [(leftType, parsed.left), (right.type.element ?? right.type, parsed.right)]
        for (type, text) in sides where type != .value(.string) && type != .unknown {
            if case .collection(.value(.string)) = type { continue }
            throw PredicateFormatError(
                .invalidOperator, at: parsed.operatorRange,
                "the options \(parsed.options) are for strings, but '\(text.description.shortened)' is \(type.phrase)",
                hint: "remove \(parsed.options)")
        }
    }
}

extension String {
    /// Whether the text is a UUID in its usual form of 8-4-4-4-12 hexadecimal digits.
    fileprivate var isUUID: Bool {
        let groups = split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
    }
}
