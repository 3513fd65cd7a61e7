extension Parser {
    /// Whether the token is a comparison operator, or can only be a mistake for one.
    var isComparisonOperator: Bool {
        switch token.kind {
        case .comparison, .name, .collectionOperator: true
        case .keyword(let keyword, _): keyword.comparisonOperator != nil || keyword == .not
        default: false
        }
    }

    /// Reads the operator and the right side of a comparison.
    mutating func parseComparison(
        _ modifier: ComparisonModifier, _ operand: Operand
    ) throws(PredicateFormatError) -> ParsedPredicate {
        if case .predicate(let predicate) = operand {
            throw PredicateFormatError(
                .syntax, at: token.range, "\(token.description) cannot follow a predicate",
                hint: predicate.isComparison ? "comparisons are joined by AND" : nil)
        }
        try countComparison()
        let left = try expression(operand)
        let leftHeight = height
        let start = token.range.lowerBound
        let comparison = try parseComparisonOperator()
        let options = try parseOptions()
        let operatorRange = range(from: start)
        let right = try parseExpression()
        try grow(max(leftHeight, height))
        let parsed = ParsedPredicate.Comparison(
            modifier: modifier, left: left, operator: comparison, options: options, right: right,
            operatorRange: operatorRange)
        return ParsedPredicate(.comparison(parsed), range: range(from: operand))
    }

    private mutating func parseComparisonOperator() throws(PredicateFormatError) -> ComparisonOperator {
        switch token.kind {
        case .comparison(let comparison):
            try advance()
            return comparison
        case .keyword(let keyword, _) where keyword.comparisonOperator != nil:
            try advance()
            return keyword.comparisonOperator ?? .in
        case .keyword(.not, _):
            throw PredicateFormatError(
                .syntax, at: token.range, "an operator is expected, but 'NOT' follows",
                hint: "NOT stands before the whole comparison, as in NOT (a IN b)")
        case .collectionOperator(let name):
            throw PredicateFormatError(
                .unsupported, at: token.range,
                "'@\(name.shortened)' names a method to compare with, which no store can do",
                hint: "a collection operator follows a '.'")
        case .name(let name): throw unknownOperator(name)
        default:
            throw PredicateFormatError(
                .syntax, at: token.range, "an operator is expected, but \(token.description) follows")
        }
    }

    private func unknownOperator(_ name: String) -> PredicateFormatError {
        let spelling = name.uppercased()
        if spelling == "UTI" {
            return PredicateFormatError(
                .unsupported, at: token.range, "operators on uniform type identifiers are Apple's own",
                hint: "compare the identifiers as strings")
        }
        let hint: String? =
            switch spelling {
            case "STARTSWITH", "HASPREFIX", "PREFIX": "write BEGINSWITH"
            case "HASSUFFIX", "SUFFIX": "write ENDSWITH"
            case "HAS", "INCLUDES": "write CONTAINS"
            case "IS", "EQUALS", "EQ": "write =="
            default:
                NameSuggestion.hint(
                    for: spelling, among: ComparisonOperator.allCases.map(\.rawValue) + ["AND", "OR", "UNION"])
            }
        return PredicateFormatError(.syntax, at: token.range, "'\(name.shortened)' is not an operator", hint: hint)
    }

    private mutating func parseOptions() throws(PredicateFormatError) -> ComparisonOptions {
        guard try take(.leftBracket) else { return [] }
        var options: ComparisonOptions = []
        guard case .name(let letters) = token.kind else { throw invalidOptions }
        for letter in letters.lowercased().utf8 {
            guard let option = ComparisonOptions.letters.first(where: { $0.letter == letter })?.option else {
                throw invalidOptions
            }
            options.insert(option)
        }
        try advance()
        try expect(.rightBracket, "after the options of an operator")
        return options
    }

    private var invalidOptions: PredicateFormatError {
        PredicateFormatError(
            .syntax, at: token.range, "options are expected in brackets after an operator",
            hint: "they are c, d, n, l and w, as in [cd]")
    }

    /// Returns the error for an expression in place of a predicate.
    func missingOperator(after expression: ParsedExpression) -> PredicateFormatError {
        if isComparisonOperator, case .name(let name) = token.kind { return unknownOperator(name) }
        let hint: String? =
            switch expression.kind {
            case .keyPath, .variable, .argument: "compare it, as in '… == YES'"
            case .constant(.boolean(let value)): "write \(value ? "TRUE" : "FALSE")PREDICATE"
            default: nil
            }
        return PredicateFormatError(
            .syntax, at: token.kind == .end ? expression.range : token.range,
            token.kind == .end
                ? "an operator is expected after this expression"
                : "an operator is expected, but \(token.description) follows", hint: hint)
    }
}

extension ParsedPredicate {
    var isComparison: Bool {
        if case .comparison = kind { true } else { false }
    }
}
