import AshlarSQLite

/// Batch operations, which change any number of rows with one statement or a few. Their use of memory does not depend
/// on the number of rows.
///
/// They take effect in the store immediately, which `batch` in their names indicates. They ignore unsaved changes of
/// the context and do not save them, and a rollback of the context does not undo them. Within
/// ``ModelContext/transaction(_:)``, they are committed or rolled back with the rest. The functions that wait for
/// ``ModelContext/save()`` have names without `batch`: `insert`, `delete`,
/// ``ModelContext/delete(model:where:includeSubclasses:)``.
///
/// Afterwards, this context's objects of changed rows have the new values, with unsaved changes on top. Objects of
/// deleted rows leave the context. Other contexts that merge changes do the same.
extension ModelContext {
    /// Changes columns of all matching rows immediately, with one statement and without loading objects.
    ///
    ///     try context.batchUpdate(Post.where { $0.author == author }) { $0.favorite = true; $0.likes += 1 }
    ///
    /// The model's rules for attributes and required relationships apply: a row that would violate one is an error,
    /// before any row is changed. The rows get new versions, so that saves elsewhere detect the conflict. Derived
    /// attributes, R-trees and foreign keys stay correct. ``ValidatedModel``, ``ManagedObjectLifecycle`` and the counts
    /// of to-many relationships do not apply. Core Data's counterpart is `NSBatchUpdateRequest`.
    ///
    /// - Parameters:
    ///   - descriptor: The rows to change. Its order, limit and offset are respected.
    ///   - assign: Assigns values or computed columns to columns; see ``ColumnAssignments``.
    /// - Returns: The number of changed rows.
    /// - Throws: ``BatchError`` if a rule is violated, ``FetchError`` if the descriptor is invalid, or
    ///   ``StoreError/locked(_:waited:doing:)`` if another process writes too long. Nothing is changed then.
    @discardableResult
    public func batchUpdate<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ assign: (inout ColumnAssignments<Model>) -> Void
    ) throws -> Int {
        try execute(BatchUpdateRequest(descriptor, assign)).count
    }

    /// Deletes all matching rows immediately, without loading objects.
    ///
    ///     let count = try context.batchDelete(Post.where { $0.timestamp < lastYear })
    ///
    /// Deletion rules apply: cascades delete further rows, references become nil, and a denied deletion is an error.
    /// ``ManagedObjectLifecycle`` and the counts of to-many relationships do not apply. To delete single objects with
    /// the next save, use ``delete(_:)``. The counterpart is Core Data's `NSBatchDeleteRequest`, which ignores deletion
    /// rules.
    ///
    /// - Parameter descriptor: The rows to delete. Its order, limit and offset are respected.
    /// - Returns: The number of deleted rows, not counting those that cascades removed.
    /// - Throws: ``BatchError/deletionDenied(entity:relationship:object:)`` or another ``BatchError``, ``FetchError``
    ///   if the descriptor is invalid, or ``StoreError/locked(_:waited:doing:)`` if another process writes too long.
    ///   Nothing is deleted then.
    @discardableResult
    public func batchDelete<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
        try execute(BatchDeleteRequest(descriptor)).count
    }

    /// Performs a batch update with the options of a request.
    ///
    ///     var request = BatchUpdateRequest(Post.all) { $0.isRead = true }
    ///     request.options.chunkSize = 1000
    ///     let result = try context.execute(request)
    ///
    /// - Parameter request: The rows to change, and their new values.
    /// - Returns: The number of changed rows, and their identifiers if requested.
    /// - Throws: The errors of ``batchUpdate(_:_:)``, those of the progress handler, or
    ///   ``BatchError/incomplete(rows:_:)`` if an update in chunks ends early.
    @discardableResult
    public func execute<Model: PersistentModel>(_ request: BatchUpdateRequest<Model>) throws -> BatchResult {
        let entity = Model._ashlarEntity
        let store = try batchStore(of: entity)
        let update = try BatchUpdate(request, container)
        if update.columns.isEmpty { return BatchResult(count: 0, identifiers: nil) }
        let steps = BatchSteps(
            request.descriptor, request.options, isOfSingleRows: update.isOfSingleRows, in: container)
        return try runBatch("updating \(entity.name)", store, [entity.number.root], steps, update.run) { result in
            BatchChanges(
                kind: .update, entity: entity.number, count: result.count, properties: update.properties,
                updatedColumns: update.updatedColumns, roots: [entity.number.root], identifiers: result.identifiers)
        }
    }

    /// Performs a batch deletion with the options of a request.
    ///
    ///     var request = BatchDeleteRequest(Post.where { $0.isDraft })
    ///     request.options.resultType = .identifiers
    ///     let result = try context.execute(request)
    ///
    /// - Parameter request: The rows to delete.
    /// - Returns: The number of deleted rows, and their identifiers if requested.
    /// - Throws: The errors of ``batchDelete(_:)``, those of the progress handler, or
    ///   ``BatchError/incomplete(rows:_:)`` if a deletion in chunks ends early.
    @discardableResult
    public func execute<Model: PersistentModel>(_ request: BatchDeleteRequest<Model>) throws -> BatchResult {
        let entity = Model._ashlarEntity
        let store = try batchStore(of: entity)
        try request.checkIdentifiers(store: container.storeNumber(of: entity.number.root))
        let deletion = BatchDeletion(request, container)
        let steps = BatchSteps(
            request.descriptor, request.options, isOfSingleRows: request.descriptor.isOfSingleRows, in: container)
        return try runBatch("deleting \(entity.name)", store, deletion.plan.roots, steps, deletion.run) { result in
            BatchChanges(
                kind: .delete, entity: entity.number, count: result.count, roots: deletion.plan.roots,
                identifiers: result.identifiers)
        }
    }

    /// Inserts the rows that a closure binds. The closure returns true if it stopped because the transaction is full,
    /// or false after the last rows.
    @usableFromInline
    func insertRows(
        of entity: EntityDescription, _ policy: BatchConflictPolicy, _ options: BatchOptions, totalRowCount: Int?,
        _ insertChunk: (BatchInsertion) throws -> Bool
    ) throws -> BatchResult {
        try throwDeferredError()
        let insertion = try BatchInsertion(entity, container, policy, options, totalRowCount: totalRowCount)
        while try insertRows(by: insertion, insertChunk) {}
        return insertion.result
    }

    /// Inserts rows in one transaction. Returns true if there may be more of them.
    func insertRows(by insertion: BatchInsertion, _ insertChunk: (BatchInsertion) throws -> Bool) throws -> Bool {
        let entity = insertion.entity
        let store = try batchStore(of: entity)
        let before = insertion.result
        var isMore = true
        do {
            try writeBatch("inserting \(entity.name)", store, [entity.number.root]) { connection in
                try insertion.run(connection) {
                    try insertion.recordingHistory(connection) { isMore = try insertChunk(insertion) }
                    try insertion.report()
                }
            }
        } catch  where before.count > 0 {
            throw BatchError.incomplete(rows: before.count, error)
        }
        let written = insertion.written
        didWriteBatch(
            BatchChanges(
                kind: .insert, entity: entity.number, count: written.count, properties: insertion.updatedProperties,
                roots: [entity.number.root], identifiers: written.identifiers))
        return isMore
    }

    // MARK: Transactions

    /// Returns the store that an operation writes. Throws if the store cannot be written.
    private func batchStore(of entity: EntityDescription) throws -> PersistentStore {
        try throwDeferredError()
        guard container.model.contains(entity) else { throw BatchError.entityOfAnotherModel(entity.name) }
        guard let position = container.placement.store(of: entity.number.root) else {
            throw StoreError.entityWithoutStore(entity.name)
        }
        let store = container.stores[position]
        if store.isReadOnly { throw BatchError.readOnly(store.url) }
        return store
    }

    func writeBatch<Result>(
        _ doing: String, _ store: PersistentStore, _ roots: Set<UInt16>, _ body: (Connection) throws -> Result
    ) throws -> Result {
        if activity.isBusy { throw BatchError.busy }
        activity.begin()
        defer { activity.end() }
        let outer = currentTransaction
        let transaction = BatchTransaction(
            container: container, store: store, cancellation: reading.cancellation, outer: outer, roots: roots,
            doing: doing)
        var result: Result?
        try write(to: store.url) { connection in
            try observing(connection) {
                result = try transaction.run(connection) { connection in
                    try noteRowsOfOthers(roots, connection)
                    return try connection.recordingHistory(of: historyOrigin) { try body(connection) }
                }
            }
            if outer == nil { connection.historyDidCommit() }
        }
        // The closure either ran to its end or threw.
        return result.unsafelyUnwrapped
    }

    /// Runs an operation step by step, in one transaction or in one per step.
    private func runBatch<Model: PersistentModel>(
        _ doing: String, _ store: PersistentStore, _ roots: Set<UInt16>, _ steps: BatchSteps<Model>,
        _ run: (Connection, BatchRange) throws -> BatchResult, _ changes: (BatchResult) -> BatchChanges
    ) throws -> BatchResult {
        try steps.check()
        var total = BatchTotal(steps)
        if !steps.commitsEach {
            try writeBatch(doing, store, roots) { connection in
                try total.begin(connection)
                while let range = try total.next(connection) { try total.add(run(connection, range)) }
            }
            didWriteBatch(changes(total.result))
        } else {
            var isMore = true
            while isMore {
                do {
                    let result = try writeBatch(doing, store, roots) { connection in
                        try total.begin(connection)
                        return try total.next(connection).map { try run(connection, $0) }
                    }
                    isMore = result != nil
                    guard let result else { continue }
                    didWriteBatch(changes(result))
                    try total.add(result)
                } catch  where total.result.count > 0 {
                    throw BatchError.incomplete(rows: total.result.count, error)
                }
            }
        }
        return total.result
    }

    /// Merges a committed transaction into this context, and notifies the observers and the other contexts.
    func didWriteBatch(_ changes: BatchChanges) {
        if changes.count == 0 { return }
        mergeOwn(changes)
        guard container.hub.isObserved(besides: subscription.inbox) else { return }
        post(changes.notification(author: author))
    }
}
