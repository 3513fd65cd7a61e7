/// Why a predicate or sort descriptor of Foundation cannot be a query of the store.
///
/// A descriptor's initialiser cannot throw, so that the fetch does. SwiftData's `unsupportedPredicate`,
/// `unsupportedKeyPath` and `unsupportedSortDescriptor`.
public struct UnsupportedPredicate: Error, Sendable, Hashable {
    /// The entity that was asked about.
    public var entity: String
    /// What cannot be said, such as `collection[range]` or the key path of a property.
    public var construct: String
    /// Why not, as a sentence without a full stop.
    public var reason: String
    /// How to say it otherwise.
    public var hint: String?
}

extension UnsupportedPredicate: CustomStringConvertible {
    public var description: String {
        let place = entity.isEmpty ? "" : ", in a predicate or sort descriptor of \(entity),"
        return "\(construct)\(place) cannot be asked of the store: \(reason)" + (hint.map { "; \($0)" } ?? "") + "."
    }
}

extension UnsupportedPredicate {
    /// How many operators of a condition may be within each other, so that the stack suffices for going through them.
    /// SQLite may allow fewer.
    static let greatestDepth = 200

    /// What stands for an expression that is too deep.
    static let tooDeep = UnsupportedPredicate(
        entity: "", construct: "A condition with more than \(greatestDepth) operators within each other",
        reason: "it is too deep a tree",
        hint: "join terms by one operator, as in a && b && c, and look for one of many values with isIn(_:)")
}

extension SQLExpression {
    /// The number; a chain of operators that is too long is none that can be asked for.
    var bounded: SQLExpression {
        guard case .arithmetic(var first, _, var second) = self else { return self }
        var depth = 1
        while depth < UnsupportedPredicate.greatestDepth {
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
