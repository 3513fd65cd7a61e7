import AshlarSQLite

/// The reading of a context: the state of the store, the observer of its statements, and the objects that may end them.
struct ContextReading {
    /// The state of the store that the context stays at; nil for the newest at every read.
    var pinnedGeneration: QueryGenerationToken?
    /// Ends what the context reads when its task is cancelled; nil where nobody can.
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

    /// The state that a read is to see; nil for the newest. The first read of a context that stays at the current state
    /// takes hold of it.
    @inline(__always)
    mutating func generation(_ container: ModelContainer) throws -> QueryGeneration? {
        if pinnedGeneration == nil { return nil }
        if let generation = pinnedGeneration?.generation { return generation }
        let generation = try QueryGeneration(of: container)
        pinnedGeneration = QueryGenerationToken(generation: generation)
        return generation
    }

    /// Moves on to the newest state, where the context stays at one.
    mutating func advance() {
        if pinnedGeneration != nil { pinnedGeneration = .current }
    }
}
