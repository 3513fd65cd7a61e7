extension ResolutionPass {
    mutating func function(
        _ known: BuiltInFunction, _ arguments: [ParsedExpression], _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let what = "'\(known.rawValue)'"
        // The parser checks this, but a program can also build a tree.
        guard known.argumentCounts.contains(arguments.count) else {
            throw PredicateFormatError(
                .argumentCount, at: range, "\(what) has \(arguments.count) arguments",
                hint: "a function is called as \(known.callPattern)")
        }
        switch known {
        case .median, .mode, .standardDeviation, .distance:
            throw PredicateFormatError(.unsupported, at: range, "a store cannot compute \(what)")
        case .sum, .count, .min, .max, .average: return try aggregateFunction(known, arguments, range)
        case .uppercase, .lowercase, .canonical, .length:
            let text = try string(arguments[0], what)
            return call(known, [text], .value(known == .length ? .integer64 : .string), range)
        case .now: return call(known, [], .value(.date), range)
        case .random: return call(known, [], .value(.double), range)
        case .noIndex:
            let operand = try expression(arguments[0])
            return call(known, [operand], operand.type, range)
        case .indexedBy: return try indexed(arguments, range)
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
            return try integerFunction(known, arguments, range)
        case .squareRoot, .logarithm, .naturalLogarithm, .exponential, .power:
            let operands = try numbers(arguments, what, unknown: .double)
            return call(known, operands, .value(.double), range)
        case .floor, .ceiling, .absoluteValue, .truncate, .randomBelow:
            let operand = try number(arguments[0], what)
            return call(known, [operand], operand.type, range)
        case .add, .subtract, .multiply, .divide, .modulus:
            var first = try number(arguments[0], what)
            var second = try number(arguments[1], what)
            first = try adopt(second.type, first)
            second = try adopt(first.type, second)
            return call(known, [first, second], result(first.type, second.type), range)
        }
    }

    private func call(
        _ known: BuiltInFunction, _ arguments: [ResolvedExpression], _ type: ResolvedType, _ range: Range<Int>
    ) -> ResolvedExpression {
        ResolvedExpression(kind: .function(known, arguments: arguments), type: type, range: range)
    }

    private mutating func numbers(
        _ arguments: [ParsedExpression], _ what: String, unknown: ValueType
    ) throws(PredicateFormatError) -> [ResolvedExpression] {
        var resolved: [ResolvedExpression] = []
        for argument in arguments { resolved.append(try adopt(.value(unknown), number(argument, what))) }
        return resolved
    }

    private mutating func string(
        _ argument: ParsedExpression, _ what: String
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let resolved = try adopt(.value(.string), single(argument, what))
        guard resolved.type == .value(.string) else {
            throw wrongType(argument, resolved.type, "\(what) takes a string")
        }
        return resolved
    }

    private mutating func integerFunction(
        _ known: BuiltInFunction, _ arguments: [ParsedExpression], _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let what = "'\(known.rawValue)'"
        let operands = try numbers(arguments, what, unknown: .integer64)
        for (argument, operand) in zip(arguments, operands) where !operand.type.isInteger {
            throw wrongType(argument, operand.type, "\(what) takes integers")
        }
        return call(known, operands, .value(.integer64), range)
    }

    /// Resolves `sum:` and its like, over a relationship or over a list.
    private mutating func aggregateFunction(
        _ known: BuiltInFunction, _ arguments: [ParsedExpression], _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let what = "'\(known.rawValue)'"
        var operands: [ResolvedExpression] = []
        var parsed = arguments
        if arguments.count == 1 {
            let only = try expression(arguments[0])
            if let path = only.asPath, only.type.element != nil {
                return try applying(known.collectionOperator, to: path, range, range)
            }
            guard case .aggregate(let elements) = arguments[0].kind else {
                throw PredicateFormatError(
                    .toMany, at: arguments[0].range, "\(what) needs a to-many relationship or a list",
                    hint: "write \(known.rawValue)(items.price) or \(known.rawValue)({a, b}); for all objects, "
                        + known.wayForAllObjects)
            }
            parsed = elements
        }
        var common: ResolvedType = .unknown
        for argument in parsed {
            let operand = try single(argument, what)
            let isUsable = operand.type.isNumeric || operand.type == .unknown || known == .count
            let isOrdered = known == .min || known == .max
            guard isUsable || (isOrdered && operand.type.isOrdered) else {
                throw wrongType(argument, operand.type, "\(what) takes numbers")
            }
            guard known == .count || isComparable(common, operand.type) else {
                throw wrongType(argument, operand.type, "the arguments of \(what) must have one type")
            }
            common = merged(common, operand.type) ?? result(common, operand.type)
            operands.append(operand)
        }
        for index in operands.indices { operands[index] = try adopt(common, operands[index]) }
        let type: ResolvedType =
            switch known {
            case .count: .value(.integer64)
            case .average: common == .value(.decimal) ? common : .value(.double)
            case .sum: result(common, common)
            default: common
            }
        return call(known, operands, type, range)
    }

    private mutating func indexed(
        _ arguments: [ParsedExpression], _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        let operand = try single(arguments[0], "'indexed:by:'")
        guard case .path(let path) = operand.kind, case .entity(let owner) = path.steps.last?.owner else {
            throw PredicateFormatError(
                .incompatibleTypes, at: arguments[0].range, "'indexed:by:' takes a property as its first argument")
        }
        guard case .constant(.string(let name)) = arguments[1].kind else {
            throw PredicateFormatError(
                .incompatibleTypes, at: arguments[1].range,
                "'indexed:by:' takes the name of an index as its second argument",
                hint: "write it as a string, as in indexed:by:(latitude, \"byLocation\")")
        }
        let names = schema.indexNames(of: owner)
        guard names.contains(name) else {
            throw PredicateFormatError(
                .unknownIndex, at: arguments[1].range, "\(owner.shortened) has no index '\(name.shortened)'",
                hint: NameSuggestion.hint(for: name, among: names))
        }
        return call(.indexedBy, [operand, try expression(arguments[1])], operand.type, range)
    }

    /// Resolves FUNCTION, for the one method that stores have.
    mutating func message(
        _ selector: String, _ target: ParsedExpression, _ arguments: [ParsedExpression], _ range: Range<Int>
    ) throws(PredicateFormatError) -> ResolvedExpression {
        guard selector == "dateByAddingTimeInterval:", arguments.count == 1 else {
            throw PredicateFormatError(
                .unsupported, at: range, "a store cannot call the method '\(selector.shortened)'",
                hint: "the only method is 'dateByAddingTimeInterval:'; other functions are called as name:(argument)")
        }
        let date = try adopt(.value(.date), single(target, "'\(selector)'"))
        guard date.type == .value(.date) else { throw wrongType(target, date.type, "'\(selector)' is asked of a date") }
        let seconds = try adopt(.value(.double), number(arguments[0], "'\(selector)'"))
        return ResolvedExpression(kind: .addingTimeInterval(seconds, to: date), type: .value(.date), range: range)
    }
}

extension BuiltInFunction {
    fileprivate var collectionOperator: CollectionOperator {
        switch self {
        case .count: .count
        case .min: .min
        case .max: .max
        case .average: .avg
        default: .sum
        }
    }
}

extension ResolvedType {
    var isOrdered: Bool {
        if case .value(let value) = self { value.isOrdered } else { false }
    }
}
