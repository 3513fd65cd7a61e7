/// A fetch that sees the context's unsaved changes.
///
/// The store answers without the rows that the context changed or deleted; those, and the inserted ones, are judged
/// in memory by the same condition and sorted in by the same order. Where a condition follows a relationship to an
/// entity with changes of its own, the store cannot answer, and all objects are judged in memory.
struct PendingOverlay<Model: PersistentModel> {
    private let context: ModelContext
    private let descriptor: FetchDescriptor<Model>
    private let entity = Model._ashlarEntity
    /// Objects of the entity that are inserted or changed.
    private let candidates: [Model]
    /// Rows that the store's answer must not hold.
    private let excluded: [Int64]
    private let isJudgedInMemory: Bool
    private let time = FetchTime()

    /// Nil when no change can matter, so that the store's answer is right.
    init?(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>) {
        self.context = context
        self.descriptor = descriptor
        let root = entity.number.root
        var candidates: [Model] = []
        var excluded: [Int64] = []
        for object in context.inserted where object.record.state == .inserted {
            if let model = object as? Model, descriptor.asks(for: model) { candidates.append(model) }
        }
        for object in context.changed where object.record.state == .persisted && object.entity.number.root == root {
            // Members that came or left are changed themselves.
            if object.keepsRow { continue }
            excluded.append(object.record.rowID)
            if let model = object as? Model, descriptor.asks(for: model) { candidates.append(model) }
        }
        for object in context.deleted where object.entity.number.root == root {
            excluded.append(object.record.rowID)
        }
        self.candidates = candidates
        self.excluded = excluded
        isJudgedInMemory = Self.hasChanges(context, in: descriptor.followedTables)
        if candidates.isEmpty, excluded.isEmpty, !isJudgedInMemory { return nil }
    }

    private static func hasChanges(_ context: ModelContext, in tables: FollowedTables) -> Bool {
        if tables.isEmpty { return false }
        let all = tables.referenced.union(tables.referring)
        return context.changed.contains { all.contains($0.entity.tableName) && !$0.keepsRow }
            || context.deleted.contains { all.contains($0.entity.tableName) }
            || context.inserted.contains { tables.referring.contains($0.entity.tableName) }
    }

    func fetch() throws -> [Model] {
        // Without objects to judge nobody would notice what cannot be said.
        _ = try descriptor.statement(selecting: "1", limit: nil, offset: nil, time: time)
        let matching = try matching(candidates)
        var result = try stored()
        try context.throwDeferredError()
        if descriptor.sortOrders.isEmpty {
            result += matching
        } else if !matching.isEmpty || isJudgedInMemory {
            result = try sorted(result + matching)
        }
        let start = min(descriptor.skipped, result.count)
        let end = descriptor.limit.map { min($0, result.count - start) + start } ?? result.count
        return Array(result[start..<end])
    }

    private func matching(_ objects: [Model]) throws -> [Model] {
        guard let condition = descriptor.condition?.expression else { return objects }
        var evaluator = ExpressionEvaluator(time: time)
        let matching = objects.filter { evaluator.holds(condition, for: $0) }
        if let error = evaluator.error { throw error }
        return matching
    }

    private func stored() throws -> [Model] {
        var request = descriptor
        if isJudgedInMemory {
            request.condition = nil
            request.sortOrders = []
        }
        // Rows that sort in from memory can only push others out, so no more than these can be needed.
        let needed =
            isJudgedInMemory
            ? nil
            : descriptor.limit.map { $0.addingReportingOverflow(descriptor.skipped) }
                .flatMap { $0.overflow ? nil : $0.partialValue }
        let objects: [Model]
        if let parent = context.parent {
            request.fetchLimit = nil
            request.fetchOffset = nil
            objects = try context.fetch(request, from: parent, excluding: excluded)
        } else {
            let sql = try context.statement(
                of: request, selecting: entity.selectedColumns, limit: needed, offset: nil,
                excluding: excluded.sorted(),
                time: time)
            objects = try context.objects(entity, sql).array(of: Model.self)
        }
        return isJudgedInMemory ? try matching(objects) : objects
    }

    /// Sorts by the descriptor's orders; equal objects keep their places.
    private func sorted(_ objects: [Model]) throws -> [Model] {
        var evaluator = ExpressionEvaluator(time: time)
        let keys = objects.map { object in
            descriptor.sortOrders.map { evaluator.value($0.expression, for: object) }
        }
        if let error = evaluator.error { throw error }
        let positions = objects.indices.sorted { left, right in
            for (index, order) in descriptor.sortOrders.enumerated() {
                let result = order.order(keys[left][index], keys[right][index])
                if result != 0 { return result < 0 }
            }
            return left < right
        }
        return positions.map { objects[$0] }
    }
}

extension FetchDescriptor {
    /// Whether objects of an object's entity are asked for.
    fileprivate func asks(for model: Model) -> Bool { includesSubentities || model.entity === Model._ashlarEntity }
}
