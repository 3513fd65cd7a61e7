import AshlarSQLite

/// A fetch that includes the context's unsaved changes.
///
/// The store returns the rows that the context did not change or delete. Changed and inserted objects are evaluated in
/// memory by the same condition, and sorted by the same order. If a condition follows relationships to changed objects,
/// so are the rows from which it reaches one of them. In a child context, all objects are then evaluated in memory.
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
        // Reading updates objects that the condition follows; in a child context, those that its parent changed. If the
        // candidates were evaluated before, a repeated fetch would find others.
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

    /// Returns the changed objects that match the condition.
    func matchingCandidates() throws -> [Model] {
        // Creating the statement throws errors of the condition, which would go unnoticed without candidates.
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

    /// Returns the objects of the store or the parent that match the condition in memory.
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

    /// Returns the statement for the store's rows, in the descriptor's order.
    private func statement(selecting columns: String) throws -> BoundStatement {
        // Objects from memory can only displace rows, so that no more rows than these can be needed.
        var descriptor = descriptor
        // If objects from memory are added, all rows are sorted in memory. Sorting in SQLite, too, would prevent the
        // use of an index.
        if !descriptor.sortOrders.isEmpty || descriptor.end != nil { descriptor.sortOrders = descriptor.totalOrder }
        return try context.statement(
            of: descriptor, selecting: columns, limit: descriptor.end, offset: nil,
            excluding: changes.excluded.sorted(), time: time)
    }

    // MARK: Identifiers and counts

    /// Returns the identifiers of the objects. The store's rows become objects only if they are evaluated in memory, or
    /// if other objects are sorted among them.
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

    /// Returns the number of objects that are not among some others, ignoring the descriptor's limit. If it reaches a
    /// bound, the bound may be returned. The store's rows become objects only if they are evaluated in memory.
    func count(excluding others: Set<Int64>, atMost bound: Int?) throws -> Int {
        if changes.stored == .judged {
            // In the same order as in a fetch, for the same reason.
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
    /// The maximum number of objects to read, including skipped ones; nil for all.
    var end: Int? {
        guard let sum = limit?.addingReportingOverflow(skipped), !sum.overflow else { return nil }
        return sum.partialValue
    }

    /// Returns the part of a result that the descriptor selects, given the total number of objects.
    func window(of count: Int) -> Range<Int> {
        let start = min(skipped, count)
        return start..<(limit.map { min($0, count - start) + start } ?? count)
    }
}
