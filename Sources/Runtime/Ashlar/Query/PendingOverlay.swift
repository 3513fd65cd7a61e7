import AshlarSQLite

/// A fetch that sees the context's unsaved changes.
///
/// The store answers without the rows that the context changed or deleted; those, and the inserted ones, are judged
/// in memory by the same condition and sorted in by the same order. Where a condition follows relationships to objects with
/// changes, so are the rows from which it comes to one of them. In a child context all objects are judged in memory then.
struct PendingOverlay<Model: PersistentModel> {
    private let context: ModelContext
    private let descriptor: FetchDescriptor<Model>
    private let changes: OverlaidChanges
    let time: FetchTime

    init(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>, _ changes: OverlaidChanges) {
        self.context = context
        self.descriptor = descriptor
        self.changes = changes
        time = FetchTime(Model._ashlarEntity, in: context.container)
    }

    // MARK: Objects

    func fetch() throws -> [Model] {
        // What is read brings objects up to date that the condition follows, in a child context those that its parent changed:
        // judged before, the candidates would be others when the same is asked again.
        let isJudgedBefore = !changes.areFollowed
        var matching = isJudgedBefore ? try matchingCandidates() : []
        var result = try stored()
        if !isJudgedBefore { matching = try matchingCandidates() }
        try context.throwDeferredError()
        if !matching.isEmpty || changes.stored == .judged || context.parent != nil {
            var order = ObjectOrder(descriptor.totalOrder, time: time)
            result = try order.sorted(result + matching)
        }
        return Array(result[descriptor.window(of: result.count)])
    }

    /// The changed objects for which the condition holds.
    func matchingCandidates() throws -> [Model] {
        // Without objects to judge nobody would notice what cannot be said.
        _ = try descriptor.statement(selecting: "1", limit: nil, offset: nil, time: time)
        return try matching(changes.candidates.compactMap { $0 as? Model })
    }

    private func matching(_ objects: [Model]) throws -> [Model] {
        guard let condition = descriptor.condition?.expression else { return objects }
        var evaluator = ExpressionEvaluator(time: time)
        let matching = objects.filter { evaluator.holds(condition, for: $0) }
        if let error = evaluator.error { throw error }
        return matching
    }

    private func stored() throws -> [Model] {
        switch changes.stored {
        case .judged: return try storedInMemory()
        case .known: return []
        case .asked: break
        }
        if let parent = context.parent {
            var request = descriptor
            request.fetchLimit = nil
            request.fetchOffset = nil
            return try context.fetch(request, from: parent, excluding: changes.excluded)
        }
        let entity = Model._ashlarEntity
        let sql = try statement(selecting: entity.selectedColumns)
        return try context.objects(entity, sql).array(of: Model.self)
    }

    /// The objects of the store, or the parent, for which the condition holds in memory.
    private func storedInMemory() throws -> [Model] {
        var request = descriptor
        request.condition = nil
        request.sortOrders = []
        request.fetchLimit = nil
        request.fetchOffset = nil
        let objects: [Model]
        if let parent = context.parent {
            objects = try context.fetch(request, from: parent, excluding: changes.excluded)
        } else {
            let entity = Model._ashlarEntity
            let sql = try context.statement(
                of: request, selecting: entity.selectedColumns, limit: nil, offset: nil,
                excluding: changes.excluded.sorted(), time: time)
            objects = try context.objects(entity, sql).array(of: Model.self)
        }
        return try matching(objects)
    }

    /// The statement for what the store has, in the descriptor's order.
    private func statement(selecting columns: String) throws -> BoundStatement {
        // Rows that sort in from memory can only push others out, so no more than these can be needed.
        var descriptor = descriptor
        // All rows are sorted in memory where others come between them; to have SQLite sort them would keep it from an index.
        if !descriptor.sortOrders.isEmpty || descriptor.end != nil { descriptor.sortOrders = descriptor.totalOrder }
        return try context.statement(
            of: descriptor, selecting: columns, limit: descriptor.end, offset: nil,
            excluding: changes.excluded.sorted(), time: time)
    }

    // MARK: What needs no objects

    /// The identifiers of the objects. Objects are made of the store's rows only where others are to be sorted in
    /// between them, or where they are judged in memory.
    func identifiers() throws -> [PersistentIdentifier] {
        if changes.stored != .asked || context.parent != nil { return try fetch().map(\.identifier) }
        let matching = try matchingCandidates()
        try context.throwDeferredError()
        if !matching.isEmpty, !descriptor.sortOrders.isEmpty { return try fetch().map(\.identifier) }
        let sql = try statement(selecting: Model._ashlarEntity.selectedIdentifier)
        var result = try context.storedIdentifiers(sql, Model._ashlarEntity)
        if !matching.isEmpty {
            result = (result + matching.map(\.identifier)).sorted {
                SQLiteValue.orderOfIdentifiers(.integer($0.rowID), .integer($1.rowID)) < 0
            }
        }
        return Array(result[descriptor.window(of: result.count)])
    }

    /// The number of objects, whatever the descriptor's limit, that are not among some others. Where there are as many as
    /// a bound, that may be the answer. Objects are made of the store's rows only where they are judged in memory.
    func count(excluding others: Set<Int64>, atMost bound: Int?) throws -> Int {
        if changes.stored == .judged {
            // In the order of a fetch, which has its reasons.
            let objects = try storedInMemory() + matchingCandidates()
            try context.throwDeferredError()
            return objects.lazy.filter { !others.contains($0.record.rowID) }.count
        }
        let matching = try matchingCandidates().lazy.filter { !others.contains($0.record.rowID) }.count
        try context.throwDeferredError()
        if let bound, matching >= bound { return bound }
        if changes.stored == .known { return matching }
        let excluded = others.union(changes.excluded)
        let rest = bound.map { $0 - matching }
        if let parent = context.parent {
            return try matching + parent.count(descriptor, excluding: excluded, atMost: rest)
        }
        return try matching + context.storedCount(descriptor, excluding: excluded, atMost: rest, time)
    }
}

extension FetchDescriptor {
    /// Up to how many objects are looked at, those that are skipped among them; nil for all.
    var end: Int? {
        guard let sum = limit?.addingReportingOverflow(skipped), !sum.overflow else { return nil }
        return sum.partialValue
    }

    /// The part of a result that is asked for, given how many there are in all.
    func window(of count: Int) -> Range<Int> {
        let start = min(skipped, count)
        return start..<(limit.map { min($0, count - start) + start } ?? count)
    }
}
