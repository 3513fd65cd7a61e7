extension Parser {
    /// Reads the beginning of an expression.
    ///
    /// Functions that call each other in turn are small, since each level of nesting needs the stack of all of them.
    mutating func parsePrimary() throws(PredicateFormatError) -> ParsedExpression {
        height = 1
        switch token.kind {
        case .name(let name): return try parseName(name)
        case .symbol(.leftBrace): return try parseAggregate()
        case .keyword(.subquery, _), .keyword(.cast, _), .keyword(.ternary, _), .keyword(.function, _):
            return try parseCall()
        default: return try parseLeaf()
        }
    }

    private mutating func parseLeaf() throws(PredicateFormatError) -> ParsedExpression {
        let start = token.range.lowerBound
        let kind: ParsedExpression.Kind
        switch token.kind {
        case .number(let number): kind = .constant(number)
        case .string(let text): kind = .constant(.string(text))
        case .variable(let name): return try parseVariable(name)
        case .argument(let argument): kind = .argument(argument)
        case .keyPathArgument(let index):
            kind = .keyPath(base: nil, components: [KeyPathComponent(.argument(index), range: token.range)])
        case .collectionOperator(let name):
            kind = .keyPath(
                base: nil, components: [KeyPathComponent(try collectionOperator(name), range: token.range)])
        case .keyword(.true, _), .keyword(.yes, _): kind = .constant(.boolean(true))
        case .keyword(.false, _), .keyword(.no, _): kind = .constant(.boolean(false))
        case .keyword(.nil, _), .keyword(.null, _): kind = .constant(.null)
        case .keyword(.self, _): kind = .evaluatedObject
        case .keyword(.fetch, _):
            throw PredicateFormatError(
                .unsupported, at: token.range, "a fetch within a predicate is not supported",
                hint: "write SUBQUERY over a relationship")
        case .keyword(.anykey, _):
            throw PredicateFormatError(.unsupported, at: token.range, "'ANYKEY' is not supported")
        default: throw missingExpression
        }
        try advance()
        return ParsedExpression(kind, range: range(from: start))
    }

    private mutating func parseVariable(_ name: String) throws(PredicateFormatError) -> ParsedExpression {
        let start = try advance().range.lowerBound
        if token.kind == .symbol(.assignment) {
            throw PredicateFormatError(
                .unsupported, at: token.range, "a predicate cannot assign to a variable", hint: "write == to compare")
        }
        return ParsedExpression(.variable(name), range: range(from: start))
    }

    private mutating func parseAggregate() throws(PredicateFormatError) -> ParsedExpression {
        let start = try advance().range
        var elements: [ParsedExpression] = []
        var greatest = 0
        while token.kind != .symbol(.rightBrace) {
            if !elements.isEmpty { try expectInList(.comma, .rightBrace, from: start, "'{' has no '}'") }
            elements.append(try parseExpression())
            greatest = max(greatest, height)
            if token.kind == .end { break }
        }
        try expectInList(.rightBrace, .rightBrace, from: start, "'{' has no '}'")
        try grow(greatest)
        return ParsedExpression(.aggregate(elements), range: range(from: start.lowerBound))
    }

    /// Returns the error for a list that neither continues nor ends. If the text ends, the error is at the list's
    /// beginning.
    func expectationFailure(_ end: Token.Symbol, from start: Range<Int>, _ message: String) -> PredicateFormatError {
        if token.kind == .end { return PredicateFormatError(.syntax, at: start, message) }
        return PredicateFormatError(
            .syntax, at: token.range, "',' or '\(end.rawValue)' is expected, but \(token.description) follows")
    }

    private mutating func expectInList(
        _ symbol: Token.Symbol, _ end: Token.Symbol, from start: Range<Int>, _ message: String
    ) throws(PredicateFormatError) {
        guard try take(symbol) else { throw expectationFailure(end, from: start, message) }
    }

    // MARK: Names and functions

    private mutating func parseName(_ name: String) throws(PredicateFormatError) -> ParsedExpression {
        let first = try advance().range
        switch token.kind {
        case .symbol(.colon), .symbol(.leftParenthesis): return try parseFunction(name, first)
        case .symbol(.assignment):
            throw PredicateFormatError(
                .unsupported, at: token.range, "a predicate cannot assign", hint: "write == to compare")
        default:
            let component = KeyPathComponent(.property(name), range: first)
            return ParsedExpression(.keyPath(base: nil, components: [component]), range: first)
        }
    }

    private mutating func parseFunction(
        _ name: String, _ first: Range<Int>
    ) throws(PredicateFormatError) -> ParsedExpression {
        let selector = try parseSelector(name, first)
        let nameRange = range(from: first.lowerBound)
        let arguments = try parseArguments(of: selector, nameRange)
        let whole = range(from: first.lowerBound)
        guard let known = BuiltInFunction(rawValue: selector) else {
            return try otherSpelling(selector, arguments, whole)
        }
        return ParsedExpression(.function(known, arguments: arguments), range: whole)
    }

    /// Reads the rest of a function's name, which must be known and be followed by arguments.
    private mutating func parseSelector(_ name: String, _ first: Range<Int>) throws(PredicateFormatError) -> String {
        var selector = name
        while try take(.colon) {
            selector += ":"
            if selector.utf8.count > 200 { break }
            switch token.kind {
            case .name(let part), .keyword(_, let part):
                selector += part
                try advance()
                guard token.kind == .symbol(.colon) else {
                    throw PredicateFormatError(
                        .syntax, at: token.range, "':' or '(' is expected after '\(selector.shortened)'")
                }
            default: break
            }
        }
        let known = BuiltInFunction(rawValue: selector)
        if known == nil, !["castObject:toType:", "objectFrom:withIndex:", "valueForKeyPath:"].contains(selector) {
            throw unknownFunction(selector, range(from: first.lowerBound))
        }
        guard token.kind == .symbol(.leftParenthesis) else {
            throw PredicateFormatError(
                .syntax, at: token.range, "'(' is expected after '\(selector)', but \(token.description) follows",
                hint: "a function is called as \(known?.callPattern ?? selector + "(a, b)")")
        }
        return selector
    }

    /// Reads the functions that are other spellings of a syntax.
    private mutating func otherSpelling(
        _ selector: String, _ arguments: [ParsedExpression], _ range: Range<Int>
    ) throws(PredicateFormatError) -> ParsedExpression {
        let first = arguments[0]
        let second = arguments[1]
        if selector == "objectFrom:withIndex:" {
            return ParsedExpression(.element(first, .at(second)), range: range)
        }
        guard case .constant(.string(let text)) = second.kind else {
            throw PredicateFormatError(.syntax, at: second.range, "a string is expected as the second argument")
        }
        if selector == "castObject:toType:" { return ParsedExpression(.cast(first, type: text), range: range) }
        var components = try KeyPathComponent.components(of: text, range: second.range)
        guard case .keyPath(let base, let beginning) = first.kind else {
            return ParsedExpression(.keyPath(base: first, components: components), range: range)
        }
        components.insert(contentsOf: beginning, at: 0)
        return ParsedExpression(.keyPath(base: base, components: components), range: range)
    }

    private func unknownFunction(_ selector: String, _ range: Range<Int>) -> PredicateFormatError {
        let alike = BuiltInFunction.allCases.first { $0.rawValue.split(separator: ":").joined() == selector }
        if let alike, alike.isAggregate {
            return PredicateFormatError(
                .unknownFunction, at: range,
                "'\(selector)' of all objects is not a value that a condition can compare with",
                hint: "\(alike.wayForAllObjects), or write \(alike.rawValue)(items.price) of a relationship")
        }
        let hint =
            alike.map { "a function is called as \($0.callPattern)" }
            ?? NameSuggestion.hint(for: selector, among: BuiltInFunction.allCases.map(\.rawValue))
        return PredicateFormatError(
            .unknownFunction, at: range, "there is no function '\(selector.shortened)'", hint: hint)
    }

    /// Reads a list of arguments in parentheses.
    private mutating func parseArguments(
        of selector: String, _ nameRange: Range<Int>
    ) throws(PredicateFormatError) -> [ParsedExpression] {
        let start = try advance().range
        var arguments: [ParsedExpression] = []
        var greatest = 0
        while token.kind != .symbol(.rightParenthesis) {
            if !arguments.isEmpty { try expectInList(.comma, .rightParenthesis, from: start, "'(' has no ')'") }
            if token.kind == .end { break }
            arguments.append(try parseExpression())
            greatest = max(greatest, height)
        }
        try expectInList(.rightParenthesis, .rightParenthesis, from: start, "'(' has no ')'")
        try grow(greatest)
        try checkCount(of: arguments.count, selector, range(from: nameRange.lowerBound))
        return arguments
    }

    private func checkCount(
        of count: Int, _ selector: String, _ range: Range<Int>
    ) throws(PredicateFormatError) {
        let wanted = BuiltInFunction(rawValue: selector)?.argumentCounts ?? 2...2
        guard !wanted.contains(count) else { return }
        let number = wanted.lowerBound == wanted.upperBound ? "\(wanted.lowerBound)" : "\(wanted.lowerBound) or more"
        let noun = number == "1" ? "argument" : "arguments"
        throw PredicateFormatError(
            .argumentCount, at: range, "'\(selector)' takes \(number) \(noun), but has \(count)")
    }
}
