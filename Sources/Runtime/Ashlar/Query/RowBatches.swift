import AshlarSQLite
import Containers

/// The rowids of a fetch, in batches.
///
/// Without an order, limit and offset, each batch begins after the last rowid of the previous one. Otherwise all rowids
/// are read at first, eight bytes each.
struct RowBatches<Model: PersistentModel>: Sendable {
    let batchSize: Int
    private let descriptor: FetchDescriptor<Model>
    /// The remaining rowids, the next ones last; nil if batches are found one by one.
    private var remaining: [Int64]?
    private var last: Int64 = .min
    /// The greatest rowid at the beginning. Without it, the iteration might never reach the end of rows that are
    /// inserted meanwhile.
    private var greatest: Int64?

    /// - Throws: ``FetchError/invalidBatchSize(_:)``.
    init(_ descriptor: FetchDescriptor<Model>, batchSize: Int) throws(FetchError) {
        if batchSize < 1 { throw .invalidBatchSize(batchSize) }
        self.batchSize = batchSize
        self.descriptor = descriptor
    }

    /// Returns the next rowids; none at the end.
    mutating func next(_ context: ModelContext) throws -> [Int64] {
        let isWhole = descriptor.sortOrders.isEmpty && descriptor.limit == nil && descriptor.skipped == 0
        if remaining == nil, !isWhole { remaining = try context.storedRowIDs(descriptor).reversed() }
        if let remaining {
            let batch = remaining.suffix(batchSize).reversed()
            self.remaining?.removeLast(batch.count)
            return Array(batch)
        }
        let greatest = try self.greatest ?? context.greatestRowID(of: Model._ashlarEntity)
        self.greatest = greatest
        var page = descriptor
        let range = Condition(
            .and([
                .comparison(FetchDescriptor<Model>.rowID, .greater, .value(.integer(last))),
                .comparison(FetchDescriptor<Model>.rowID, .lessOrEqual, .value(.integer(greatest))),
            ]))
        page.condition = page.condition.map { $0 && range } ?? range
        page.sortOrders = [ColumnOrder(expression: FetchDescriptor<Model>.rowID, isAscending: true)]
        page.fetchLimit = batchSize
        let batch = try context.storedRowIDs(page)
        last = batch.last ?? greatest
        return batch
    }
}

/// The objects of a fetch, in batches.
struct ObjectBatches<Model: PersistentModel> {
    private var rows: RowBatches<Model>
    private let prefetched: [PrefetchedRelationship]
    /// The remaining objects, the next ones last, if unsaved changes affect the result.
    private var remaining: [Model]?

    /// - Throws: ``FetchError/invalidBatchSize(_:)``, and the errors of a fetch.
    init(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>, batchSize: Int) throws {
        rows = try RowBatches(descriptor, batchSize: batchSize)
        prefetched = descriptor.prefetchedRelationships
        switch try context.source(of: descriptor) {
        case .store: break
        case .overlay(let changes):
            try context.throwDeferredError()
            let objects = try PendingOverlay(context, descriptor, changes).fetch()
            try context.prefetch(prefetched, of: objects)
            remaining = objects.reversed()
        case .parent: remaining = try context.fetch(descriptor).reversed()
        }
    }

    /// Returns the next objects, without deleted ones; nil at the end.
    mutating func next(_ context: ModelContext) throws -> [Model]? {
        if let remaining {
            let batch = Array(remaining.suffix(rows.batchSize).reversed())
            self.remaining?.removeLast(batch.count)
            return batch.isEmpty ? nil : batch
        }
        let rowIDs = try rows.next(context)
        if rowIDs.isEmpty { return nil }
        let objects = try context.objects(of: rowIDs, as: Model.self).compactMap(\.self)
        if !prefetched.isEmpty { try context.prefetch(prefetched, of: objects) }
        return objects
    }
}

extension ModelContext {
    /// Returns the rowids that the store finds for a descriptor.
    func storedRowIDs<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Int64] {
        let entity = Model._ashlarEntity
        let sql = try statement(
            of: descriptor, selecting: entity.selectedIdentifier, limit: descriptor.fetchLimit,
            offset: descriptor.fetchOffset)
        return try read("fetching identifiers of \(entity.name)") { connection in
            try connection.read(sql) { statement in
                let row = Row(statement: statement.handle, store: 0)
                var result: [Int64] = []
                while try statement.step() {
                    guard let rowID = row.optionalInt64(0) else { continue }
                    if rowID <= 0 { throw Self.invalidRowID(rowID, entity) }
                    result.append(rowID)
                }
                return result
            }
        }
    }

    fileprivate func greatestRowID(of entity: EntityDescription) throws -> Int64 {
        try read("fetching identifiers of \(entity.name)") { connection in
            try connection.integer("SELECT max(\"id$\") FROM \(entity.tableName.quotedIdentifier)") ?? 0
        }
    }

    /// Returns the objects of rows in their order; nil for deleted ones.
    func objects<Model: PersistentModel>(of rowIDs: [Int64], as type: Model.Type) throws -> [Model?] {
        let entity = Model._ashlarEntity
        if let parent {
            try fetchObjects(entity, rowIDs, from: parent)
            let map = registry.map(for: entity.number.root)
            return rowIDs.map { rowID in map[rowID].flatMap { $0.record.state == .deleted ? nil : $0 as? Model } }
        }
        // Objects that the context already has are read too. They get the values that others saved, and may be deleted
        // by now.
        errors.beginFetch()
        let buffer = try readObjects(entity, rowIDs)
        try errors.throwInvalidValue()
        var found: [Int64: ManagedObject] = [:]
        for object in buffer.array(of: ManagedObject.self) where object.record.state != .deleted {
            found[object.record.rowID] = object
        }
        let map = registry.map(for: entity.number.root)
        return rowIDs.map { rowID in
            if let object = found[rowID] { return object as? Model }
            // As for a fetch, an object that was changed here and deleted elsewhere stays until a save resolves the
            // conflict.
            guard let kept = map[rowID], kept.record.state == .persisted, kept.record.isListed, !kept.keepsRow else {
                return nil
            }
            return kept as? Model
        }
    }
}
