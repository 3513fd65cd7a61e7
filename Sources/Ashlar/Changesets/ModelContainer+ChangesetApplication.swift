import AshlarSQLite
package import SystemFoundation

extension ModelContainer {
    /// Applies the changes of another store to this one, in one transaction: all of them, or none.
    ///
    ///     try container.apply(changes, author: "sync", conflictsWith: .fetchHistory(after: lastSync).by(excluding: ["sync"])) {
    ///         conflict in conflict.kind == .data ? .replace : .omit
    ///     }
    ///
    /// The store's history, where it is on, has them as a transaction of the author. Contexts that merge what others save
    /// merge them, and saves of objects that were changed so conflict as with those of another context. Deletion rules
    /// that the store keeps apply to what refers to deleted rows.
    ///
    /// - Parameters:
    ///   - changeset: What ``changeset(_:)`` of another store made, or a program with SQLite's session extension.
    ///   - author: The author in this store's history.
    ///   - conflictsWith: What this store changed since it last had what the other had: an update of the same columns of
    ///     a row, or of a row that is deleted, is a ``ChangesetConflict/Kind/data``. A patchset does not say what rows
    ///     held before, so that without this only the store's rows that are missing or there already are conflicts.
    ///   - resolvingConflicts: Says what to do about a change that does not fit. It must not use the store.
    /// - Throws: ``ChangesetError``, ``HistoryError``, ``StoreError``, or what the closure throws. Nothing is applied then.
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

    /// Writes rows in one transaction, and tells of them as of a save.
    package func writeChanges<Result>(
        _ doing: String, _ author: String?, to store: PersistentStore,
        _ body: (Connection) throws -> (Result, ChangedObjects)
    ) throws -> Result {
        let (result, changes) = try store.write(doing) { connection in
            let result = try connection.transactionWithFiles(writing: store) { try body(connection) }
            connection.historyDidCommit()
            return result
        }
        hub.post(
            ContextNotification(
                kind: .didSave, insertedIdentifiers: changes.inserted, updatedIdentifiers: changes.updated,
                deletedIdentifiers: changes.deleted, refreshedIdentifiers: [], invalidatedAllIdentifiers: false,
                author: author), from: nil)
        return result
    }
}

extension Connection {
    /// Runs a transaction that may put values into files of their own, which go with it where it is undone.
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

    /// What a column holds of a value that the model allows to be in a file of its own: a reference to its file, or the value where
    /// it is small. There is a transaction of ``ModelContainer/writeChanges(_:_:to:_:)``.
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

/// The objects that were changed beside all contexts.
package struct ChangedObjects {
    package var inserted: [PersistentIdentifier] = []
    package var updated: [PersistentIdentifier] = []
    package var deleted: [PersistentIdentifier] = []

    package init() {}

    init(inserted: [PersistentIdentifier], updated: [PersistentIdentifier], deleted: [PersistentIdentifier]) {
        (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
    }
}

extension ChangesetApplication {
    /// Each object once, by what became of it last.
    var changes: ChangedObjects {
        let deletedOnes = Set(deleted)
        let insertedOnes = Set(inserted).subtracting(deletedOnes)
        let updatedOnes = Set(updated).subtracting(deletedOnes).subtracting(insertedOnes)
        return ChangedObjects(
            inserted: insertedOnes.sorted(), updated: updatedOnes.sorted(), deleted: deletedOnes.sorted())
    }
}
