/// Turns a resolved predicate into what a target builds: one way for the run time and for generated code.
public struct PredicateLowering<Target: PredicateTarget> {
    let target: Target
    /// The objects of the subqueries around the place, by their variables.
    var scopes: [String: Target.Row] = [:]

    /// Makes a lowering to a target.
    public init(_ target: Target) { self.target = target }

    /// The condition that a predicate says.
    ///
    /// - Throws: ``PredicateFormatError`` where the target has no way to say it, and what the target throws.
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
        case .any:
            return try any(comparison.left) { element in try compare(element, comparison) }
        case .all:
            return target.not(
                try any(comparison.left) { element in target.not(try compare(element, comparison)) })
        }
    }

    private func direct(_ comparison: ResolvedPredicate.Comparison) throws -> Target.Expression {
        if comparison.operator == .contains, let element = comparison.left.type.element {
            let right = try value(comparison.right, as: element)
            return try contains(comparison.left, right, comparison.options)
        }
        let type = comparison.right.type.element ?? comparison.right.type
        return try compare(try value(comparison.left, as: type), comparison)
    }

    /// Compares one value on the left with the right side.
    private func compare(
        _ left: Target.Expression, _ comparison: ResolvedPredicate.Comparison
    ) throws -> Target.Expression {
        let type = comparison.left.type.element ?? comparison.left.type
        let right = comparison.right
        switch comparison.operator {
        case .in:
            if right.type == .value(.string) {
                return target.text(try value(right, as: right.type), .contains, left, comparison.options.lowered)
            }
            return try contains(right, left, comparison.options)
        case .between: return try between(left, right, type, comparison.options)
        case .beginsWith, .endsWith, .contains, .like, .matches:
            return target.text(left, comparison.operator, try value(right, as: type), comparison.options.lowered)
        default: return try compare(left, comparison.operator, try value(right, as: type), comparison.options)
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
        _ left: Target.Expression, _ right: ResolvedExpression, _ type: ResolvedType, _ options: ComparisonOptions
    ) throws -> Target.Expression {
        let bounds: (Target.Expression, Target.Expression)
        if case .aggregate(let elements) = right.kind, elements.count == 2 {
            bounds = (try value(elements[0], as: type), try value(elements[1], as: type))
        } else if let source = right.source {
            bounds = try target.bounds(of: source, as: type)
        } else {
            throw unsupported("BETWEEN has a list or a variable on its right", right)
        }
        return target.and([
            try compare(left, .greaterThanOrEqualTo, bounds.0, options),
            try compare(left, .lessThanOrEqualTo, bounds.1, options),
        ])
    }

    /// Whether a collection contains a value.
    private func contains(
        _ collection: ResolvedExpression, _ element: Target.Expression, _ options: ComparisonOptions
    ) throws -> Target.Expression {
        let folding = options.lowered
        if let source = collection.source {
            let value = folding.isEmpty ? element : target.folded(element, folding)
            return try target.isIn(value, source, of: collection.type.element ?? .unknown, folding)
        }
        if case .aggregate(let elements) = collection.kind, folding.isEmpty {
            let type = collection.type.element ?? .unknown
            return target.isIn(element, try elements.map { try value($0, as: type) })
        }
        return try any(collection) { try compare($0, .equalTo, element, options) }
    }

    func unsupported(_ message: String, _ expression: ResolvedExpression) -> PredicateFormatError {
        PredicateFormatError(.unsupported, at: expression.range, message)
    }
}

extension ComparisonOptions {
    /// What a comparison folds; texts that are promised to be folded already are compared as they are.
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
