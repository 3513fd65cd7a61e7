extension Parser {
    /// Reads an operand up to its first binary operator.
    mutating func parsePrefix(_ minimum: Precedence) throws(PredicateFormatError) -> Operand {
        switch token.kind {
        case .keyword(.not, _) where minimum <= .not, .symbol(.not) where minimum <= .not: return try parseNot()
        case .keyword(.truepredicate, _) where minimum <= .comparison,
            .keyword(.falsepredicate, _) where minimum <= .comparison:
            return try parsePredicateValue()
        case .keyword(.any, _) where minimum <= .comparison, .keyword(.some, _) where minimum <= .comparison,
            .keyword(.all, _) where minimum <= .comparison, .keyword(.none, _) where minimum <= .comparison:
            return try parseQuantified()
        case .symbol(.minus): return try parsePostfix(.expression(try parseNegative()))
        case .symbol(.leftParenthesis): return try parsePostfix(try parseParenthesized())
        default: return try parsePostfix(.expression(try parsePrimary()))
        }
    }

    private mutating func parsePostfix(_ operand: Operand) throws(PredicateFormatError) -> Operand {
        guard case .expression(let expression) = operand,
            token.kind == .symbol(.dot) || token.kind == .symbol(.leftBracket)
        else { return operand }
        return .expression(try parsePostfix(expression))
    }

    private mutating func parseNot() throws(PredicateFormatError) -> Operand {
        let start = try advance().range.lowerBound
        let negated = try parsePredicate(.not)
        try grow(height)
        return .predicate(ParsedPredicate(.not(negated), range: range(from: start)))
    }

    private mutating func parsePredicateValue() throws(PredicateFormatError) -> Operand {
        let token = try advance()
        height = 1
        guard case .keyword(let keyword, _) = token.kind else { throw missingExpression }
        return .predicate(ParsedPredicate(.value(keyword == .truepredicate), range: token.range))
    }

    private mutating func parseParenthesized() throws(PredicateFormatError) -> Operand {
        let start = try advance().range
        let operand = try parseOperand(.or)
        if try !take(.rightParenthesis) { throw missingParenthesis(after: operand, from: start) }
        let whole = range(from: start.lowerBound)
        switch operand {
        case .predicate(let predicate): return .predicate(ParsedPredicate(predicate.kind, range: whole))
        case .expression(let expression): return .expression(ParsedExpression(expression.kind, range: whole))
        }
    }

    private func missingParenthesis(after operand: Operand, from start: Range<Int>) -> PredicateFormatError {
        if token.kind == .end { return PredicateFormatError(.syntax, at: start, "'(' has no ')'") }
        if case .expression(let expression) = operand, token.kind != .symbol(.comma) {
            return missingOperator(after: expression)
        }
        return PredicateFormatError(
            .syntax, at: token.range, "')' is expected, but \(token.description) follows",
            hint: token.kind == .symbol(.comma) ? "a list stands in braces, as in {1, 2}" : nil)
    }

    private mutating func parseQuantified() throws(PredicateFormatError) -> Operand {
        let quantifier = try advance()
        let left = try parseExpression()
        guard case .keyword(let keyword, _) = quantifier.kind, isComparisonOperator else {
            throw missingOperator(afterQuantifier: quantifier)
        }
        var comparison = try parseComparison(keyword == .all ? .all : .any, .expression(left))
        comparison.range = range(from: quantifier.range.lowerBound)
        guard keyword == .none else { return .predicate(comparison) }
        try grow(height)
        return .predicate(ParsedPredicate(.not(comparison), range: comparison.range))
    }

    private func missingOperator(afterQuantifier quantifier: Token) -> PredicateFormatError {
        PredicateFormatError(
            .syntax, at: token.range,
            "an operator is expected after \(quantifier.description) and an expression, "
                + "but \(token.description) follows")
    }

    /// Reads `-x`; a literal's sign is part of it, or the least integer could not be written.
    private mutating func parseNegative() throws(PredicateFormatError) -> ParsedExpression {
        let start = try advance().range.lowerBound
        if case .number(let number) = token.kind {
            try advance()
            height = 1
            return ParsedExpression(.constant(number.negated), range: range(from: start))
        }
        let operand = try parseExpression(.sign)
        try grow(height)
        return ParsedExpression(.negation(operand), range: range(from: start))
    }

    /// Reads the names and brackets that follow an expression.
    mutating func parsePostfix(_ first: ParsedExpression) throws(PredicateFormatError) -> ParsedExpression {
        var expression = first
        let start = first.range.lowerBound
        while true {
            if token.kind == .symbol(.dot) {
                let names = try parseKeyPathComponents()
                if case .keyPath(let base, let components) = expression.kind {
                    expression.kind = .keyPath(base: base, components: components + names)
                } else {
                    expression.kind = .keyPath(base: expression, components: names)
                    try grow(height)
                }
                expression.range = range(from: start)
            } else if token.kind == .symbol(.leftBracket) {
                let below = height
                try advance()
                let index = try parseIndex()
                try grow(max(below, height))
                try expect(.rightBracket, "after an index")
                expression = ParsedExpression(.element(expression, index), range: range(from: start))
            } else {
                return expression
            }
        }
    }

    private mutating func parseKeyPathComponents() throws(PredicateFormatError) -> [KeyPathComponent] {
        var components: [KeyPathComponent] = []
        while try take(.dot) { components.append(try parseKeyPathComponent()) }
        return components
    }

    private mutating func parseIndex() throws(PredicateFormatError) -> CollectionIndex {
        let index: CollectionIndex
        switch token.kind {
        case .keyword(.first, _): index = .first
        case .keyword(.last, _): index = .last
        case .keyword(.size, _): index = .size
        default: return .at(try parseExpression())
        }
        try advance()
        return index
    }

    private mutating func parseKeyPathComponent() throws(PredicateFormatError) -> KeyPathComponent {
        let kind: KeyPathComponent.Kind
        switch token.kind {
        case .name(let name): kind = .property(name)
        // After a dot, only a name is possible.
        case .keyword(_, let name): kind = .property(name)
        case .keyPathArgument(let index): kind = .argument(index)
        case .collectionOperator(let name): kind = try collectionOperator(name)
        default:
            throw PredicateFormatError(
                .syntax, at: token.range,
                "the name of a property is expected after '.', but \(token.description) follows")
        }
        return KeyPathComponent(kind, range: try advance().range)
    }

    func collectionOperator(_ name: String) throws(PredicateFormatError) -> KeyPathComponent.Kind {
        if let known = CollectionOperator(rawValue: name) { return .collectionOperator(known) }
        let names = CollectionOperator.allCases.map(\.rawValue)
        let hint = name.lowercased() == "average" ? "did you mean 'avg'?" : NameSuggestion.hint(for: name, among: names)
        throw PredicateFormatError(
            .unknownFunction, at: token.range, "'@\(name.shortened)' is not a collection operator", hint: hint)
    }

    /// The error for a missing expression.
    var missingExpression: PredicateFormatError {
        let hint: String? =
            switch token.kind {
            case .keyword(let keyword, let text):
                switch keyword {
                case .not: "NOT stands before the whole comparison"
                case .any, .some, .all, .none: "\(text) stands before the left side of a comparison"
                case .truepredicate, .falsepredicate: "it is a predicate, and no value"
                default: "'\(text)' is a keyword; write #\(text) for a property of this name"
                }
            case .comparison(.equalTo): "one or two equals signs compare"
            default: nil
            }
        return PredicateFormatError(
            .syntax, at: token.range, "an expression is expected, but \(token.description) follows", hint: hint)
    }
}

extension Constant {
    var negated: Constant {
        switch self {
        case .integer(let value): value == .min ? .decimal("9223372036854775808") : .integer(-value)
        case .decimal(let text):
            // The absolute value of the least integer exceeds the greatest integer.
            Int64("-" + text).map { .integer($0) } ?? .decimal("-" + text)
        default: self
        }
    }
}
