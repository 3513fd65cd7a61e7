extension SQLExpression {
    /// The maximum depth of nested operators in a condition, which limits the stack that recursive functions need.
    /// SQLite may allow fewer.
    static let greatestDepth = 200

    /// The number, or an unsupported expression if its chain of operators is too long.
    var bounded: SQLExpression {
        guard case .arithmetic(var first, _, var second) = self else { return self }
        var depth = 1
        while depth < Self.greatestDepth {
            // A chain grows at one end.
            if case .arithmetic(let left, _, let right) = first {
                (first, second) = (left, right)
            } else if case .arithmetic(let left, _, let right) = second {
                (first, second) = (left, right)
            } else {
                return self
            }
            depth += 1
        }
        return .unsupported(.tooDeep)
    }
}

extension FetchError {
    /// The error for an expression that is nested too deep.
    static let tooDeep = FetchError.unsupportedPredicate(
        entity: "", construct: "A condition with more than \(SQLExpression.greatestDepth) operators within each other",
        reason: "it is too deep a tree",
        hint: "join terms by one operator, as in a && b && c, and look for one of many values with isIn(_:)")
}
