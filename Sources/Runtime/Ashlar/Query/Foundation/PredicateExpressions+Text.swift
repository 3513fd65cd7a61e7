import SystemFoundation

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        if Base.Output.self == String.self || Base.Output.self == Substring.self {
            return .value(.text(try translator.value(base), .contains, try translator.value(other), []))
        }
        throw translator.unsupported(
            "a collection that contains another", "only texts can be looked for in texts",
            "ask others.allSatisfy { collection.contains($0) }")
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        if Base.Output.self == String.self || Base.Output.self == Substring.self {
            return .value(.text(try translator.value(base), .hasPrefix, try translator.value(prefix), []))
        }
        throw translator.unsupported(
            "'starts(with:)' of a collection", "only texts have a prefix in the store", "ask for the first element")
    }
}

extension PredicateExpressions.StringContainsRegex: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        guard case .pattern(let pattern) = try translator.operand(regex) else {
            throw translator.unsupported("a regular expression", "it is not known before the objects are")
        }
        // The store's comparison matches the entire text.
        let whole = "[\\s\\S]*(?:\(pattern))[\\s\\S]*"
        return .value(.text(try translator.value(subject), .matches, .value(.text(whole)), []))
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(.text(try translator.value(root), .contains, try translator.value(other), .localizedStandard))
    }
}

extension PredicateExpressions.StringLocalizedCompare: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(
            .function(
                .localizedOrder, [try translator.value(root), try translator.value(other), .value(.integer(0))]))
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let options = TextOptions.caseInsensitive
        let first = SQLExpression._ashlarFolded(try translator.value(root), options)
        let second = SQLExpression._ashlarFolded(try translator.value(other), options)
        func result(_ order: ComparisonResult) -> SQLExpression { .value(.integer(Int64(order.rawValue))) }
        return .value(
            .conditional(
                .comparison(first, .less, second), result(.orderedAscending),
                .conditional(
                    .comparison(first, .greater, second), result(.orderedDescending),
                    .conditional(.comparison(first, .equal, second), result(.orderedSame), .value(.null)))))
    }
}
