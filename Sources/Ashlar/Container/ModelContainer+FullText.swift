extension ModelContainer {
    /// Makes the full-text indexes of the stores that can be written anew, from the rows of their tables.
    ///
    /// Do so when ``integrityProblems()`` says that one is damaged, or has other texts than its table. The rows are read
    /// and stay as they are; it takes as long as to make the indexes first, in one transaction for each store.
    ///
    /// - Throws: ``StoreError``. Each store is as it was then, or has all of its indexes anew.
    public func rebuildFullTextIndexes() throws {
        for store in maintainedStores { try store.rebuildFullTextIndexes(of: model) }
    }
}
