extension ParsedPredicate: CustomStringConvertible {
    /// The canonical format string: reading it gives the same tree.
    public var description: String {
        switch kind {
        case .value(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let predicate): "NOT " + predicate.enclosed
        case .and(let predicates): predicates.map(\.enclosed).joined(separator: " AND ")
        case .or(let predicates): predicates.map(\.enclosed).joined(separator: " OR ")
        case .comparison(let comparison): comparison.description
        }
    }

    /// The text as an operand. A conjunction within OR needs no parentheses, but few readers are sure of that.
    private var enclosed: String {
        switch kind {
        case .and, .or: "(\(description))"
        default: description
        }
    }
}

extension ParsedPredicate.Comparison: CustomStringConvertible {
    /// The comparison as it stands in a format string.
    public var description: String {
        let prefix = modifier == .direct ? "" : modifier.rawValue + " "
        return "\(prefix)\(left) \(`operator`.rawValue)\(options) \(right)"
    }
}

extension ComparisonOptions: CustomStringConvertible {
    /// The letters in brackets, or nothing if there are no options.
    public var description: String {
        let letters = Self.letters.filter { contains($0.option) }.map(\.letter)
        return letters.isEmpty ? "" : "[\(String(decoding: letters, as: UTF8.self))]"
    }
}
