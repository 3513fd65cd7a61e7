extension PredicateLowering {
    /// The single value of an expression; the type is the one that its place asks for.
    func value(_ expression: ResolvedExpression, as type: ResolvedType) throws -> Target.Expression {
        switch expression.kind {
        case .constant(let constant):
            // A literal for a UUID or URI has got that type already.
            let isText = expression.type == .value(.uuid) || expression.type == .value(.uri)
            return try target.constant(constant, as: isText ? expression.type : type)
        case .path(let path): return try value(of: path)
        case .variable(let name):
            let source = PredicateValueSource(kind: .variable(name), range: expression.range)
            return try target.value(of: source, as: expression.type == .unknown ? type : expression.type)
        case .argument(let argument):
            let source = PredicateValueSource(kind: .argument(argument), range: expression.range)
            // The value of `%f` is compared with a float as a literal is.
            let takesType = expression.type == .unknown || type == .value(.float) && argument.kind == .real
            return try target.value(of: source, as: takesType ? type : expression.type)
        case .collectionOperator(let known, let path): return try value(known, of: path)
        case .arithmetic(.power, let base, let exponent):
            return target.function(
                .power, [try value(base, as: .value(.double)), try value(exponent, as: .value(.double))])
        case .arithmetic(let join, let left, let right):
            return target.arithmetic(join, try value(left, as: expression.type), try value(right, as: expression.type))
        case .negation(let operand):
            return target.arithmetic(
                .subtract, try target.constant(.integer(0), as: expression.type),
                try value(operand, as: expression.type))
        case .function(let known, let arguments): return try value(known, arguments, expression)
        case .addingTimeInterval(let seconds, let date):
            return target.arithmetic(.add, try value(date, as: date.type), try value(seconds, as: .value(.double)))
        case .conditional(let test, let first, let second):
            return target.conditional(
                try condition(test), try value(first, as: expression.type), try value(second, as: expression.type))
        case .cast(let operand): return try cast(operand, expression)
        case .element(let collection, let index): return try element(collection, index, expression)
        case .aggregate, .subquery: throw unsupported("one value is needed here, and these are many", expression)
        }
    }

    private func cast(_ operand: ResolvedExpression, _ expression: ResolvedExpression) throws -> Target.Expression {
        guard case .value(let type) = expression.type else {
            return try target.identifier(of: try row(expression))
        }
        guard case .value(let source) = operand.type else { return try value(operand, as: expression.type) }
        if source == type { return try value(operand, as: expression.type) }
        let inner = try value(operand, as: operand.type)
        switch type {
        case .string: return source == .uri ? inner : target.function(source == .uuid ? .uuidText : .toText, [inner])
        case .decimal:
            if case .constant(let constant) = operand.kind, operand.type.isNumeric {
                return target.function(.toDecimal, [try target.constant(constant, as: expression.type)])
            }
            return target.function(.toDecimal, [inner])
        case .integer16, .integer32, .integer64, .boolean: return target.function(.toInteger, [inner])
        case .double, .float, .date: return target.function(.toReal, [inner])
        case .uri where source == .string: return inner
        default:
            if case .constant(let constant) = operand.kind { return try target.constant(constant, as: expression.type) }
            throw unsupported("a store cannot make a \(type.rawValue) of this value", expression)
        }
    }

    // MARK: Functions

    private func value(
        _ known: BuiltInFunction, _ arguments: [ResolvedExpression], _ expression: ResolvedExpression
    ) throws -> Target.Expression {
        if known.isAggregate { return try list(known, arguments, expression) }
        let operands = try arguments.prefix(known == .indexedBy ? 1 : 2).map { argument in
            try value(argument, as: known.isArithmetic ? expression.type : argument.type)
        }
        if let lowered = Self.functions[known] { return target.function(lowered, operands) }
        switch known {
        case .add: return target.arithmetic(.add, operands[0], operands[1])
        case .subtract: return target.arithmetic(.subtract, operands[0], operands[1])
        case .multiply: return target.arithmetic(.multiply, operands[0], operands[1])
        case .divide: return target.arithmetic(.divide, operands[0], operands[1])
        case .now: return target.now
        case .noIndex, .indexedBy: return operands[0]
        default:
            throw PredicateFormatError(
                .unsupported, at: expression.range, "a fetch cannot compute '\(known.rawValue)'",
                hint: "a random number would be another one for each comparison")
        }
    }

    private static var functions: [BuiltInFunction: LoweredFunction] {
        [
            .modulus: .remainder, .power: .power, .squareRoot: .squareRoot, .logarithm: .logarithm,
            .naturalLogarithm: .naturalLogarithm, .exponential: .exponential, .floor: .roundedDown,
            .ceiling: .roundedUp, .absoluteValue: .absolute, .truncate: .roundedTowardZero, .bitwiseAnd: .bitwiseAnd,
            .bitwiseOr: .bitwiseOr, .bitwiseXor: .bitwiseXor, .leftShift: .leftShift, .rightShift: .rightShift,
            .onesComplement: .complement, .uppercase: .uppercase, .lowercase: .lowercase, .canonical: .canonical,
            .length: .length,
        ]
    }

    /// `sum:({a, b})` and its like.
    private func list(
        _ known: BuiltInFunction, _ arguments: [ResolvedExpression], _ expression: ResolvedExpression
    ) throws -> Target.Expression {
        let count = try target.constant(.integer(Int64(arguments.count)), as: .value(.integer64))
        if known == .count { return count }
        let values = try arguments.map { try value($0, as: expression.type) }
        guard let first = values.first else { throw unsupported("the list is empty", expression) }
        let rest = values.dropFirst()
        switch known {
        case .min: return rest.isEmpty ? first : target.function(.minimum, values)
        case .max: return rest.isEmpty ? first : target.function(.maximum, values)
        case .sum: return rest.reduce(first) { target.arithmetic(.add, $0, $1) }
        default:
            let sum = rest.reduce(first) { target.arithmetic(.add, $0, $1) }
            let isDecimal = expression.type == .value(.decimal)
            return target.arithmetic(.divide, isDecimal ? sum : target.function(.toReal, [sum]), count)
        }
    }
}
