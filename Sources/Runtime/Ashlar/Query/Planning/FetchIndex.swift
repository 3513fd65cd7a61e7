/// A fetch index of an entity, by its name in the model.
///
/// Generated code has a static property for each index that the model declares.
///
///     let descriptor = Post.where { $0.timestamp > lastYear }.indexed(by: .byTimestamp)
///
/// Core Data's counterpart is `NSFetchIndexDescription`.
public struct FetchIndex<Model: PersistentModel>: Sendable, Hashable {
    /// The index's name in the model.
    public let name: String

    /// Creates a reference to an index whose name is known only at run time.
    ///
    /// If the entity has no such index, the fetch throws ``FetchError/unknownIndex(entity:index:)``.
    ///
    ///     let index = FetchIndex<Post>("byTimestamp")
    ///
    /// - Parameter name: The index's name in the model.
    public init(_ name: String) { self.name = name }
}

/// The use of indexes by a fetch, which does not change its result.
///
/// ``FetchDescriptor/indexed(by:)`` and ``FetchDescriptor/notIndexed()`` set it.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum IndexUse<Model: PersistentModel>: Sendable, Hashable {
    /// The index that is expected to be the fastest for the condition, the order and the store.
    case automatic
    /// A certain index, even if it is slow. SQLite's counterpart is `INDEXED BY`.
    case indexed(by: FetchIndex<Model>)
    /// No index: the rows of the table are read one by one. SQLite's counterpart is `NOT INDEXED`.
    case notIndexed
}

extension FetchDescriptor {
    /// Returns the descriptor with an index that must be used, even if it is slow.
    ///
    /// Use it if measurements show that the automatic choice is wrong.
    ///
    ///     let posts = try context.fetch(Post.where { $0.latitude > 40 && $0.likes > 10 }.indexed(by: .byPlace))
    ///
    /// The fetch throws ``FetchError/unusableIndex(entity:index:)`` if the index cannot find the objects. SQLite's
    /// counterpart is `INDEXED BY`.
    ///
    /// - Parameter index: An index of the entity.
    public func indexed(by index: FetchIndex<Model>) -> Self {
        var result = self
        result.indexUse = .indexed(by: index)
        return result
    }

    /// Returns the descriptor with all indexes forbidden.
    ///
    /// The rows are read one by one, or found by their identifiers. SQLite's counterpart is `NOT INDEXED`.
    ///
    ///     let posts = try context.fetch(Post.where { $0.likes >= 0 }.notIndexed())
    public func notIndexed() -> Self {
        var result = self
        result.indexUse = .notIndexed
        return result
    }
}
