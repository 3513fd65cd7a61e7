/// A fetch index of an entity, by its name in the model.
///
/// Generated code has one for each that the model declares: `.indexed(by: .byTimestamp)`. Core Data's
/// `NSFetchIndexDescription`.
public struct FetchIndex<Model: PersistentModel>: Sendable, Hashable {
    /// The name in the model.
    public let name: String

    /// Names an index that is not known before the program runs. A fetch throws ``FetchError/unknownIndex(entity:index:)``
    /// where the entity has none of the name.
    public init(_ name: String) { self.name = name }
}

/// Which index the store finds the objects of a fetch with. The result is the same with each.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum IndexUse<Model: PersistentModel>: Sendable, Hashable {
    /// The fastest, by what is known of the condition, the order and the store.
    case automatic
    /// This one, whatever it costs. SQLite's `INDEXED BY`.
    case indexed(by: FetchIndex<Model>)
    /// None: the rows of the table are read one by one. SQLite's `NOT INDEXED`.
    case notIndexed
}

extension FetchDescriptor {
    /// The descriptor with an index that is used whatever it costs.
    ///
    ///     Post.where { $0.latitude > 40 && $0.likes > 10 }.indexed(by: .byPlace)
    ///
    /// The fetch throws ``FetchError/unusableIndex(entity:index:)`` where the index cannot find what is asked for.
    /// SQLite's `INDEXED BY`.
    public func indexed(by index: FetchIndex<Model>) -> Self {
        var result = self
        result.indexUse = .indexed(by: index)
        return result
    }

    /// The descriptor with all indexes forbidden: the rows are read one by one, or found by their identifiers. SQLite's
    /// `NOT INDEXED`.
    public func notIndexed() -> Self {
        var result = self
        result.indexUse = .notIndexed
        return result
    }
}
