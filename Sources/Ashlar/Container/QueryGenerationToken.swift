/// A state of the store at which contexts may stay while others write.
///
/// A token of a state that was read keeps that state alive until the last copy of the token, and the last context that
/// is pinned to it, are gone. It may be handed to other tasks, so that several contexts see the same. Core Data's
/// `NSQueryGenerationToken`.
public struct QueryGenerationToken: Sendable, Hashable {
    /// Nil for the state that is found when the context reads next.
    let generation: QueryGeneration?

    /// The state that the store has when a context that is pinned to it reads next.
    public static let current = QueryGenerationToken(generation: nil)

    public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool {
        left.generation === right.generation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(generation.map(ObjectIdentifier.init))
    }
}
