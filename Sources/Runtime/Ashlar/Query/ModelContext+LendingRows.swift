import AshlarSQLite

extension ModelContext {
    /// Calls a closure for each row that matches a descriptor, without copying texts and blobs.
    ///
    /// Use it to sum up, search or export rows without keeping them. The row is valid only during the call. The rows
    /// are those of ``fetchValues(_:)``, in the same order and from one state of the store.
    ///
    ///     var length = 0
    ///     try context.forEachRow(Post.all) { row in length += try row.utf8(\.title).count }
    ///
    /// The closure may use this context to fetch, change and save. Meanwhile the write-ahead log is not reset. With a
    /// store in memory, and in a transaction, all work uses one connection. With a store in memory, a save throws
    /// ``StoreError/nestedWriting(_:)``. Properties that the closure does not read are not checked.
    ///
    /// - Parameters:
    ///   - descriptor: The rows and their order.
    ///   - body: The closure to call with each row.
    /// - Throws: The closure's error. ``FetchError`` if the descriptor is invalid. ``StoreError`` if the store cannot
    ///   be read, or the closure reads an invalid value.
    public func forEachRow<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ body: (borrowing RowView<Model.Values>) throws -> Void
    ) throws {
        try lendRows(descriptor, Model.Values.layout) { lender in try body(RowView<Model.Values>(lender)) }
    }

    /// Calls a closure for each row that matches a descriptor, with the properties of a subentity.
    ///
    /// Use it as `forEachRow(Article.all, as: Article.Values.self) { … }`, because a class inherits the values struct
    /// of its root.
    ///
    /// - Parameters:
    ///   - descriptor: The rows and their order.
    ///   - type: The values struct of the subentity.
    ///   - body: The closure to call with each row.
    /// - Throws: The errors of ``forEachRow(_:_:)``.
    public func forEachRow<Model: PersistentModel, Values: EntityValues>(
        _ descriptor: FetchDescriptor<Model>, as type: Values.Type,
        _ body: (borrowing RowView<Values>) throws -> Void
    ) throws where Values._AshlarModel == Model {
        try lendRows(descriptor, Values.layout) { lender in try body(RowView<Values>(lender)) }
    }

    private func lendRows<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ layout: ValuesLayout, _ body: (RowLender) throws -> Void
    ) throws {
        try throwDeferredError()
        let sql = try statement(
            of: descriptor, selecting: Model._ashlarEntity.selectedColumns, limit: descriptor.fetchLimit,
            offset: descriptor.fetchOffset)
        try lendRows(of: Model._ashlarEntity, sql, layout, body)
    }

    /// Lends each row of a statement to a closure.
    func lendRows(
        of entity: EntityDescription, _ sql: BoundStatement, _ layout: ValuesLayout,
        _ body: (RowLender) throws -> Void
    ) throws {
        let loop = LendingLoop(cancellation: reading.cancellation)
        try read("lending rows of \(entity.name)") { connection in
            let store = container.storeNumber(of: entity.number.root)
            func run(_ statement: Statement) throws {
                try statement.checkBindings()
                let row = Row(statement: statement.handle, store: store)
                try loop.run(statement, RowLender(row, entity, layout), body)
            }
            guard let loan = try loan() else { return try connection.readInOneState(sql, run) }
            try loan.lend(connection) { try connection.readInOneState(sql, run) }
        }
        guard let (error, rowID) = loop.failure else { return }
        throw (error as? RowError).map { Self.storeError($0, entity, rowID: rowID) } ?? error
    }

    /// Returns a loan with which other reads of this thread use this context's reading connection; nil if they have
    /// their own.
    private func loan() throws -> ConnectionLoan? {
        if activity.transaction?.connection == nil, let generation = try reading.generation(container) {
            return generation.loan
        }
        return container.pool.hasReaders && activity.transaction?.connection == nil ? nil : container.pool.writerLoan
    }
}

/// A loop that calls the program's closure for each row, and that may have to start again.
private final class LendingLoop {
    /// The closure's error and its row. It is not an error of the statement.
    private(set) var failure: (any Error, rowID: Int64)?
    private let cancellation: FetchCancellation?
    /// The number of rows for which the closure was called.
    private var lentCount = 0

    init(cancellation: FetchCancellation?) { self.cancellation = cancellation }

    /// Continues after the rows of an earlier statement. All access paths of a query return the rows in the same order.
    func run(_ statement: Statement, _ lender: RowLender, _ body: (RowLender) throws -> Void) throws {
        var position = 0
        while true {
            let code = Statement.advance(statement.handle)
            if code == SQLITE_DONE { return }
            if code != SQLITE_ROW { throw statement.failure(code) }
            position &+= 1
            if position <= lentCount { continue }
            lentCount = position
            if let cancellation, cancellation.isCancelled { throw CancellationError() }
            do {
                try body(lender)
            } catch {
                failure = (error, lender.row.rowID)
                return
            }
            lender.endRow()
        }
    }
}
