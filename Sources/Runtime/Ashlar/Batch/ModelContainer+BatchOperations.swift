/// Batch operations off the caller's thread, on any task.
///
/// If the task is cancelled, SQLite stops, the transaction is rolled back, and the function throws `CancellationError`.
extension ModelContainer {
    /// Changes columns of all matching rows immediately, off the caller's thread.
    ///
    /// See ``ModelContext/batchUpdate(_:_:)``.
    ///
    ///     let count = try await container.batchUpdate(Post.where { $0.isDraft }) { $0.isRead = true }
    ///
    /// - Parameters:
    ///   - descriptor: The rows to change.
    ///   - author: The author of the changes, for observers and the history.
    ///   - assign: Assigns values or computed columns to columns.
    /// - Returns: The number of changed rows.
    /// - Throws: `CancellationError`, and the errors of ``ModelContext/batchUpdate(_:_:)``.
    @discardableResult
    public func batchUpdate<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, author: String? = nil,
        _ assign: (inout ColumnAssignments<Model>) -> Void
    ) async throws -> Int {
        try await execute(BatchUpdateRequest(descriptor, assign), author: author).count
    }

    /// Deletes all matching rows immediately, off the caller's thread.
    ///
    /// See ``ModelContext/batchDelete(_:)``.
    ///
    ///     let count = try await container.batchDelete(Post.where { $0.timestamp < lastYear })
    ///
    /// - Parameters:
    ///   - descriptor: The rows to delete.
    ///   - author: The author of the changes, for observers and the history.
    /// - Returns: The number of deleted rows, not counting those that cascades removed.
    /// - Throws: `CancellationError`, and the errors of ``ModelContext/execute(_:)-(BatchDeleteRequest<Model>)``.
    @discardableResult
    public func batchDelete<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, author: String? = nil
    ) async throws -> Int {
        try await execute(BatchDeleteRequest(descriptor), author: author).count
    }

    /// Performs a batch update off the caller's thread.
    ///
    ///     let request = BatchUpdateRequest(Post.where { $0.isDraft }) { $0.isRead = true }
    ///     let result = try await container.execute(request)
    ///
    /// - Parameters:
    ///   - request: The rows to change, and their new values.
    ///   - author: The author of the changes, for observers and the history.
    /// - Returns: The number of changed rows, and their identifiers if requested.
    /// - Throws: `CancellationError`, and the errors of ``ModelContext/execute(_:)-(BatchUpdateRequest<Model>)``.
    @discardableResult
    public func execute<Model: PersistentModel>(
        _ request: BatchUpdateRequest<Model>, author: String? = nil
    ) async throws -> BatchResult {
        try await reading { context in
            context.author = author
            return try context.execute(request)
        }
    }

    /// Performs a batch deletion off the caller's thread.
    ///
    ///     let result = try await container.execute(BatchDeleteRequest(Post.where { $0.isDraft }))
    ///
    /// - Parameters:
    ///   - request: The rows to delete.
    ///   - author: The author of the changes, for observers and the history.
    /// - Returns: The number of deleted rows, and their identifiers if requested.
    /// - Throws: `CancellationError`, and the errors of ``ModelContext/execute(_:)-(BatchDeleteRequest<Model>)``.
    @discardableResult
    public func execute<Model: PersistentModel>(
        _ request: BatchDeleteRequest<Model>, author: String? = nil
    ) async throws -> BatchResult {
        try await reading { context in
            context.author = author
            return try context.execute(request)
        }
    }

    /// Inserts rows from values structs, off the caller's thread.
    ///
    /// See ``ModelContext/batchInsert(contentsOf:onConflict:options:)``.
    ///
    ///     try await container.batchInsert(contentsOf: authors, onConflict: .ignore)
    ///
    /// - Parameters:
    ///   - values: The rows.
    ///   - policy: The policy for rows whose unique values exist already.
    ///   - options: The options of the operation.
    ///   - author: The author of the changes, for observers and the history.
    /// - Returns: The number of inserted or changed objects, and their identifiers if requested.
    /// - Throws: `CancellationError`, and the errors of ``ModelContext/batchInsert(contentsOf:onConflict:options:)``.
    @discardableResult
    public func batchInsert<Values: EntityValues>(
        contentsOf values: some Sequence<Values> & Sendable, onConflict policy: BatchConflictPolicy = .error,
        options: BatchOptions = BatchOptions(), author: String? = nil
    ) async throws -> BatchResult {
        try await reading { context in
            context.author = author
            return try context.batchInsert(contentsOf: values, onConflict: policy, options: options)
        }
    }

    /// Inserts the rows of an asynchronous sequence as they arrive.
    ///
    ///     try await container.batchInsert(contentsOf: response.lines.map { try Post.Values(line: $0) })
    ///
    /// The store is free for others while the sequence waits. Rows are collected in memory, and written when
    /// ``BatchOptions/chunkSize`` rows are there, or when the sequence ends. Without chunks, all rows are in memory and
    /// all or none are inserted; an endless sequence is never written. With chunks, each is committed after its last
    /// row arrives, and stays if the sequence or a later row fails. The sequence may write to the store itself.
    ///
    /// - Parameters:
    ///   - values: The rows.
    ///   - policy: The policy for rows whose unique values exist already.
    ///   - options: The options of the operation.
    ///   - author: The author of the changes, for observers and the history.
    ///   - isolation: The actor that iterates over the sequence. It defaults to the caller's.
    /// - Returns: The number of inserted or changed objects, and their identifiers if requested.
    /// - Throws: `CancellationError`, errors of the sequence, and those of
    ///   ``ModelContext/batchInsert(contentsOf:onConflict:options:)``. After the first chunk,
    ///   ``BatchError/incomplete(rows:_:)`` with one of these.
    @discardableResult
    public func batchInsert<Rows: AsyncSequence>(
        contentsOf values: Rows, onConflict policy: BatchConflictPolicy = .error,
        options: BatchOptions = BatchOptions(), author: String? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> BatchResult where Rows.Element: EntityValues {
        let insertion = try SequenceInsertion<Rows.Element>(self, policy, options, author)
        do {
            for try await row in values {
                guard insertion.add(row) else { continue }
                try await insertion.write(isLast: false)
            }
            // An asynchronous stream ends normally if its task is cancelled.
            try Task.checkCancellation()
        } catch let error as BatchError {
            throw error
        } catch {
            throw insertion.error(error)
        }
        return try await insertion.write(isLast: true)
    }
}
