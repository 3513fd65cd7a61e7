@_spi(Generated) import Ashlar
import AshlarSQLite
import PredicateFormat
import SystemFoundation

extension FormatTarget {
    func constant(_ constant: Constant, as type: ResolvedType) throws -> SQLExpression {
        if type == .value(.decimal), let text = constant.plainDecimal { return .value(.text(text)) }
        switch constant {
        case .null: return .value(.null)
        case .boolean(let flag): return .value(.integer(flag ? 1 : 0))
        case .integer(let number): return .value(SQLiteValue.integer(number).adapted(to: type))
        case .decimal(let text): return .value(SQLiteValue(Double(text)).adapted(to: type))
        case .string(let text):
            switch type {
            case .value(.uuid): return .value(SQLiteValue(UUID(uuidString: text)))
            case .value(.date): return .value(SQLiteValue(Double(text)))
            default: return .value(.text(text))
            }
        }
    }

    // MARK: Given values

    func given(_ source: PredicateValueSource) throws -> PredicateValue {
        switch source.kind {
        case .variable(let name):
            if let value = variables[name] { return value }
            throw PredicateFormatError(
                .unknownVariable, at: source.range, "'$\(name)' has no value", hint: "give it among the variables")
        case .argument(let argument):
            if arguments.indices.contains(argument.index) { return arguments[argument.index] }
            throw PredicateFormatError(
                .argumentCount, at: source.range, "there is no argument \(argument.index + 1)")
        }
    }

    func value(of source: PredicateValueSource, as type: ResolvedType) throws -> SQLExpression {
        if assumesValues { return .assumed(type) }
        let value = try given(source)
        if let identifier = value.identifier {
            try check(value.type, type, source)
            return .identifier(identifier, root: identifier.number.root)
        }
        guard let single = value.single else {
            throw PredicateFormatError(
                .toMany, at: source.range, "one value is needed here, but several are given",
                hint: "lists stand after IN, ranges after BETWEEN")
        }
        try check(value.type, type, source)
        if value.type == .value(.decimal), type == .unknown { return .function(.toDecimal, [.value(single)]) }
        return .value(single.adapted(to: type))
    }

    func bounds(of source: PredicateValueSource, as type: ResolvedType) throws -> (SQLExpression, SQLExpression) {
        let element: ResolvedType = if case .bounds(let element) = type { element } else { type }
        if assumesValues { return (.assumed(element), .assumed(element)) }
        let value = try given(source)
        let bounds: (SQLiteValue, SQLiteValue)
        switch value.content {
        case .bounds(let lower, let upper): bounds = (lower, upper)
        case .values(let values) where values.count == 2: bounds = (values[0], values[1])
        default:
            throw PredicateFormatError(
                .incompatibleTypes, at: source.range, "BETWEEN needs a least and a greatest value",
                hint: "give a closed range, as in 1...5")
        }
        try check(value.elementType, element, source)
        return (.value(bounds.0.adapted(to: element)), .value(bounds.1.adapted(to: element)))
    }

    func isIn(
        _ expression: SQLExpression, _ source: PredicateValueSource, of type: ResolvedType,
        _ options: ComparisonOptions
    ) throws -> SQLExpression {
        if assumesValues { return .isIn(expression, [.integer(1), .integer(2)]) }
        let value = try given(source)
        if case .identifiers(let identifiers) = value.content {
            try check(value.elementType, type, source)
            return .contains(identifiers, expression)
        }
        guard case .values(let values) = value.content else {
            throw PredicateFormatError(
                .incompatibleTypes, at: source.range, "IN needs many values", hint: "give an array")
        }
        try check(value.elementType, type, source)
        let folding = options.textOptions
        return .isIn(expression, values.map { $0.adapted(to: type).folded(folding) })
    }

    /// Checks that a value of a type can stand where another type is expected.
    private func check(_ type: ResolvedType, _ expected: ResolvedType, _ source: PredicateValueSource) throws {
        let isRight: Bool
        switch (type, expected) {
        case (.null, _), (.unknown, _), (_, .unknown), (_, .null): isRight = true
        case (.value(let given), .value(let asked)):
            isRight = given == asked || given.isNumeric && asked.isNumeric || asked == .transformable
        case (.object(let given), .object(let asked)):
            isRight = schema.isEntity(given, kindOf: asked) || schema.isEntity(asked, kindOf: given)
        case (.value(.objectID), .object), (.object, .value(.objectID)): isRight = true
        default: isRight = false
        }
        if isRight { return }
        let title =
            switch source.kind {
            case .variable(let name): "the value of '$\(name)'"
            case .argument(let argument): "argument \(argument.index + 1)"
            }
        throw PredicateFormatError(
            .incompatibleTypes, at: source.range, "\(title) is \(type.name), but \(expected.name) is needed here")
    }

    // MARK: Expressions

    var now: SQLExpression { .now }

    func arithmetic(
        _ arithmetic: ArithmeticOperator, _ left: SQLExpression, _ right: SQLExpression
    ) -> SQLExpression {
        switch arithmetic {
        case .add: .arithmetic(left, .add, right)
        case .subtract: .arithmetic(left, .subtract, right)
        case .multiply: .arithmetic(left, .multiply, right)
        case .divide: .arithmetic(left, .divide, right)
        case .power: .function(.power, [left, right])
        }
    }

    func function(_ function: LoweredFunction, _ arguments: [SQLExpression]) -> SQLExpression {
        if function == .canonical, let text = arguments.first { return ._ashlarCanonical(text) }
        return ScalarFunction(rawValue: function.rawValue).map { .function($0, arguments) } ?? .value(.null)
    }

    func folded(_ expression: SQLExpression, _ options: ComparisonOptions) -> SQLExpression {
        let folding = options.textOptions
        if case .value(let value) = expression { return .value(value.folded(folding)) }
        return folding.isEmpty
            ? expression : .function(.fold, [expression, .value(.integer(Int64(folding.rawValue)))])
    }

    func conditional(_ test: SQLExpression, _ first: SQLExpression, _ second: SQLExpression) -> SQLExpression {
        .conditional(test, first, second)
    }

    func comparison(
        _ left: SQLExpression, _ comparison: ComparisonOperator, _ right: SQLExpression
    ) -> SQLExpression {
        let known: SQLExpression.Comparison =
            switch comparison {
            case .notEqualTo: .notEqual
            case .lessThan: .less
            case .lessThanOrEqualTo: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqualTo: .greaterOrEqual
            default: .equal
            }
        return .comparing(left, known, right)
    }

    func text(
        _ left: SQLExpression, _ comparison: ComparisonOperator, _ right: SQLExpression, _ options: ComparisonOptions
    ) -> SQLExpression {
        let known: SQLExpression.TextComparison =
            switch comparison {
            case .beginsWith: .hasPrefix
            case .endsWith: .hasSuffix
            case .like: .like
            case .matches: .matches
            default: .contains
            }
        if known == .matches { return ._ashlarMatches(left, right, options.textOptions) }
        return .text(left, known, right, options.textOptions)
    }

    func isIn(_ expression: SQLExpression, _ elements: [SQLExpression]) -> SQLExpression {
        if assumesValues { return ._ashlarIsIn(expression, elements) }
        if let identifiers = SQLExpression.identifiers(elements) { return .contains(identifiers, expression) }
        var values: [SQLiteValue] = []
        for element in elements {
            guard case .value(let value) = element else {
                return .or(elements.map { .comparing(expression, .equal, $0) })
            }
            values.append(expression.isDecimal ? value.adapted(to: .value(.decimal)) : value)
        }
        return .isIn(expression, values)
    }

    func and(_ expressions: [SQLExpression]) -> SQLExpression { .and(expressions) }
    func or(_ expressions: [SQLExpression]) -> SQLExpression { .or(expressions) }
    func not(_ expression: SQLExpression) -> SQLExpression { .not(expression) }
}

extension PredicateValue {
    fileprivate var elementType: ResolvedType {
        switch type {
        case .collection(let element), .bounds(let element): element
        default: type
        }
    }
}

extension ComparisonOptions {
    var textOptions: TextOptions { TextOptions(rawValue: rawValue).intersection(.localizedStandard) }
}

extension SQLiteValue {
    fileprivate func folded(_ options: TextOptions) -> SQLiteValue {
        if case .text(let text) = self { .text(TextFolding.folded(text, options)) } else { self }
    }

    /// The number as an attribute of a type keeps it.
    fileprivate func adapted(to type: ResolvedType) -> SQLiteValue {
        guard case .value(let type) = type, !isNotANumber else { return self }
        switch (type, self) {
        case (.decimal, .integer), (.decimal, .real): return DecimalNumber.value(self)
        case (.float, .real(let number)): return .real(Double(Float(number)))
        case (.float, .integer(let number)):
            let nearest = Double(Float(number))
            return Int64(exactly: nearest) == number ? self : .real(nearest)
        case (let type, .text) where type.isNumeric && type != .decimal:
            // A decimal number. As text, it would be compared by its digits.
            return DecimalNumber.decimal(self).flatMap { Double($0.description) }.map { SQLiteValue($0) } ?? self
        default: return self
        }
    }
}

extension ResolvedType {
    fileprivate var name: String {
        switch self {
        case .value(let value): value.rawValue
        case .object(let entity): "an object of \(entity)"
        case .composite(let name): "a composite \(name)"
        case .collection(let element): "many values of \(element.name)"
        case .bounds(let element): "a range of \(element.name)"
        case .fullText: "a full-text index"
        case .null: "nil"
        case .unknown: "of unknown type"
        }
    }
}
