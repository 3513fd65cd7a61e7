extension PersistentHistoryTransaction {
    /// Returns a notification with which contexts merge the changes of this transaction.
    ///
    ///     for transaction in try container.fetchHistory(.fetchHistory(after: token)) {
    ///         try context.mergeChanges(from: transaction.objectIDNotification())
    ///     }
    ///
    /// It contains the changes that the history request selected. Core Data has a method of the same name.
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
