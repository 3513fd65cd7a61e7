/// Pinning a context to one state of the store.
extension ModelContext {
    /// The state of the store that the context is pinned to, or nil if each read sees the newest state.
    ///
    /// It is ``QueryGenerationToken/current`` until the first read after pinning. Core Data has a property of the same
    /// name.
    ///
    ///     let reader = ModelContext(container)
    ///     try reader.setQueryGeneration(from: context.queryGenerationToken)
    public var queryGenerationToken: QueryGenerationToken? { parent == nil ? reading.pinnedGeneration : nil }

    /// Pins all reads of the context, including lazy loads, to one state of the store.
    ///
    /// Use it for a consistent view while others write.
    ///
    ///     try context.setQueryGeneration(from: .current)
    ///
    /// The context moves to the newest state when it saves, is reset, or merges the save of another context. Objects
    /// keep their values then until they are fetched or refreshed. Saves compare with the newest state, so no change of
    /// others is lost. A pinned state needs one connection, and keeps the write-ahead log from being reset. See
    /// ``ModelContainer/writeAheadLogStatus()`` and ``StoreOptions/pinnedLogLimit``.
    ///
    /// Core Data's counterpart is `setQueryGenerationFrom(_:)`.
    ///
    /// - Parameter token: ``QueryGenerationToken/current`` for the state at the context's next read, another context's
    ///   ``queryGenerationToken`` for the state that it sees, or nil for the newest state at every read.
    /// - Throws: ``StoreError/queryGenerationsUnavailable(_:)`` if the container has a store in memory,
    ///   ``ContextError/queryGenerationOfChild`` if the context has a parent, and
    ///   ``ContextError/queryGenerationOfAnotherStore`` if the token comes from another store.
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

    /// Runs a closure in which all reads of the context see one state of the store.
    ///
    /// The reads share one transaction, which speeds up many small reads. A context that is already pinned stays at its
    /// state.
    ///
    ///     try context.withQueryGeneration {
    ///         let count = try context.fetchCount(Post.all)
    ///         let posts = try context.fetch(Post.all.limit(20))
    ///         print(posts.count, "of", count)
    ///     }
    ///
    /// - Parameter body: The reads.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, and the errors of ``setQueryGeneration(from:)``.
    public func withQueryGeneration<Result>(_ body: () throws -> Result) throws -> Result {
        if reading.pinnedGeneration != nil || container.storeInMemory != nil || parent != nil {
            return try body()
        }
        try setQueryGeneration(from: .current)
        defer { reading.pinnedGeneration = nil }
        return try body()
    }

    /// Runs a save, which compares with the newest state, and moves a pinned context to that state if it succeeds.
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
