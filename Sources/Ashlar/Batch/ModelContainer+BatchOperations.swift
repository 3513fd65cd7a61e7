/// Batch operations off the caller's thread, on any task.
///
/// When the task is cancelled, SQLite stops, what the transaction did is undone, and `CancellationError` is thrown.
extension ModelContainer {
    /// Changes columns of all rows that a descriptor asks for, and returns how many there are:
    /// ``ModelContext/batchUpdate(_:_:)``.
    ///
    /// - Throws: `CancellationError`; as ``ModelContext/batchUpdate(_:_:)``.
    @discardableResult
    public func batchUpdate<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, author: String? = nil,
        _ assign: (inout ColumnAssignments<Model>) -> Void
    ) async throws -> Int {
        try await execute(BatchUpdateRequest(descriptor, assign), author: author).count
    }

    /// Deletes all rows that a descriptor asks for, and returns how many there are.
    ///
    /// - Throws: `CancellationError`; as ``ModelContext/execute(_:)-(BatchDeleteRequest<Model>)``.
    @discardableResult
    public func batchDelete<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, author: String? = nil
    ) async throws -> Int {
        try await execute(BatchDeleteRequest(descriptor), author: author).count
    }

    /// Carries out a batch update.
    ///
    /// - Parameters:
    ///   - request: What is to be done to which rows.
    ///   - author: Who makes the changes, for those who are told of them.
    /// - Throws: `CancellationError`; as ``ModelContext/execute(_:)-(BatchUpdateRequest<Model>)``.
    @discardableResult
    public func execute<Model: PersistentModel>(
        _ request: BatchUpdateRequest<Model>, author: String? = nil
    ) async throws -> BatchResult {
        try await reading { context in
            context.author = author
            return try context.execute(request)
        }
    }

    /// Carries out a batch deletion.
    ///
    /// - Parameters:
    ///   - request: What is to be done to which rows.
    ///   - author: Who makes the changes, for those who are told of them.
    /// - Throws: `CancellationError`; as ``ModelContext/execute(_:)-(BatchDeleteRequest<Model>)``.
    @discardableResult
    public func execute<Model: PersistentModel>(
        _ request: BatchDeleteRequest<Model>, author: String? = nil
    ) async throws -> BatchResult {
        try await reading { context in
            context.author = author
            return try context.execute(request)
        }
    }

    /// Inserts rows, given as values structs: ``ModelContext/batchInsert(contentsOf:onConflict:options:)``.
    ///
    /// - Parameters:
    ///   - values: The rows, one after the other.
    ///   - policy: What becomes of a row whose unique values are there already.
    ///   - options: How the insertion is carried out, and what it returns.
    ///   - author: Who makes the changes, for those who are told of them.
    /// - Throws: `CancellationError`; as ``ModelContext/batchInsert(contentsOf:onConflict:options:)``.
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

    /// Inserts the rows of an asynchronous sequence, as they come.
    ///
    ///     try await container.batchInsert(contentsOf: response.lines.map { try Post.Values(line: $0) })
    ///
    /// Nobody waits while a row is waited for: the rows are gathered in memory, and written when there are as many as
    /// ``BatchOptions/chunkSize`` says, or when the sequence ends. Without chunks it is all or nothing, which takes memory
    /// for all of the rows, and a sequence that never ends is never written. With chunks, each is in the store as soon as
    /// its last row came, and stays there when the sequence, or a later row, fails. The sequence may write the store itself.
    ///
    /// - Parameters:
    ///   - values: The rows, one after the other.
    ///   - policy: What becomes of a row whose unique values are there already.
    ///   - options: How the insertion is carried out, and what it returns.
    ///   - author: Who makes the changes, for those who are told of them.
    ///   - isolation: The actor that the sequence is read on: the caller's.
    /// - Throws: `CancellationError`; what the sequence throws; as ``ModelContext/batchInsert(contentsOf:onConflict:options:)``.
    ///   Once a chunk is written, ``BatchError/incomplete(rows:_:)`` with any of them.
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
            // A stream of a cancelled task ends like any other.
            try Task.checkCancellation()
        } catch let error as BatchError {
            throw error
        } catch {
            throw insertion.error(error)
        }
        return try await insertion.write(isLast: true)
    }
}
