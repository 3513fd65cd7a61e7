import AshlarSQLite

/// The reading state of a context: its pinned state of the store, the observer of its statements, and its cancellation.
struct ContextReading {
    /// The state of the store that the context is pinned to; nil for the newest state at every read.
    var pinnedGeneration: QueryGenerationToken?
    /// Ends the context's reads when its task is canceled; nil if its reads cannot be canceled.
    var cancellation: FetchCancellation?
    /// The observer of the statements that the context executes.
    var observer: StatementObserver? {
        didSet { tracingObserver = StatementObserver.recording(observer) }
    }
    /// The observer combined with the recorder of the environment.
    private(set) var tracingObserver: StatementObserver?

    init(_ observer: StatementObserver?) {
        self.observer = observer
        tracingObserver = StatementObserver.recording(observer)
    }

    /// Returns the state that a read uses; nil for the newest. The first read of a context that is pinned to the
    /// current state creates it.
    @inline(__always)
    mutating func generation(_ container: ModelContainer) throws -> QueryGeneration? {
        if pinnedGeneration == nil { return nil }
        if let generation = pinnedGeneration?.generation { return generation }
        let generation = try QueryGeneration(of: container)
        pinnedGeneration = QueryGenerationToken(generation: generation)
        return generation
    }

    /// Moves a pinned context to the newest state.
    mutating func advance() {
        if pinnedGeneration != nil { pinnedGeneration = .current }
    }
}
