/// Turns a resolved predicate into the output of a target, in one way for the run time and for generated code.
public struct PredicateLowering<Target: PredicateTarget> {
    let target: Target
    /// The objects of the subqueries around the place, by their variables.
    var scopes: [String: Target.Row] = [:]

    /// Makes a lowering to a target.
    public init(_ target: Target) { self.target = target }

    /// Returns the condition of a predicate.
    ///
    /// - Throws: ``PredicateFormatError`` if the target cannot express it, or the target's error.
    public func condition(_ predicate: ResolvedPredicate) throws -> Target.Expression {
        switch predicate.kind {
        case .value(let value): return value ? target.and([]) : target.or([])
        case .not(let operand): return target.not(try condition(operand))
        case .and(let operands): return target.and(try operands.map { try condition($0) })
        case .or(let operands): return target.or(try operands.map { try condition($0) })
        case .comparison(let comparison): return try condition(comparison)
        }
    }

    private func condition(_ comparison: ResolvedPredicate.Comparison) throws -> Target.Expression {
        switch comparison.modifier {
        case .direct: return try direct(comparison)
        case .any: return try quantified(comparison, .any)
        case .all: return try quantified(comparison, .all)
        }
    }

    private func direct(_ comparison: ResolvedPredicate.Comparison) throws -> Target.Expression {
        if comparison.operator == .contains, comparison.left.type.element != nil {
            return try contains(comparison.left, .expression(comparison.right), comparison.options)
        }
        return try compare(.expression(comparison.left), comparison)
    }

    /// Whether a comparison holds for one of the values on its left, or for all of them.
    private func quantified(
        _ comparison: ResolvedPredicate.Comparison, _ quantifier: Quantifier
    ) throws -> Target.Expression {
        if case .aggregate(let elements) = comparison.left.kind {
            let conditions = try elements.map { try compare(.expression($0), comparison) }
            return quantifier == .any ? target.or(conditions) : target.and(conditions)
        }
        let type = comparison.left.type.element ?? .unknown
        return try quantified(comparison.left, quantifier) { try compare(.element($0, type), comparison) }
    }

    // MARK: Two sides

    /// One side of a comparison. A literal in it gets the type of the very value that it is compared with.
    private enum Side {
        case expression(ResolvedExpression)
        /// One of the values that a relationship leads to.
        case element(Target.Expression, ResolvedType)

        var type: ResolvedType {
            switch self {
            case .expression(let expression): expression.type
            case .element(_, let type): type
            }
        }

        var isConstant: Bool {
            if case .expression(let expression) = self { expression.isConstant } else { false }
        }
    }

    private func value(_ side: Side, comparedWith type: ResolvedType) throws -> Target.Expression {
        switch side {
        case .element(let element, _): return element
        case .expression(let expression):
            let value = try value(expression, as: type)
            // As the text that it is kept as, a given number would be no decimal to the other side.
            let isGivenDecimal = expression.source != nil && expression.type == .value(.decimal)
            guard isGivenDecimal, type.isNumeric, type != expression.type else { return value }
            return target.function(.toDecimal, [value])
        }
    }

    private func compare(
        _ left: Side, _ comparison: ComparisonOperator, _ right: Side, _ options: ComparisonOptions
    ) throws -> Target.Expression {
        try compare(
            value(left, comparedWith: right.type), comparison, value(right, comparedWith: left.type), options)
    }

    /// Compares one value on the left with the right side.
    private func compare(_ left: Side, _ comparison: ResolvedPredicate.Comparison) throws -> Target.Expression {
        let right = comparison.right
        switch comparison.operator {
        case .in:
            if right.type == .value(.string) {
                return target.text(
                    try value(right, as: right.type), .contains, try value(left, comparedWith: right.type),
                    comparison.options.lowered)
            }
            return try contains(right, left, comparison.options)
        case .between: return try between(left, right, comparison.options)
        case .beginsWith, .endsWith, .contains, .like, .matches:
            return target.text(
                try value(left, comparedWith: right.type), comparison.operator, try value(right, as: left.type),
                comparison.options.lowered)
        default: return try compare(left, comparison.operator, .expression(right), comparison.options)
        }
    }

    private func compare(
        _ left: Target.Expression, _ comparison: ComparisonOperator, _ right: Target.Expression,
        _ options: ComparisonOptions
    ) throws -> Target.Expression {
        let folding = options.lowered
        if options.contains(.localeSensitive), comparison != .equalTo, comparison != .notEqualTo {
            let order = target.function(.localizedOrder, [target.folded(left, folding), target.folded(right, folding)])
            return target.comparison(order, comparison, try target.constant(.integer(0), as: .value(.integer64)))
        }
        if folding.isEmpty { return target.comparison(left, comparison, right) }
        return target.comparison(target.folded(left, folding), comparison, target.folded(right, folding))
    }

    private func between(
        _ left: Side, _ right: ResolvedExpression, _ options: ComparisonOptions
    ) throws -> Target.Expression {
        if case .aggregate(let elements) = right.kind, elements.count == 2 {
            return target.and([
                try compare(left, .greaterThanOrEqualTo, .expression(elements[0]), options),
                try compare(left, .lessThanOrEqualTo, .expression(elements[1]), options),
            ])
        }
        guard let source = right.source else {
            throw unsupported("BETWEEN has a list or a variable on its right", right)
        }
        let value = try value(left, comparedWith: right.type)
        let bounds = try target.bounds(of: source, as: left.type)
        return target.and([
            try compare(value, .greaterThanOrEqualTo, bounds.0, options),
            try compare(value, .lessThanOrEqualTo, bounds.1, options),
        ])
    }

    /// Whether a collection contains a value.
    private func contains(
        _ collection: ResolvedExpression, _ element: Side, _ options: ComparisonOptions
    ) throws -> Target.Expression {
        let type = collection.type.element ?? .unknown
        let folding = options.lowered
        if let source = collection.source {
            let value = try value(element, comparedWith: type)
            return try target.isIn(
                folding.isEmpty ? value : target.folded(value, folding), source, of: type, folding)
        }
        guard case .aggregate(let members) = collection.kind else {
            return try quantified(collection, .any) { try compare(.element($0, type), .equalTo, element, options) }
        }
        // A literal on the left has as many types as the members have.
        if folding.isEmpty, !element.isConstant, members.allSatisfy({ $0.isConstant || $0.source != nil }) {
            return target.isIn(
                try value(element, comparedWith: type), try members.map { try value($0, as: element.type) })
        }
        return target.or(try members.map { try compare(element, .equalTo, .expression($0), options) })
    }

    func unsupported(_ message: String, _ expression: ResolvedExpression) -> PredicateFormatError {
        PredicateFormatError(.unsupported, at: expression.range, message)
    }
}

extension ComparisonOptions {
    /// The differences that a comparison folds. Texts that are already folded are compared as they are.
    fileprivate var lowered: ComparisonOptions {
        contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive, .widthInsensitive])
    }
}

extension ResolvedExpression {
    /// The variable or argument that the expression is.
    var source: PredicateValueSource? {
        switch kind {
        case .variable(let name): PredicateValueSource(kind: .variable(name), range: range)
        case .argument(let argument): PredicateValueSource(kind: .argument(argument), range: range)
        default: nil
        }
    }
}
