import SystemFoundation

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(.and(try [translator.value(lhs), translator.value(rhs)].flatMap(\.conjunctionTerms)))
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(.or(try [translator.value(lhs), translator.value(rhs)].flatMap(\.disjunctionTerms)))
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(.not(try translator.value(wrapped)))
    }
}

extension SQLExpression {
    // A flat list of terms of any length has a constant depth.
    fileprivate var conjunctionTerms: [SQLExpression] {
        if case .and(let terms) = self, !terms.isEmpty { terms } else { [self] }
    }

    fileprivate var disjunctionTerms: [SQLExpression] {
        if case .or(let terms) = self, !terms.isEmpty { terms } else { [self] }
    }
}

extension PredicateExpressions.Equal: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(try translator.equality(lhs, .equal, rhs))
    }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(try translator.equality(lhs, .notEqual, rhs))
    }
}

extension PredicateTranslator {
    fileprivate func equality(
        _ left: some PredicateExpression, _ comparison: SQLExpression.Comparison, _ right: some PredicateExpression
    ) throws -> SQLExpression {
        let first = try operand(left)
        let second = try operand(right)
        if second.isNil { return isNil(first, comparison) }
        if first.isNil { return isNil(second, comparison) }
        return .predicateComparison(
            try value(first, type(of: left).Output), comparison, try value(second, type(of: right).Output))
    }

    private func isNil(_ operand: PredicateOperand, _ comparison: SQLExpression.Comparison) -> SQLExpression {
        if case .value(let value) = operand { return .comparison(value, comparison, .value(.null)) }
        let exists = operand.exists ?? .alwaysTrue
        return comparison == .equal ? .not(exists) : exists
    }
}

extension PredicateOperand {
    var isNil: Bool { if case .value(.value(.null)) = self { true } else { false } }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let comparison: SQLExpression.Comparison =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            }
        return .value(.predicateComparison(try translator.value(lhs), comparison, try translator.value(rhs)))
    }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(
            .conditional(
                try translator.value(test), try translator.value(trueBranch), try translator.value(falseBranch)))
    }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let first = try translator.operand(lhs)
        switch first {
        // These are never nil.
        case .list, .identifiers, .filtered, .rows, .range, .pattern: return first
        default:
            if first.isNil { return try translator.operand(rhs) }
            return .value(
                .predicateCoalesce(try translator.value(first, LHS.Output.self), try translator.value(rhs)))
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand { try translator.operand(inner) }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let wrapped = try translator.operand(self.wrapped)
        if wrapped.isNil { return wrapped }
        let result = try translator.binding(variable.key, to: wrapped) { try translator.operand(transform) }
        guard let exists = wrapped.exists, case .value(let value) = result else { return result }
        let cause: SQLExpression? =
            switch wrapped {
            case .value(let value): value
            case .row(let row): .column(row.path.identifier)
            default: nil
            }
        if let cause, value.isNull(wherever: cause) { return result }
        return .value(.conditional(exists, value, .value(.null)))
    }
}
