extension ResolutionPass {
    mutating func expression(_ parsed: ParsedExpression) throws(PredicateFormatError) -> ResolvedExpression {
        let range = parsed.range
        switch parsed.kind {
        case .constant(let constant): return self.constant(constant, range)
        case .evaluatedObject: return try keyPath(nil, [], range)
        case .variable(let name): return variable(name, range)
        case .argument(let argument): return self.argument(argument, range)
        case .keyPath(let base, let components): return try keyPath(base, components, range)
        case .aggregate(let elements): return try aggregate(elements, range)
        case .arithmetic(let join, let left, let right): return try arithmetic(join, left, right, range)
        case .negation(let operand): return try negation(operand, range)
        case .set(let join, _, _): throw unsupported(join, range)
        case .function(let known, let arguments): return try function(known, arguments, range)
        case .message(let selector, let target, let arguments):
            return try message(selector, target, arguments, range)
        case .subquery(let collection, let name, let predicate):
            return try subquery(collection, name, predicate, range)
        case .conditional(let condition, let first, let second):
            return try conditional(condition, first, second, range)
        case .cast(let operand, let type): return try cast(operand, type, range)
        case .element(let collection, let index): return try element(collection, index, range)
        }
    }

    private func constant(_ constant: Constant, _ range: Range<Int>) -> ResolvedExpression {
        ResolvedExpression(kind: .constant(constant), type: constant.type, range: range)
    }

    private mutating func negation(
        _ operand: ParsedExpression, _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let resolved = try number(operand, "'-'")
        return ResolvedExpression(kind: .negation(resolved), type: resolved.type, range: range)
    }

    private func unsupported(_ join: SetOperator, _ range: Range<Int>) -> PredicateFormatError {
        PredicateFormatError(
            .unsupported, at: range, "a store cannot compute \(join.rawValue)",
            hint: "write two comparisons joined by AND or OR")
    }

    private mutating func argument(_ argument: FormatArgument, _ range: Range<Int>) -> ResolvedExpression {
        let type: ResolvedType =
            switch argument.kind {
            case .object: .unknown
            case .signedInteger, .unsignedInteger: .value(.integer64)
            case .real: .value(.double)
            }
        arguments[argument.index] = arguments[argument.index].flatMap { merged($0, type) } ?? type
        return ResolvedExpression(kind: .argument(argument), type: type, range: range)
    }

    private mutating func aggregate(
        _ elements: [ParsedExpression], _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        var resolved: [ResolvedExpression] = []
        var common: ResolvedType? = .unknown
        for element in elements {
            let one = try single(element, "a list in braces")
            common = common.flatMap { merged($0, one.type) }
            resolved.append(one)
        }
        return ResolvedExpression(kind: .aggregate(resolved), type: .collection(of: common ?? .unknown), range: range)
    }

    /// Resolves an expression that must have one value.
    mutating func single(_ parsed: ParsedExpression, _ what: String) throws(PredicateFormatError) -> ResolvedExpression
    {
        let resolved = try expression(parsed)
        if resolved.type.element != nil {
            throw PredicateFormatError(
                .toMany, at: parsed.range, "\(what) takes one value, but '\(parsed.description.shortened)' has many",
                hint: "a collection operator such as @count makes one of them")
        }
        return resolved
    }

    /// Resolves an expression that must be a number.
    mutating func number(_ parsed: ParsedExpression, _ what: String) throws(PredicateFormatError) -> ResolvedExpression
    {
        let resolved = try single(parsed, what)
        guard resolved.type == .unknown || resolved.type.isNumeric else {
            throw wrongType(parsed, resolved.type, "\(what) takes a number")
        }
        return resolved
    }

    func wrongType(
        _ parsed: ParsedExpression, _ type: ResolvedType, _ demand: String, hint: String? = nil
    ) -> PredicateFormatError {
        PredicateFormatError(
            .incompatibleTypes, at: parsed.range, "\(demand), but '\(parsed.description.shortened)' is \(type.phrase)",
            hint: hint)
    }

    // MARK: Arithmetic

    mutating func arithmetic(
        _ join: ArithmeticOperator, _ left: ParsedExpression, _ right: ParsedExpression, _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let what = "'\(join.rawValue)'"
        var first = try single(left, what)
        var second = try single(right, what)
        let type: ResolvedType
        switch (join, first.type, second.type) {
        case (.subtract, .value(.date), .value(.date)): type = .value(.double)
        case (.add, .value(.date), _), (.subtract, .value(.date), _):
            guard second.type == .unknown || second.type.isNumeric else {
                throw wrongType(right, second.type, "\(what) takes seconds after a date")
            }
            second = try adopt(.value(.double), second)
            type = .value(.date)
        case (.add, let before, .value(.date)):
            guard before == .unknown || before.isNumeric else {
                throw wrongType(left, before, "\(what) takes seconds before a date")
            }
            first = try adopt(.value(.double), first)
            type = .value(.date)
        default:
            for (parsed, resolved) in [(left, first), (right, second)] {
                guard resolved.type == .unknown || resolved.type.isNumeric else {
                    throw wrongType(parsed, resolved.type, "\(what) takes numbers")
                }
            }
            // A literal determines little: in `$x * 2 > score`, the score determines the type of `$x`.
            if !second.isConstant { first = try adopt(second.type, first) }
            if !first.isConstant { second = try adopt(first.type, second) }
            type = join == .power ? .value(.double) : result(first.type, second.type)
        }
        return ResolvedExpression(kind: .arithmetic(join, first, second), type: type, range: range)
    }

    /// The type of the result of an operation on two numbers.
    func result(_ first: ResolvedType, _ second: ResolvedType) -> ResolvedType {
        guard case .value(let left) = first, case .value(let right) = second else { return .unknown }
        let wide = left.widened(with: right)
        return .value(wide.isInteger ? .integer64 : wide == .decimal ? .decimal : .double)
    }

    // MARK: Other forms

    private mutating func subquery(
        _ collection: ParsedExpression, _ name: String, _ predicate: ParsedPredicate, _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let resolved = try expression(collection)
        guard let path = resolved.asPath, let element = path.type.element, element.isObject, path.collectionCount == 1
        else {
            throw PredicateFormatError(
                .toMany, at: collection.range, "'SUBQUERY' needs a path with exactly one to-many relationship",
                hint: "write SUBQUERY(children, $x, $x.name == …)")
        }
        scopes.append((name, element))
        defer { scopes.removeLast() }
        let inner = try requiredPredicate(predicate)
        return ResolvedExpression(kind: .subquery(path, variable: name, inner), type: path.type, range: range)
    }

    private mutating func conditional(
        _ condition: ParsedPredicate, _ first: ParsedExpression, _ second: ParsedExpression, _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let test = try requiredPredicate(condition)
        var left = try single(first, "'TERNARY'")
        var right = try single(second, "'TERNARY'")
        left = try adopt(right.type, left)
        right = try adopt(left.type, right)
        guard isComparable(left.type, right.type) else {
            throw wrongType(second, right.type, "both values of 'TERNARY' must be \(left.type.phrase)")
        }
        let type = merged(left.type, right.type) ?? result(left.type, right.type)
        return ResolvedExpression(kind: .conditional(test, left, right), type: type, range: range)
    }

    private mutating func cast(
        _ operand: ParsedExpression, _ name: String, _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let resolved = try single(operand, "'CAST'")
        if case .object(let entity) = resolved.type {
            guard schema.isEntity(name, kindOf: entity) || schema.isEntity(entity, kindOf: name) else {
                throw PredicateFormatError(
                    .incompatibleTypes, at: range, "an object of \(entity.shortened) is never one of \(name.shortened)")
            }
            names.append(ResolvedName(kind: .entity, name: name, range: operand.range.upperBound..<range.upperBound))
            return ResolvedExpression(kind: .cast(resolved), type: .object(entity: name), range: range)
        }
        guard let type = Self.castTypes[name] else {
            throw PredicateFormatError(
                .incompatibleTypes, at: range, "'CAST' has no type '\(name.shortened)'",
                hint: NameSuggestion.hint(for: name, among: Self.castTypes.keys)
                    ?? "the types are NSData, NSDate, NSDecimalNumber, NSNumber, NSString, NSURL and NSUUID"
            )
        }
        let target = ResolvedType.value(type)
        let isText = resolved.type == .value(.string)
        let isPossible =
            switch resolved.type {
            case .unknown, .null, target: true
            case .value(.date): type.isNumeric || type == .string
            case .value(let value) where value.isNumeric: type.isNumeric || type == .string || type == .date
            case .value(.string): type != .binary
            case .value(.uuid), .value(.uri): type == .string
            default: false
            }
        guard isPossible else { throw wrongType(operand, resolved.type, "a value is to be cast to \(target.phrase)") }
        if isText, type == .date, case .constant(.string(let text)) = resolved.kind, Double(text) == nil {
            throw PredicateFormatError(
                .incompatibleTypes, at: operand.range,
                "a date is cast from seconds since 2001, which "
                    + "'\(text.shortened)' is not")
        }
        return ResolvedExpression(kind: .cast(try adopt(target, resolved)), type: target, range: range)
    }

    private static let castTypes: [String: ValueType] = [
        "NSDate": .date, "NSString": .string, "NSNumber": .double, "NSDecimalNumber": .decimal, "NSUUID": .uuid,
        "NSURL": .uri, "NSData": .binary, "Date": .date, "String": .string, "Double": .double, "Decimal": .decimal,
        "UUID": .uuid, "URL": .uri, "Data": .binary, "Int": .integer64, "Bool": .boolean,
    ]

    private mutating func element(
        _ collection: ParsedExpression, _ index: CollectionIndex, _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let resolved = try expression(collection)
        guard let element = resolved.type.element else {
            throw PredicateFormatError(
                .toMany, at: collection.range,
                "brackets follow a collection, but '\(collection.description.shortened)' is \(resolved.type.phrase)")
        }
        if let path = resolved.asPath, path.collectionCount > 1 {
            throw PredicateFormatError(
                .toMany, at: collection.range, "brackets follow a path with one to-many relationship, not several")
        }
        if case .size = index {
            return ResolvedExpression(kind: .element(resolved, .size), type: .value(.integer64), range: range)
        }
        let unordered = resolved.asPath?.steps.contains { $0.property.isUnordered } ?? false
        guard !unordered else {
            throw PredicateFormatError(
                .invalidOperator, at: range, "a relationship without an order has no first or last element",
                hint: "make the relationship ordered, or use ANY")
        }
        let place: ResolvedIndex
        switch index {
        case .first: place = .first
        case .last: place = .last
        case .size: place = .size
        case .at(let position):
            let number = try adopt(.value(.integer64), number(position, "an index"))
            guard number.type.isInteger else { throw wrongType(position, number.type, "an index is an integer") }
            place = .at(number)
        }
        return ResolvedExpression(kind: .element(resolved, place), type: element, range: range)
    }
}

extension ResolvedExpression {
    /// The path that leads to the value; an expression of another sort is the start of one without steps.
    var asPath: ResolvedPath? {
        switch kind {
        case .path(let path): path
        case .subquery, .variable, .cast: ResolvedPath(root: .expression(self), steps: [], type: type)
        default: nil
        }
    }
}

extension ResolvedExpression {
    var isConstant: Bool {
        if case .constant = kind { true } else { false }
    }
}

extension PropertyDescription {
    var isUnordered: Bool {
        if case .toMany(_, false) = self { true } else { false }
    }
}

extension Constant {
    var type: ResolvedType {
        switch self {
        case .integer: .value(.integer64)
        case .decimal: .value(.double)
        case .string: .value(.string)
        case .boolean: .value(.boolean)
        case .null: .null
        }
    }
}
