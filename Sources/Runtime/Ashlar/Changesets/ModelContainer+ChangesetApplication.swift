import AshlarSQLite
package import SystemFoundation

extension ModelContainer {
    /// Applies the changes of another store in one transaction.
    ///
    ///     let since = PersistentHistoryChangeRequest.fetchHistory(after: lastSync).by(excluding: ["sync"])
    ///     try container.apply(changes, author: "sync", conflictsWith: since) {
    ///         conflict in conflict.kind == .data ? .replace : .omit
    ///     }
    ///
    /// The history records the changes as a transaction of the author. Contexts merge them, and detect conflicts, as
    /// with saves of another context. Deletion rules of the store apply to references to deleted rows.
    ///
    /// - Parameters:
    ///   - changeset: A changeset of ``changeset(_:)``, or of a program with SQLite's session extension.
    ///   - author: The author of the transaction in the history.
    ///   - conflictsWith: The changes of this store since the last exchange. An update of the same columns of a row, or
    ///     of a deleted row, is then a ``ChangesetConflict/Kind/data``. Without it, only missing and existing rows are
    ///     conflicts, because a patchset has no old values.
    ///   - resolvingConflicts: Resolves a conflict; it must not use the store. It defaults to
    ///     ``ChangesetConflict/Resolution/abort``.
    /// - Throws: ``ChangesetError``, ``HistoryError``, ``StoreError``, or the closure's error. Nothing is applied then.
    public func apply(
        _ changeset: Changeset, author: String? = nil, conflictsWith: PersistentHistoryChangeRequest? = nil,
        resolvingConflicts: @escaping (ChangesetConflict) throws -> ChangesetConflict.Resolution = { _ in .abort }
    ) throws {
        try requireOneStore("applying a changeset")
        try writeChanges("applying a changeset", author, to: stores[0]) { connection in
            try connection.recordingHistory(of: HistoryOrigin(author: author)) {
                let own = try conflictsWith.map { try HistoryReader(connection, self, stores[0]).net($0) }
                let application = ChangesetApplication(self, connection, own: own ?? HistoryNet(), resolvingConflicts)
                try application.apply(changeset)
                return ((), application.changes)
            }
        }
    }

    /// Writes rows in one transaction, and notifies contexts as after a save.
    package func writeChanges<Result>(
        _ doing: String, _ author: String?, to store: PersistentStore,
        _ body: (Connection) throws -> (Result, ChangedObjects)
    ) throws -> Result {
        let (result, changes) = try store.write(doing) { connection in
            let result = try connection.transactionWithFiles(writing: store) { try body(connection) }
            connection.historyDidCommit()
            return result
        }
        hub.renumber(
            changes.renumbered.map { (RowKey(root: $0.identifier.number.root, rowID: $0.identifier.rowID), $0.rowID) })
        hub.post(
            ContextNotification(
                kind: .didSave, insertedIdentifiers: changes.inserted, updatedIdentifiers: changes.updated,
                deletedIdentifiers: changes.deleted, refreshedIdentifiers: [], invalidatedAllIdentifiers: false,
                author: author), from: nil)
        return result
    }
}

extension Connection {
    /// Runs a transaction that may write values to separate files, which are deleted if it is rolled back.
    fileprivate func transactionWithFiles<Result>(
        writing store: PersistentStore, _ body: () throws -> Result
    ) throws -> Result {
        guard let files = state.externalData else { return try transaction(writing: store, body) }
        var isCommitting = false
        try begin(writing: store.schemaName)
        do {
            let result = try body()
            try files.synchronize()
            isCommitting = true
            try execute("COMMIT")
            files.finish(self)
            return result
        } catch {
            let isOpen = !isInAutocommit
            defer { files.rollBack(isCertain: isOpen || !isCommitting) }
            try? rollBack()
            throw error
        }
    }

    /// Returns the stored form of a value that may be in a separate file: a reference to its file, or a small value
    /// itself. It requires a transaction of ``ModelContainer/writeChanges(_:_:to:_:)``.
    ///
    /// - Parameter value: The value without a tag.
    /// - Throws: ``ExternalDataError``.
    package func placed(_ value: Data) throws -> Data {
        guard let files = state.externalData else { return value }
        let reference = try files.write(value)
        files.confirm()
        return reference ?? value
    }
}

/// The objects that were changed outside of contexts.
package struct ChangedObjects {
    package var inserted: [PersistentIdentifier] = []
    package var updated: [PersistentIdentifier] = []
    package var deleted: [PersistentIdentifier] = []
    /// The objects that got another number or were merged into another object, in the order of these changes.
    package var renumbered: [(identifier: PersistentIdentifier, rowID: Int64)] = []

    package init() {}

    init(inserted: [PersistentIdentifier], updated: [PersistentIdentifier], deleted: [PersistentIdentifier]) {
        (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
    }
}

extension ChangesetApplication {
    /// The changed objects, each once, by its last change.
    var changes: ChangedObjects {
        let deletedOnes = Set(deleted)
        let insertedOnes = Set(inserted).subtracting(deletedOnes)
        let updatedOnes = Set(updated).subtracting(deletedOnes).subtracting(insertedOnes)
        return ChangedObjects(
            inserted: insertedOnes.sorted(), updated: updatedOnes.sorted(), deleted: deletedOnes.sorted())
    }
}
