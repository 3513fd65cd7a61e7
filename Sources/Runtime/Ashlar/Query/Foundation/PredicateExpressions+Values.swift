import AshlarSQLite
import SystemFoundation

extension PredicateExpressions.Variable: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand { try translator.operand(of: key) }
}

extension PredicateExpressions.Value: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand { CapturedValue.operand(value) }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand { .value(.value(.null)) }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let root = try translator.operand(self.root)
        if case .captured = root, let value = translator.captured(self) { return value }
        let property: PredicateTranslator.CollectionProperty? =
            switch kind {
            case .collectionCount: .count
            case .collectionIsEmpty: .isEmpty
            case .collectionFirst: .first
            case .bidirectionalCollectionLast: .last
            default: nil
            }
        do {
            return try translator.property(keyPath, property, of: root)
        } catch {
            // Foundation can read every property of a captured value.
            if let value = translator.captured(self) { return value }
            throw error
        }
    }
}

// MARK: Types

extension PredicateExpressions.TypeCheck: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let cast = try translator.cast(translator.operand(input), from: Input.Output.self, to: Desired.self)
        return .value(cast.exists ?? .alwaysTrue)
    }
}

extension PredicateExpressions.ConditionalCast: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        try translator.cast(translator.operand(input), from: Input.Output.self, to: Desired.self)
    }
}

extension PredicateExpressions.ForceCast: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        try translator.cast(translator.operand(input), from: Input.Output.self, to: Desired.self)
    }
}

extension PredicateTranslator {
    func cast(_ operand: PredicateOperand, from source: Any.Type, to type: Any.Type) throws -> PredicateOperand {
        switch operand {
        case .row(let row):
            if let type = type as? any PersistentModel.Type { return .row(row.casting(to: type)) }
        case .value where type == source: return operand
        default: break
        }
        throw unsupported(
            "a cast of \(source) to \(type)", "a column holds values of one type", "cast to classes of the model only")
    }
}

// MARK: Computing

extension PredicateExpressions.Arithmetic: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let operation: SQLExpression.Arithmetic =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            }
        return .value(.arithmetic(try translator.value(lhs), operation, try translator.value(rhs)))
    }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(.arithmetic(try translator.value(lhs), .divide, try translator.value(rhs)))
    }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(.arithmetic(try translator.value(lhs), .divide, try translator.value(rhs)))
    }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(.function(.remainder, [try translator.value(lhs), try translator.value(rhs)]))
    }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let value = try translator.value(wrapped)
        let zero = SQLiteValue.integer(0)
        return .value(.arithmetic(.value(value.isDecimal ? DecimalNumber.value(zero) : zero), .subtract, value))
    }
}

extension PredicateExpressions.ExpressionEvaluate: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        throw translator.unsupported(
            "evaluate of another expression", "it is not known before the objects are", "write it out in the predicate")
    }
}
