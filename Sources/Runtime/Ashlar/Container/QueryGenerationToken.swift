/// A state of the store that contexts can stay at while others write.
///
/// Give the token of one context to others, so that all of them see the same data. A token keeps its state alive until
/// its last copy, and the last context pinned to it, are gone. It is `Sendable`.
///
///     try context.setQueryGeneration(from: .current)
///     _ = try context.fetchCount(Post.all)
///     let same = ModelContext(container)
///     try same.setQueryGeneration(from: context.queryGenerationToken)
///
/// Core Data's counterpart is `NSQueryGenerationToken`.
public struct QueryGenerationToken: Sendable, Hashable {
    /// The pinned state; nil for the state of the context's next read.
    let generation: QueryGeneration?

    /// The state of the store when a context that is pinned to this token next reads.
    ///
    ///     try context.setQueryGeneration(from: .current)
    public static let current = QueryGenerationToken(generation: nil)

    public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool {
        left.generation === right.generation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(generation.map(ObjectIdentifier.init))
    }
}
