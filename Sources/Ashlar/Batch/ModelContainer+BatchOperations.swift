/// Batch operations off the caller's thread, on any task.
///
/// When the task is cancelled, SQLite stops, what the transaction did is undone, and `CancellationError` is thrown.
extension ModelContainer {
    /// Changes columns of all rows that a descriptor asks for, and returns how many there are:
    /// ``ModelContext/update(_:_:)``.
    ///
    /// - Throws: `CancellationError`; as ``ModelContext/update(_:_:)``.
    @discardableResult
    public func update<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, author: String? = nil,
        _ assign: (inout ColumnAssignments<Model>) -> Void
    ) async throws -> Int {
        try await execute(BatchUpdateRequest(descriptor, assign), author: author).count
    }

    /// Deletes all rows that a descriptor asks for, and returns how many there are.
    ///
    /// - Throws: `CancellationError`; as ``ModelContext/execute(_:)-(BatchDeleteRequest<Model>)``.
    @discardableResult
    public func delete<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, author: String? = nil
    ) async throws -> Int {
        try await execute(BatchDeleteRequest(descriptor), author: author).count
    }

    /// Carries out a batch update.
    ///
    /// - Parameter author: Who makes the changes, for those who are told of them.
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
    /// - Parameter author: Who makes the changes, for those who are told of them.
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

    /// Inserts rows, given as values structs: ``ModelContext/insert(contentsOf:onConflict:options:)``.
    ///
    /// - Parameter author: Who makes the changes, for those who are told of them.
    /// - Throws: `CancellationError`; as ``ModelContext/insert(contentsOf:onConflict:options:)``.
    @discardableResult
    public func insert<Values: EntityValues>(
        contentsOf values: some Sequence<Values> & Sendable, onConflict policy: BatchConflictPolicy = .error,
        options: BatchOptions = BatchOptions(), author: String? = nil
    ) async throws -> BatchResult {
        try await reading { context in
            context.author = author
            return try context.insert(contentsOf: values, onConflict: policy, options: options)
        }
    }

    /// Inserts the rows of an asynchronous sequence, as they come.
    ///
    ///     try await container.insert(contentsOf: response.lines.map { try Post.Values($0) })
    ///
    /// They are inserted in one transaction, during which nobody else can write: where the sequence is slow, divide it
    /// into chunks with ``BatchOptions/chunkSize``. The sequence is read no faster than its rows are inserted. It must not
    /// write the store itself, nor read one that is in memory.
    ///
    /// - Parameter author: Who makes the changes, for those who are told of them.
    /// - Throws: `CancellationError`; what the sequence throws; as ``ModelContext/insert(contentsOf:onConflict:options:)``.
    @discardableResult
    public func insert<Rows: AsyncSequence>(
        contentsOf values: Rows, onConflict policy: BatchConflictPolicy = .error,
        options: BatchOptions = BatchOptions(), author: String? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> BatchResult where Rows.Element: EntityValues {
        let channel = BatchChannel<Rows.Element>()
        let inserting = Task {
            try await reading { context in
                context.author = author
                defer { channel.stop() }
                return try context.insert(
                    contentsOf: channel, onConflict: policy, options: options, check: channel.check)
            }
        }
        return try await withTaskCancellationHandler {
            do {
                var buffer: [Rows.Element] = []
                for try await row in values {
                    buffer.append(row)
                    if buffer.count < BatchChannel<Rows.Element>.bufferSize { continue }
                    guard await channel.send(buffer) else { break }
                    buffer.removeAll(keepingCapacity: true)
                }
                _ = await channel.send(buffer)
                channel.finish(nil)
            } catch {
                channel.finish(error)
            }
            return try await inserting.value
        } onCancel: {
            inserting.cancel()
            channel.finish(CancellationError())
        }
    }
}

extension ModelContext {
    /// Inserts rows as ``insert(contentsOf:onConflict:options:)`` does, and asks at the end of each transaction whether it
    /// may be committed.
    func insert<Values: EntityValues>(
        contentsOf values: some Sequence<Values>, onConflict policy: BatchConflictPolicy, options: BatchOptions,
        check: () throws -> Void
    ) throws -> BatchResult {
        var iterator = values.makeIterator()
        return try insertRows(of: Values._AshlarModel._ashlarEntity, policy, options) { insertion in
            let isMore = try insertion.insertChunk(of: &iterator)
            try check()
            return isMore
        }
    }
}
