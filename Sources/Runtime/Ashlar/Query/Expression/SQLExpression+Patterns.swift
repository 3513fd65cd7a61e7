extension SQLExpression {
    /// Throws the error of an invalid regular expression now instead of in the fetch.
    package func checkPatterns() throws {
        switch self {
        case .text(_, .matches, .value(.text(let pattern)), let options):
            _ = try RegularExpressions.expression(pattern, options)
        case .and(let terms), .or(let terms): for term in terms { try term.checkPatterns() }
        case .not(let term), .any(_, let term): try term.checkPatterns()
        default: break
        }
    }
}
