import AshlarSQLite
import Containers

/// Walks through results of any size.
extension ModelContext {
    /// Runs a block for each object that a descriptor asks for, of which one batch is in memory at a time.
    ///
    /// Objects that the block keeps, or that have changes, stay in memory. Without an order and a limit the memory that is
    /// needed does not depend on the number of objects; otherwise it grows by eight bytes for each. An object that is
    /// deleted before it is reached is left out. Where the context has unsaved changes that matter, all objects are
    /// fetched at first.
    ///
    /// - Parameters:
    ///   - descriptor: Which objects, and their order.
    ///   - batchSize: How many objects are loaded at a time.
    ///   - allowEscapingMutations: Whether the block may leave changes unsaved at the end of a batch.
    ///   - block: What to do with each object.
    /// - Throws: What the block throws; ``FetchError/changedWhileEnumerating(entity:)`` when the context has more unsaved
    ///   changes at the end of a batch than at its beginning; ``FetchError/invalidBatchSize(_:)``; ``StoreError`` when the
    ///   store cannot be read.
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

    /// Runs a block for each row that a descriptor asks for, as a plain value, of which one batch is in memory at a time.
    ///
    /// The values are those that are saved, as with ``fetchValues(_:)``. A row that is deleted before it is reached is left
    /// out. The block may use the context.
    ///
    /// - Throws: What the block throws; ``FetchError/invalidBatchSize(_:)``; ``StoreError`` when the store cannot be read,
    ///   or a row holds a value that its type does not allow.
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

    /// The values of rows in their order, without those that are no more.
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
