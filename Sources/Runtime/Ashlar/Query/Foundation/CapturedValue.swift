import AshlarSQLite
import SystemFoundation

/// Captured Swift values of predicates, in the form of the store.
enum CapturedValue {
    /// Returns the meaning of a value in a predicate.
    static func operand(_ value: Any) -> PredicateOperand {
        if let value = value as? any CapturedOptional {
            guard let wrapped = value.wrapped else { return .value(.value(.null)) }
            return operand(wrapped)
        }
        if let argument = value as? any PredicateArgument { return operand(argument.predicateValue, value) }
        if let value = value as? any RawRepresentable { return rawValue(of: value) }
        if let range = value as? any CapturedRange { return self.range(range) ?? .captured(value) }
        if let regex = value as? PredicateExpressions.PredicateRegex { return .pattern(regex.stringRepresentation) }
        if value is [AnyHashable: Any] { return .captured(value) }
        if let sequence = value as? any Sequence { return list(sequence) ?? .captured(value) }
        return .captured(value)
    }

    private static func operand(_ argument: PredicateValue, _ value: Any) -> PredicateOperand {
        switch argument.content {
        case .value(let single):
            let expression = SQLExpression.value(single)
            return .value(argument.kind == .attribute(.decimal) ? .function(.toDecimal, [expression]) : expression)
        case .values(let values): return .list(values)
        case .identifiers(let identifiers): return .identifiers(identifiers)
        case .identifier(let identifier): return .value(.identifier(identifier, root: identifier.number.root))
        case .object(let object): return .value(.identifier(of: object))
        case .bounds: return (value as? any CapturedRange).flatMap(range) ?? .captured(value)
        }
    }

    private static func rawValue(of value: some RawRepresentable) -> PredicateOperand { operand(value.rawValue) }

    private static func list(_ values: some Sequence) -> PredicateOperand? {
        var result: [SQLiteValue] = []
        var identifiers: [PersistentIdentifier?] = []
        for value in values {
            guard case .value(let expression) = operand(value) else { return nil }
            if case .identifier(let identifier, _) = expression {
                identifiers.append(identifier)
            } else if let single = expression.constant {
                result.append(single)
            } else {
                return nil
            }
        }
        if identifiers.isEmpty { return .list(result) }
        if result.contains(where: \.isNull) { identifiers.append(nil) }
        return .identifiers(identifiers)
    }

    private static func range(_ range: any CapturedRange) -> PredicateOperand? {
        func bound(_ value: Any?) -> SQLExpression? {
            guard let value, case .value(let expression) = operand(value) else { return nil }
            return expression
        }
        let lower = bound(range.capturedLower)
        let upper = bound(range.capturedUpper)
        if (lower == nil) != (range.capturedLower == nil) || (upper == nil) != (range.capturedUpper == nil) {
            return nil
        }
        return .range(PredicateRange(lower: lower, upper: upper, isClosed: range.isClosed))
    }
}

extension SQLExpression {
    /// The stored form of a captured value.
    var constant: SQLiteValue? {
        switch self {
        case .value(let value): value
        case .function(.toDecimal, let arguments): arguments.first?.constant
        default: nil
        }
    }
}

/// An optional of any type.
protocol CapturedOptional {
    var wrapped: Any? { get }
}

extension Optional: CapturedOptional {
    var wrapped: Any? { self }
}

/// A range of any type.
protocol CapturedRange {
    var capturedLower: Any? { get }
    var capturedUpper: Any? { get }
    var isClosed: Bool { get }
}

extension Range: CapturedRange {
    var capturedLower: Any? { lowerBound }
    var capturedUpper: Any? { upperBound }
    var isClosed: Bool { false }
}

extension ClosedRange: CapturedRange {
    var capturedLower: Any? { lowerBound }
    var capturedUpper: Any? { upperBound }
    var isClosed: Bool { true }
}

extension PartialRangeFrom: CapturedRange {
    var capturedLower: Any? { lowerBound }
    var capturedUpper: Any? { nil }
    var isClosed: Bool { true }
}

extension PartialRangeThrough: CapturedRange {
    var capturedLower: Any? { nil }
    var capturedUpper: Any? { upperBound }
    var isClosed: Bool { true }
}

extension PartialRangeUpTo: CapturedRange {
    var capturedLower: Any? { nil }
    var capturedUpper: Any? { upperBound }
    var isClosed: Bool { false }
}
