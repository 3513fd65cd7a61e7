extension Parser {
    /// Reads the functions that are keywords. Their arguments have different kinds.
    mutating func parseCall() throws(PredicateFormatError) -> ParsedExpression {
        let start = token.range.lowerBound
        let (keyword, parenthesis) = try parseCallBeginning()
        let kind: ParsedExpression.Kind
        switch keyword {
        case .subquery: kind = try parseSubquery()
        case .ternary: kind = try parseConditional()
        case .cast: kind = try parseCast()
        default: kind = try parseMessage()
        }
        try parseCallEnd(keyword, parenthesis)
        return ParsedExpression(kind, range: range(from: start))
    }

    private mutating func parseCallBeginning() throws(PredicateFormatError) -> (Keyword, Range<Int>) {
        guard case .keyword(let keyword, _) = try advance().kind else { throw missingExpression }
        guard token.kind == .symbol(.leftParenthesis) else {
            throw PredicateFormatError(
                .syntax, at: token.range,
                "'(' is expected after '\(keyword.rawValue.uppercased())', but \(token.description) follows",
                hint: "\(keyword.callPattern); a property of this name is written #\(keyword.rawValue)")
        }
        return (keyword, try advance().range)
    }

    private mutating func parseCallEnd(_ keyword: Keyword, _ start: Range<Int>) throws(PredicateFormatError) {
        guard try !take(.rightParenthesis) else { return }
        if token.kind == .end { throw PredicateFormatError(.syntax, at: start, "'(' has no ')'") }
        let isSurplus = token.kind == .symbol(.comma)
        throw PredicateFormatError(
            isSurplus ? .argumentCount : .syntax, at: token.range,
            isSurplus
                ? "'\(keyword.rawValue.uppercased())' has too many arguments"
                : "')' is expected, but \(token.description) follows",
            hint: keyword.callPattern)
    }

    private mutating func parseSubquery() throws(PredicateFormatError) -> ParsedExpression.Kind {
        let collection = try parseExpression()
        let below = height
        try expectComma(.subquery)
        guard case .variable(let name) = token.kind else {
            throw PredicateFormatError(
                .syntax, at: token.range, "a $variable is expected, but \(token.description) follows",
                hint: Keyword.subquery.callPattern)
        }
        try advance()
        try expectComma(.subquery)
        let predicate = try parsePredicate()
        try grow(max(below, height))
        return .subquery(collection, variable: name, predicate)
    }

    private mutating func parseConditional() throws(PredicateFormatError) -> ParsedExpression.Kind {
        let condition = try parsePredicate()
        var below = height
        try expectComma(.ternary)
        let first = try parseExpression()
        below = max(below, height)
        try expectComma(.ternary)
        let second = try parseExpression()
        try grow(max(below, height))
        return .conditional(condition, first, second)
    }

    private mutating func parseCast() throws(PredicateFormatError) -> ParsedExpression.Kind {
        let operand = try parseExpression()
        let below = height
        try expectComma(.cast)
        let type = try parseString("the name of a type", .cast)
        try grow(below)
        return .cast(operand, type: type)
    }

    private mutating func parseMessage() throws(PredicateFormatError) -> ParsedExpression.Kind {
        let target = try parseExpression()
        var below = height
        try expectComma(.function)
        let selectorRange = token.range
        let selector = try parseString("the name of a method", .function)
        var arguments: [ParsedExpression] = []
        while try take(.comma) {
            arguments.append(try parseExpression())
            below = max(below, height)
        }
        let count = selector.utf8.count { $0 == UInt8(ascii: ":") }
        guard arguments.count == count else {
            throw PredicateFormatError(
                .argumentCount, at: selectorRange,
                "'\(selector.shortened)' has \(count) \(count == 1 ? "colon" : "colons"), "
                    + "but \(arguments.count) \(arguments.count == 1 ? "argument follows" : "arguments follow")")
        }
        try grow(below)
        return .message(selector: selector, target: target, arguments: arguments)
    }

    private mutating func expectComma(_ keyword: Keyword) throws(PredicateFormatError) {
        guard try !take(.comma) else { return }
        let isShort = token.kind == .symbol(.rightParenthesis)
        throw PredicateFormatError(
            isShort ? .argumentCount : .syntax, at: token.range,
            isShort
                ? "'\(keyword.rawValue.uppercased())' has too few arguments"
                : "',' is expected, but \(token.description) follows", hint: keyword.callPattern)
    }

    private mutating func parseString(
        _ what: String, _ keyword: Keyword
    ) throws(PredicateFormatError) -> String {
        guard case .string(let text) = token.kind else {
            throw PredicateFormatError(
                .syntax, at: token.range, "\(what) is expected as a string, but \(token.description) follows",
                hint: keyword.callPattern)
        }
        try advance()
        return text
    }
}

extension Keyword {
    /// The pattern of a call of the keyword's function, for hints.
    fileprivate var callPattern: String {
        switch self {
        case .subquery: "write SUBQUERY(collection, $x, $x.name == …)"
        case .ternary: "write TERNARY(predicate, a, b)"
        case .cast: "write CAST(expression, \"NSDate\")"
        default: "write FUNCTION(expression, \"selector:\", argument)"
        }
    }
}
