import AshlarSQLite

extension ModelContext {
    /// Inserts rows from values structs immediately, in one transaction. It is the fastest way to fill a store.
    ///
    ///     try context.batchInsert(contentsOf: photos.lazy.map { Post.Values(timestamp: $0.date, title: $0.name) })
    ///     try context.batchInsert(contentsOf: authors, onConflict: .update(uniqueBy: ["name"], setting: ["city"]))
    ///
    /// The context's unsaved changes are not affected. The model's rules for attributes and required relationships
    /// apply, and so do foreign keys. Defaults are those of the values struct. ``ValidatedModel``,
    /// ``ManagedObjectLifecycle`` and the counts of to-many relationships do not apply. To relate rows, set the to-one
    /// side. Core Data's counterpart is `NSBatchInsertRequest`.
    ///
    /// - Parameters:
    ///   - values: The rows, such as an array, a lazy sequence, or `sequence(state:next:)`. The sequence must not write
    ///     to the store, nor read a store in memory.
    ///   - policy: The policy for rows whose unique values exist already. It defaults to an error.
    /// - Returns: The number of inserted objects, plus those that the policy changed, each counted once.
    /// - Throws: ``BatchError`` with the position of the row, errors of the sequence, or
    ///   ``StoreError/locked(_:waited:doing:)`` if another process writes too long. Nothing is inserted then.
    /// - Complexity: O(*n*) in the number of rows, with constant memory for a lazy sequence.
    @inlinable
    @discardableResult
    public func batchInsert<Values: EntityValues>(
        contentsOf values: some Sequence<Values>, onConflict policy: BatchConflictPolicy = .error
    ) throws -> Int {
        try batchInsert(contentsOf: values, onConflict: policy, options: BatchOptions()).count
    }

    /// Inserts rows from values structs immediately, with options.
    ///
    ///     let options = BatchOptions(resultType: .identifiers)
    ///     let result = try context.batchInsert(contentsOf: authors, options: options)
    ///
    /// - Parameters:
    ///   - values: The rows, as in ``batchInsert(contentsOf:onConflict:)``.
    ///   - policy: The policy for rows whose unique values exist already.
    ///   - options: The options of the operation.
    /// - Returns: The number of inserted or changed objects, and their identifiers if requested.
    /// - Throws: The errors of ``batchInsert(contentsOf:onConflict:)``, those of the progress handler, or
    ///   ``BatchError/incomplete(rows:_:)`` if an insertion in chunks ends early.
    @inlinable
    @discardableResult
    public func batchInsert<Values: EntityValues>(
        contentsOf values: some Sequence<Values>, onConflict policy: BatchConflictPolicy = .error, options: BatchOptions
    ) throws -> BatchResult {
        var iterator = values.makeIterator()
        // To count other sequences, one might have to iterate over them.
        let count = (values as? any RandomAccessCollection)?.count
        return try insertRows(of: Values.entityDescription, policy, options, totalRowCount: count) { insertion in
            try insertion.insertChunk(of: &iterator)
        }
    }
}

extension EntityValues {
    /// The entity whose rows the values are.
    @usableFromInline static var entityDescription: EntityDescription { _AshlarModel._ashlarEntity }
}

extension BatchInsertion {
    /// Inserts rows until the chunk is full. Returns false if there are no more.
    @inlinable
    func insertChunk<Iterator: IteratorProtocol>(
        of iterator: inout Iterator
    ) throws -> Bool where Iterator.Element: EntityValues {
        var rows: ContiguousArray<Iterator.Element> = []
        rows.reserveCapacity(rowsPerStatement)
        while true {
            let room = room
            if room < 1 { return true }
            rows.removeAll(keepingCapacity: true)
            while rows.count < room, let row = iterator.next() { rows.append(row) }
            if rows.isEmpty { return false }
            try rows.withUnsafeBytes { memory in
                try insert(memory.baseAddress, count: rows.count, stride: MemoryLayout<Iterator.Element>.stride)
            }
        }
    }

    /// Inserts rows whose values structs are adjacent in memory.
    @usableFromInline
    func insert(_ values: UnsafeRawPointer?, count: Int, stride: Int) throws {
        guard let base = values else { return }
        let layout = entity.layout
        if checksValues {
            for index in 0..<count {
                try check(index) { layout.sqliteValue($0, in: base + index * stride) }
            }
        }
        var inserted = 0
        if count == rowsPerStatement {
            let statement = try statement(rows: count)
            for index in 0..<count {
                beginRow(index, statement)
                layout.bindRow(base + index * stride, to: statement)
            }
            inserted = try insert(count, statement)
        }
        // The last rows, and those of a statement that was refused, are inserted one at a time, which shows the invalid
        // one.
        for index in inserted..<count {
            let statement = try statement(rows: 1)
            beginRow(0, statement)
            layout.bindRow(base + index * stride, to: statement)
            if statement.bindingError is NotANumber { try refuseNaN(base + index * stride, statement) }
            _ = try insert(1, statement)
        }
        try checkRefusal()
    }
}
