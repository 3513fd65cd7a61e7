import AshlarSQLite
import Containers

/// Iteration over results of any size.
extension ModelContext {
    /// Calls a closure for each object that matches a descriptor, with one batch in memory at a time.
    ///
    /// Use it to process many objects. Objects that the closure keeps, or that have changes, stay in memory. An object
    /// that is deleted before it is reached is skipped. If the context has relevant unsaved changes, all objects are
    /// fetched at first.
    ///
    ///     try context.enumerate(Post.where { $0.isDraft }) { post in print(post.title) }
    ///
    /// SwiftData has a method of the same name.
    ///
    /// - Parameters:
    ///   - descriptor: The objects and their order.
    ///   - batchSize: The number of objects to load at a time.
    ///   - allowEscapingMutations: Whether the closure may leave changes unsaved at the end of a batch.
    ///   - block: The closure to call with each object.
    /// - Throws: The closure's error. ``FetchError/changedWhileEnumerating(entity:)`` if the context has more unsaved
    ///   changes at the end of a batch than at its beginning. ``FetchError/invalidBatchSize(_:)`` if the size is not
    ///   positive. ``StoreError`` if the store cannot be read.
    /// - Complexity: Constant memory without an order and a limit. Otherwise memory grows by eight bytes for each
    ///   object.
    public func enumerate<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
        block: (Model) throws -> Void
    ) throws {
        try throwDeferredError()
        var batches = try ObjectBatches(self, descriptor, batchSize: batchSize)
        while let objects = try batches.next(self) {
            let changesBefore = pending.count
            for object in objects where object.record.state != .deleted && object.record.state != .gone {
                try block(object)
            }
            if !allowEscapingMutations, pending.count > changesBefore {
                throw FetchError.changedWhileEnumerating(entity: Model._ashlarEntity.name)
            }
            try throwDeferredError()
        }
    }

    /// Calls a closure for each row that matches a descriptor, as a plain value, with one batch in memory at a time.
    ///
    /// The values are the saved ones, as in ``fetchValues(_:)``. A row that is deleted before it is reached is skipped.
    /// The closure may use the context.
    ///
    ///     try context.enumerateValues(Post.all) { post in print(post.title) }
    ///
    /// - Parameters:
    ///   - descriptor: The rows and their order.
    ///   - batchSize: The number of rows to read at a time.
    ///   - block: The closure to call with each row.
    /// - Throws: The closure's error. ``FetchError/invalidBatchSize(_:)`` if the size is not positive. ``StoreError``
    ///   if the store cannot be read or a row holds an invalid value.
    public func enumerateValues<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int = 5000, block: (Model.Values) throws -> Void
    ) throws {
        try throwDeferredError()
        var batches = try RowBatches(descriptor, batchSize: batchSize)
        while true {
            let rowIDs = try batches.next(self)
            if rowIDs.isEmpty { return }
            for values in try values(of: rowIDs, Model._ashlarEntity, as: Model.Values.self) { try block(values) }
        }
    }

    /// Returns the values of rows in their order, without deleted rows.
    func values<Values: EntityValues>(
        of rowIDs: [Int64], _ entity: EntityDescription, as type: Values.Type
    ) throws -> [Values] {
        try read("fetching values of \(entity.name)") { connection in
            let statement = try connection.statementForMany(entity)
            defer { statement.reset() }
            statement.bind(RowIDList.json(rowIDs), 1)
            let row = Row(statement: statement.handle, store: container.storeNumber(of: entity.number.root))
            var result = ValuesBuffer(of: Values.self)
            while try statement.step() {
                do throws(RowError) {
                    try result.append(row)
                } catch {
                    throw Self.storeError(error, entity, rowID: statement.integer(0))
                }
            }
            return result.array(of: Values.self)
        }
    }
}
