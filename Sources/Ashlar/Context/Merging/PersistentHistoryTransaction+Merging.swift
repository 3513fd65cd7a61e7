extension PersistentHistoryTransaction {
    /// What a context merges, to have what this transaction changed.
    ///
    ///     for transaction in try container.fetchHistory(.fetchHistory(after: token)) {
    ///         try context.mergeChanges(from: transaction.objectIDNotification())
    ///     }
    ///
    /// It holds the changes that the fetch asked for. Core Data's method of the same name.
    public func objectIDNotification() -> ContextNotification {
        func identifiers(_ type: PersistentHistoryChange.ChangeType) -> [PersistentIdentifier] {
            changes.lazy.filter { $0.changeType == type }.map(\.changedObjectID)
        }
        return ContextNotification(
            kind: .didSave, insertedIdentifiers: identifiers(.insert), updatedIdentifiers: identifiers(.update),
            deletedIdentifiers: identifiers(.delete), refreshedIdentifiers: [], invalidatedAllIdentifiers: false,
            author: author)
    }
}
