import AshlarSQLite

extension ModelContext {
    /// Inserts rows, given as values structs, in one transaction: the fastest way to fill a store.
    ///
    ///     try context.batchInsert(contentsOf: photos.lazy.map { Post.Values(timestamp: $0.date, title: $0.name) })
    ///     try context.batchInsert(contentsOf: authors, onConflict: .update(uniqueBy: ["name"], setting: ["city"]))
    ///
    /// Memory does not depend on the number of rows, as each is asked of the sequence when it is its turn. The rows are in
    /// the store at once; unsaved changes of the context are not touched. Rules of the model for attributes and required
    /// relationships hold, foreign keys too, and defaults are those of the values struct. What an object would do is not
    /// done: ``ValidatedModel``, ``ManagedObjectLifecycle``, and the counts that the model sets for to-many relationships.
    /// Those have no values; set the to-one relationship at the other end. Core Data's `NSBatchInsertRequest`.
    ///
    /// - Parameters:
    ///   - values: The rows, such as an array, a lazy sequence, or `sequence(state:next:)`. It must not write the store,
    ///     nor read one that is in memory.
    ///   - policy: What becomes of a row whose unique values another has.
    /// - Returns: How many objects were inserted, or changed by the policy, each counted once.
    /// - Throws: ``BatchError``, with the place of the row among the values; what the progress handler or the sequence
    ///   throws; ``StoreError/locked(_:waited:doing:)``. Nothing is inserted then.
    @inlinable
    @discardableResult
    public func batchInsert<Values: EntityValues>(
        contentsOf values: some Sequence<Values>, onConflict policy: BatchConflictPolicy = .error
    ) throws -> Int {
        try batchInsert(contentsOf: values, onConflict: policy, options: BatchOptions()).count
    }

    /// Inserts rows, given as values structs, with options.
    ///
    /// - Throws: As ``batchInsert(contentsOf:onConflict:)``; ``BatchError/incomplete(rows:_:)`` where an error ends an insertion
    ///   in chunks.
    @inlinable
    @discardableResult
    public func batchInsert<Values: EntityValues>(
        contentsOf values: some Sequence<Values>, onConflict policy: BatchConflictPolicy = .error, options: BatchOptions
    ) throws -> BatchResult {
        var iterator = values.makeIterator()
        // Other sequences may have to be walked to be counted.
        let count = (values as? any RandomAccessCollection)?.count
        return try insertRows(of: Values.entityDescription, policy, options, totalRowCount: count) { insertion in
            try insertion.insertChunk(of: &iterator)
        }
    }
}

extension EntityValues {
    /// The entity whose rows these are.
    @usableFromInline static var entityDescription: EntityDescription { _AshlarModel._ashlarEntity }
}

extension BatchInsertion {
    /// Inserts rows until the chunk is full; false when there are no more.
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

    /// Inserts rows whose values structs lie one after the other.
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
        // The last rows, and those of which one was refused: one at a time says which.
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
