extension ModelContainer {
    /// Rebuilds the full-text indexes of the writable stores from the rows of their tables.
    ///
    /// Call it if ``integrityProblems()`` reports that an index is damaged or differs from its table. The rows are read
    /// and stay as they are.
    ///
    ///     if try !container.integrityProblems().isEmpty { try container.rebuildFullTextIndexes() }
    ///
    /// - Throws: ``StoreError``. Each store then has either all of its old indexes or all of its new ones.
    /// - Complexity: The time to create the indexes from scratch, in one transaction for each store.
    public func rebuildFullTextIndexes() throws {
        for store in maintainedStores { try store.rebuildFullTextIndexes(of: model) }
    }
}
