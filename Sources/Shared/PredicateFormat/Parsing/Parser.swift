/// Reads tokens into a tree by precedence, in one pass without going back.
///
/// A parenthesis may begin a predicate or an expression, and which one is known at its end only. Both are therefore
/// read by the same functions as an ``Operand``, and each operator says which sort it takes.
struct Parser {
    enum Operand {
        case predicate(ParsedPredicate)
        case expression(ParsedExpression)

        var range: Range<Int> {
            switch self {
            case .predicate(let predicate): predicate.range
            case .expression(let expression): expression.range
            }
        }
    }

    /// The precedence of operators, from the loosest.
    enum Precedence: Int, Comparable {
        case or, and, not, comparison, set, sum, product, power, sign

        static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

        /// The precedence that the right operand of a left-associative operator must have.
        var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .sign }
    }

    private var lexer: Lexer
    private(set) var token: Token
    /// Where the last token that was read ends.
    private(set) var end = 0
    /// The number of nested calls of the parser.
    private var nesting = 0
    /// The height of the tree that was read last: a chain of operators nests without nested calls.
    var height = 0
    private var comparisonCount = 0

    init(_ text: String, allowsArguments: Bool) throws(PredicateFormatError) {
        lexer = Lexer(text, allowsArguments: allowsArguments)
        token = try lexer.next()
    }

    // MARK: Wholes

    mutating func parseWholePredicate() throws(PredicateFormatError) -> ParsedPredicate {
        let predicate = try parsePredicate()
        try refuseTrailingText()
        return predicate
    }

    mutating func parseWholeExpression() throws(PredicateFormatError) -> ParsedExpression {
        let expression = try parseExpression(.set)
        if isComparisonOperator {
            throw PredicateFormatError(
                .syntax, at: token.range, "an expression is expected, but this is a comparison",
                hint: "remove \(token.description)")
        }
        try refuseTrailingText()
        return expression
    }

    private func refuseTrailingText() throws(PredicateFormatError) {
        guard token.kind != .end else { return }
        if token.kind == .symbol(.rightParenthesis) {
            throw PredicateFormatError(.syntax, at: token.range, "')' has no '(' before it")
        }
        throw PredicateFormatError(
            .syntax, at: token.range, "the text should end here, but \(token.description) follows",
            hint: "predicates are joined by AND or OR")
    }

    // MARK: Operands

    mutating func parsePredicate(_ minimum: Precedence = .or) throws(PredicateFormatError) -> ParsedPredicate {
        // Not one expression: the check must see the token after the operand.
        let operand = try parseOperand(minimum)
        return try predicate(operand)
    }

    mutating func parseExpression(_ minimum: Precedence = .set) throws(PredicateFormatError) -> ParsedExpression {
        let operand = try parseOperand(minimum)
        return try expression(operand)
    }

    /// An operand that must be a predicate.
    func predicate(_ operand: Operand) throws(PredicateFormatError) -> ParsedPredicate {
        switch operand {
        case .predicate(let predicate): return predicate
        case .expression(let expression): throw missingOperator(after: expression)
        }
    }

    /// An operand that must be an expression.
    func expression(_ operand: Operand) throws(PredicateFormatError) -> ParsedExpression {
        switch operand {
        case .expression(let expression): return expression
        case .predicate(let predicate):
            throw PredicateFormatError(
                .syntax, at: predicate.range, "an expression is expected, but this is a predicate",
                hint: "TERNARY(predicate, a, b) makes a value of a predicate")
        }
    }

    mutating func parseOperand(_ minimum: Precedence) throws(PredicateFormatError) -> Operand {
        nesting += 1
        defer { nesting -= 1 }
        if nesting > PredicateFormatLimits.depth { throw tooComplex }
        var left = try parsePrefix(minimum)
        while true {
            switch token.kind {
            case .keyword(.or, _), .symbol(.or):
                guard minimum <= .or else { return left }
                left = .predicate(ParsedPredicate(try parseJunction(from: left, .or), range: range(from: left)))
            case .keyword(.and, _), .symbol(.and):
                guard minimum <= .and else { return left }
                left = .predicate(ParsedPredicate(try parseJunction(from: left, .and), range: range(from: left)))
            case .symbol(.plus), .symbol(.minus), .symbol(.times), .symbol(.divide), .symbol(.power),
                .keyword(.union, _), .keyword(.intersect, _), .keyword(.minus, _):
                guard let joined = try parseArithmetic(left, minimum) else { return left }
                left = .expression(joined)
            case _ where isComparisonOperator:
                guard minimum <= .comparison else { return left }
                left = .predicate(try parseComparison(.direct, left))
            default: return left
            }
        }
    }

    /// Reads the rest of `a AND b AND c` into one node, so that a long list is not a deep tree.
    private mutating func parseJunction(
        from first: Operand, _ precedence: Precedence
    ) throws(PredicateFormatError) -> ParsedPredicate.Kind {
        var predicates = [try predicate(first)]
        var greatest = height
        while precedence == .and ? isAnd : isOr {
            try advance()
            predicates.append(try parsePredicate(precedence.next))
            greatest = max(greatest, height)
        }
        try grow(greatest)
        return precedence == .and ? .and(predicates) : .or(predicates)
    }

    private mutating func parseArithmetic(
        _ left: Operand, _ minimum: Precedence
    ) throws(PredicateFormatError) -> ParsedExpression? {
        guard let precedence = arithmeticPrecedence, minimum <= precedence else { return nil }
        let kind = token.kind
        let first = try expression(left)
        let firstHeight = height
        try advance()
        let second = try parseExpression(precedence.next)
        // The canonical text of other chains has parentheses.
        let isPlain = precedence == .sum || precedence == .product
        try grow(max(firstHeight, height), by: isPlain ? Self.chainedHeight : Self.nestedHeight)
        let range = first.range.lowerBound..<second.range.upperBound
        if case .keyword(let keyword, _) = kind {
            let join: SetOperator = keyword == .union ? .union : keyword == .intersect ? .intersect : .minus
            return ParsedExpression(.set(join, first, second), range: range)
        }
        guard case .symbol(let symbol) = kind, let join = ArithmeticOperator(rawValue: symbol.rawValue) else {
            return nil
        }
        return ParsedExpression(.arithmetic(join, first, second), range: range)
    }

    private var arithmeticPrecedence: Precedence? {
        switch token.kind {
        case .symbol(.plus), .symbol(.minus): .sum
        case .symbol(.times), .symbol(.divide): .product
        case .symbol(.power): .power
        case .keyword(.union, _), .keyword(.intersect, _), .keyword(.minus, _): .set
        default: nil
        }
    }

    private var isAnd: Bool {
        switch token.kind {
        case .keyword(.and, _), .symbol(.and): true
        default: false
        }
    }

    private var isOr: Bool {
        switch token.kind {
        case .keyword(.or, _), .symbol(.or): true
        default: false
        }
    }

    // MARK: Tokens

    /// Goes to the next token and returns the one before it.
    @discardableResult
    mutating func advance() throws(PredicateFormatError) -> Token {
        let current = token
        end = current.range.upperBound
        token = try lexer.next()
        return current
    }

    /// Goes on if the token is this symbol.
    mutating func take(_ symbol: Token.Symbol) throws(PredicateFormatError) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func expect(_ symbol: Token.Symbol, _ place: String) throws(PredicateFormatError) {
        guard try take(symbol) else {
            throw PredicateFormatError(
                .syntax, at: token.range, "'\(symbol.rawValue)' is expected \(place), but \(token.description) follows")
        }
    }

    func range(from operand: Operand) -> Range<Int> {
        operand.range.lowerBound..<end
    }

    func range(from start: Int) -> Range<Int> {
        start..<end
    }

    // MARK: Limits

    /// The canonical text may have parentheses that the text had not: a little less of a tree keeps it readable.
    private static let greatestHeight = (PredicateFormatLimits.depth - 4) * nestedHeight

    /// The growth of a tree with a level. Functions that only visit trees need less of the stack for a chain of
    /// operators than the parser needs for parentheses.
    private static let nestedHeight = 4
    private static let chainedHeight = 3

    /// Notes that a node was put above trees of this height.
    mutating func grow(_ below: Int, by growth: Int = nestedHeight) throws(PredicateFormatError) {
        height = below + growth
        if height > Self.greatestHeight { throw tooComplex }
    }

    /// Notes that a comparison is read.
    mutating func countComparison() throws(PredicateFormatError) {
        comparisonCount += 1
        if comparisonCount <= PredicateFormatLimits.comparisonCount { return }
        throw PredicateFormatError(
            .tooComplex, at: token.range,
            "the predicate has more than \(PredicateFormatLimits.comparisonCount) comparisons",
            hint: "compare with a list: name IN {'a', 'b'}")
    }

    private var tooComplex: PredicateFormatError {
        PredicateFormatError(
            .tooComplex, at: token.range, "the predicate is nested deeper than \(PredicateFormatLimits.depth) levels",
            hint:
                "a chain of operators without parentheses may have \(Self.greatestHeight / Self.chainedHeight - 1) of them"
        )
    }
}
