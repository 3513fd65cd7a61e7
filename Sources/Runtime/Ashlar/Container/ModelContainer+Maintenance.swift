extension ModelContainer {
    /// Returns descriptions of all damage in the stores; empty for sound stores.
    ///
    /// It finds:
    /// - damaged pages, indexes and values (at most 100)
    /// - missing or wrong files of large values (at most 100)
    /// - rows that refer to missing rows
    /// - rows that share the partner of a one-to-one relationship
    /// - rows of a tree that contain each other
    /// - full-text indexes that are damaged or differ from their tables, which ``rebuildFullTextIndexes()`` repairs
    ///
    /// Rows form a tree by a to-one relationship to their own entity if its rule for synchronization is `tree`, or if
    /// it has no rule and an inverse that deletes by cascades.
    ///
    ///     for problem in try container.integrityProblems() { print(problem) }
    ///
    /// With SQLite before 3.44, other writers wait while full-text indexes are checked.
    ///
    /// - Throws: ``StoreError`` if a store cannot be read at all.
    /// - Complexity: O(*n*) in the size of the stores.
    public func integrityProblems() throws -> [String] {
        try stores.flatMap { try $0.integrityProblems() }
    }

    /// The writable stores. If the entire container is read-only, all stores, so that the operation throws their error.
    var maintainedStores: [PersistentStore] { isReadOnly ? stores : stores.filter { !$0.isReadOnly } }

    /// Rewrites the files of the writable stores without the space that deleted rows left.
    ///
    /// Each store temporarily needs twice its size on the volume, and no other program can write it meanwhile.
    ///
    ///     try container.vacuum()
    ///
    /// - Throws: ``StoreError``. No store is damaged then.
    /// - Complexity: O(*n*) in the size of the stores.
    public func vacuum() throws {
        for store in maintainedStores { try store.vacuum() }
    }

    /// Copies the write-ahead logs of the writable stores into their files, as far as other users of the stores allow.
    ///
    /// SQLite checkpoints by itself every ``StoreOptions/walAutocheckpoint`` pages, and when the last process closes a
    /// store. Call this method before you copy a store's file by other means, for example.
    ///
    ///     let result = try container.checkpoint(.truncate)
    ///
    /// - Parameter mode: The kind of checkpoint. It defaults to ``CheckpointMode/passive``.
    /// - Returns: The sums of all stores.
    /// - Throws: ``StoreError/locked(_:waited:doing:)`` if other processes prevent it for longer than the busy timeout,
    ///   or ``StoreError/pinnedQueryGenerations(_:since:doing:)`` if contexts of this container do.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws -> CheckpointResult {
        var sum = CheckpointResult(loggedPages: 0, checkpointedPages: 0)
        for store in maintainedStores {
            let result = try store.checkpoint(mode)
            sum.loggedPages += result.loggedPages
            sum.checkpointedPages += result.checkpointedPages
        }
        return sum
    }
}
