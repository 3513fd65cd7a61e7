extension ModelContainer {
    /// What is wrong with the stores: pages, indexes and values that SQLite finds damaged, at most 100 of them, rows that
    /// refer to missing ones, rows that share the one object of a one-to-one relationship, full-text indexes that are damaged or have other texts than their tables, and files of large
    /// values that are missing or have another length than they had, at most 100 of them. Empty for sound stores.
    /// ``rebuildFullTextIndexes()`` mends full-text indexes.
    ///
    /// It reads all of them. With SQLite before 3.44, nobody else can write while full-text indexes are looked at.
    ///
    /// - Throws: ``StoreError`` when one cannot be read at all.
    public func integrityProblems() throws -> [String] {
        try stores.flatMap { try $0.integrityProblems() }
    }

    /// The stores that can be written; of a container that cannot be saved all, so that they say so.
    var maintainedStores: [PersistentStore] { isReadOnly ? stores : stores.filter { !$0.isReadOnly } }

    /// Writes the stores that can be written anew without the room that deleted rows left. Each needs twice its size on
    /// the volume for a while, and nobody else can write it meanwhile.
    ///
    /// - Throws: ``StoreError``. Each store is whole then.
    public func vacuum() throws {
        for store in maintainedStores { try store.vacuum() }
    }

    /// Copies the write-ahead logs of the stores that can be written into their files, as far as those that use the
    /// stores allow it.
    ///
    /// SQLite does that itself every ``StoreOptions/walAutocheckpoint`` pages, and when the last process closes a store;
    /// do it before a file is copied by other means, say.
    ///
    /// - Returns: The sums of all stores.
    /// - Throws: ``StoreError/locked(_:waited:doing:)`` when others did not allow it within the busy timeout, and
    ///   ``StoreError/pinnedQueryGenerations(_:since:doing:)`` when contexts of this container did not.
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
