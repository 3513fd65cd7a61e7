import AshlarSQLite

extension ModelContext {
    /// Fetches the values that a projection selects, including the context's unsaved changes.
    ///
    ///     let titles: [String] = try context.fetch(Post.where { $0.likes > 10 }.select { $0.title })
    ///
    /// If unsaved changes are relevant, all matching objects are fetched and the values computed in memory. Groups by
    /// own columns are an exception: the store computes counts, extremes of own columns, and sums and means of whole
    /// numbers, and changes are added.
    ///
    /// - Parameter projection: The values to fetch.
    /// - Throws: ``FetchError`` if a value is neither grouped by nor an aggregate. ``StoreError`` if the store cannot
    ///   be read, or returns an invalid value such as the NULL of a division by zero.
    public func fetch<Model: PersistentModel, Output>(_ projection: Projection<Model, Output>) throws -> [Output] {
        try throwDeferredError()
        try projection.shape.check()
        let entity = Model._ashlarEntity
        let store = container.storeNumber(of: entity.number.root)
        switch try source(of: projection.shape) {
        case .store:
            let sql = try statement(of: projection.shape)
            return try read("fetching values of \(entity.name)") { connection in
                guard let parallel = ParallelAggregates(self, projection.shape, sql) else {
                    return try projection.output(of: sql, connection, store: store)
                }
                var output: [Output] = []
                let rows = try parallel.rows(of: sql, connection) {
                    output = try projection.output(of: sql, connection, store: store)
                }
                guard let rows else { return output }
                return try projection.output(of: projection.shape.result(of: rows), connection, store: store)
            }
        case .parent: return try output(of: projection, try pendingRows(projection.shape, nil))
        case .overlay(let changes): return try output(of: projection, try pendingRows(projection.shape, changes))
        }
    }

    private func output<Model: PersistentModel, Output>(
        of projection: Projection<Model, Output>, _ rows: [ProjectedRow]
    ) throws -> [Output] {
        let entity = Model._ashlarEntity
        let rows = projection.shape.result(of: rows)
        return try read("reading values of \(entity.name)") { connection in
            try projection.output(of: rows, connection, store: container.storeNumber(of: entity.number.root))
        }
    }

    /// Returns the rows of a result that does not come only from the store.
    private func pendingRows<Model: PersistentModel>(
        _ shape: ProjectionShape<Model>, _ changes: OverlaidChanges?
    ) throws -> [ProjectedRow] {
        if let changes, let rows = try PendingGroups(self, shape, changes)?.rows() { return rows }
        var pending = try PendingProjection(self, shape)
        return try pending.rows()
    }

    /// Fetches the first of the values that a projection selects, or returns nil if there are none.
    ///
    ///     let title = try context.fetchFirst(Post.order { $0.likes.descending }.select { $0.title })
    ///
    /// - Parameter projection: The values to fetch.
    /// - Throws: The errors of ``ModelContext/fetch(_:)->[Output]``.
    public func fetchFirst<Model: PersistentModel, Output>(_ projection: Projection<Model, Output>) throws -> Output? {
        try fetch(projection.limit(min(1, projection.shape.descriptor.limit ?? 1))).first
    }
}

extension Projection {
    /// Returns the outputs of the rows of a statement.
    func output(of sql: BoundStatement, _ connection: Connection, store: UInt32) throws -> [Output] {
        try connection.read(sql) { statement in
            try outputs(at: Row(statement: statement.handle, store: store)) { try statement.step() }
        }
    }

    /// Returns the outputs of rows that were computed in memory. They are decoded in the same way as rows of the store.
    func output(of rows: [[SQLiteValue]], _ connection: Connection, store: UInt32) throws -> [Output] {
        let parameters = shape.columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let statement = try connection.statement("SELECT \(parameters)")
        defer { statement.reset() }
        var next = 0
        return try outputs(at: Row(statement: statement.handle, store: store, namesUnsaved: true)) {
            if next == rows.count { return false }
            statement.rewind()
            statement.bind(rows[next])
            next += 1
            return try statement.step()
        }
    }

    /// Returns the outputs of the current row of a statement and of those to which a closure advances it.
    @inline(__always)
    private func outputs(at row: Row, _ advance: () throws -> Bool) throws -> [Output] {
        if let values {
            var outputs = OutputBuffer<Output>()
            while try advance() {
                do throws(RowError) {
                    try outputs.append(row, values)
                } catch {
                    throw invalidResult(error)
                }
            }
            return outputs.array()
        }
        var result: [Output] = []
        while try advance() {
            do throws(RowError) {
                result.append(try decode(row))
            } catch {
                throw invalidResult(error)
            }
        }
        return result
    }

    private func invalidResult(_ error: RowError) -> StoreError {
        let name = shape.columns.indices.contains(Int(error.column)) ? shape.columns[Int(error.column)].name : nil
        return .invalidResult(
            entity: Model._ashlarEntity.name, value: name ?? "value \(error.column + 1)", expected: error.expected)
    }
}
