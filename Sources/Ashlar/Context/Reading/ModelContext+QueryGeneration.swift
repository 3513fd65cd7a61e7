/// Staying at one state of the store while others write.
extension ModelContext {
    /// The state at which the context stays: ``QueryGenerationToken/current`` where it has yet to read, and nil where it
    /// sees the newest state with every read. Core Data's property of the same name.
    public var queryGenerationToken: QueryGenerationToken? { parent == nil ? reading.pinnedGeneration : nil }

    /// Has all reads of the context, lazy loads included, see one state of the store, whatever others write.
    ///
    ///     try context.setQueryGeneration(from: .current)
    ///
    /// The context moves on to the newest state by itself when it saves, is reset, or merges what another context saved
    /// (by itself where ``automaticallyMergesChangesFromParent`` is set, as it is in the main context). Objects keep
    /// their values then until they are fetched or refreshed. What the context saves is compared with the newest state, so
    /// that no other's change is lost. A state costs one connection, and the write-ahead log cannot begin anew while it is
    /// used; see ``ModelContainer/writeAheadLogStatus()`` and ``StoreOptions/pinnedLogLimit``.
    ///
    /// Core Data's `setQueryGenerationFrom(_:)`.
    ///
    /// - Parameter token: ``QueryGenerationToken/current`` for the state that the store has at the context's next read,
    ///   another context's ``queryGenerationToken`` for the same as it sees, and nil for the newest at every read.
    /// - Throws: ``StoreError/queryGenerationsUnavailable(_:)`` where the container has a store in memory,
    ///   ``ContextError/queryGenerationOfChild`` for a context with a parent, and
    ///   ``ContextError/queryGenerationOfAnotherStore`` for a token of another store.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws {
        if parent != nil { throw ContextError.queryGenerationOfChild }
        if token != nil, let store = container.storeInMemory {
            throw StoreError.queryGenerationsUnavailable(store.url)
        }
        if let generation = token?.generation, !generation.isOf(container) {
            throw ContextError.queryGenerationOfAnotherStore
        }
        reading.pinnedGeneration = token
    }

    /// Runs a closure in which all reads of the context see one state of the store, and share one read transaction.
    ///
    /// Many small reads cost less so: each saves the beginning and the end of a transaction of its own. A context that is
    /// pinned already stays where it is.
    ///
    /// - Throws: What the closure throws, and what ``setQueryGeneration(from:)`` does.
    public func withQueryGeneration<Result>(_ body: () throws -> Result) throws -> Result {
        if reading.pinnedGeneration != nil || container.storeInMemory != nil || parent != nil {
            return try body()
        }
        try setQueryGeneration(from: .current)
        defer { reading.pinnedGeneration = nil }
        return try body()
    }

    /// Runs a save, which compares with the newest state, and moves on to that when it succeeds.
    func withNewestGeneration(_ body: () throws -> Void) throws {
        guard let pinned = reading.pinnedGeneration else { return try body() }
        reading.pinnedGeneration = nil
        do {
            try body()
        } catch {
            reading.pinnedGeneration = pinned
            throw error
        }
        reading.pinnedGeneration = .current
    }
}
