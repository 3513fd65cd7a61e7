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
        "\(construct), in a predicate or sort descriptor of \(entity), cannot be asked of the store: \(reason)"
            + (hint.map { "; \($0)" } ?? "") + "."
    }
}
