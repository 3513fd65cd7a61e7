extension SQLExpression {
    /// How many operators of a condition may be within each other, so that the stack suffices for going through them.
    /// SQLite may allow fewer.
    static let greatestDepth = 200

    /// The number; a chain of operators that is too long is none that can be asked for.
    var bounded: SQLExpression {
        guard case .arithmetic(var first, _, var second) = self else { return self }
        var depth = 1
        while depth < Self.greatestDepth {
            // Chains grow at one end.
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
    /// The error in place of an expression that is too deep.
    static let tooDeep = FetchError.unsupportedPredicate(
        entity: "", construct: "A condition with more than \(SQLExpression.greatestDepth) operators within each other",
        reason: "it is too deep a tree",
        hint: "join terms by one operator, as in a && b && c, and look for one of many values with isIn(_:)")
}
