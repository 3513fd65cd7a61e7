import AshlarSQLite

/// Groups of rows and unsaved changes: the store makes the groups of the rows without changes, and what changed is added
/// to them. The rows themselves are not read.
///
/// That serves where values are grouped by columns, and the aggregates can be added up to just what they would be over all
/// rows at once. Floating-point and decimal sums cannot, for what they are depends on the order of all numbers, and neither
/// can aggregates of distinct values. ``PendingProjection`` serves there, with all objects in memory.
struct PendingGroups<Model: PersistentModel> {
    private let context: ModelContext
    private let shape: ProjectionShape<Model>
    private let changes: OverlaidChanges
    private let keys: [SQLExpression]
    /// The aggregates that values are made of, each once.
    private let aggregates: [GroupAggregate]

    /// One group: what its rows have in common, and the aggregates so far.
    private struct Group {
        var keys: [SQLiteValue]
        var totals: [GroupAggregate.Total]
    }

    /// Nil where the aggregates must be made in memory.
    init?(_ context: ModelContext, _ shape: ProjectionShape<Model>, _ changes: OverlaidChanges) {
        if !shape.isAggregated || changes.isJudgedInMemory || context.parent != nil { return nil }
        let entity = Model._ashlarEntity
        keys = shape.groups ?? []
        guard keys.allSatisfy(entity.keeps) else { return nil }
        var aggregates: [GroupAggregate] = []
        for value in shape.values {
            for part in value.groupAggregates where !aggregates.contains(where: { $0.expression == part }) {
                guard let aggregate = GroupAggregate(part, entity) else { return nil }
                aggregates.append(aggregate)
            }
        }
        self.aggregates = aggregates
        self.context = context
        self.shape = shape
        self.changes = changes
    }

    /// The rows of the result; nil where the store's part turns out to be one that nothing can be added to.
    func rows() throws -> [ProjectedRow]? {
        let overlay = PendingOverlay(context, shape.descriptor, changes)
        let candidates = try overlay.matchingCandidates()
        var evaluator = ExpressionEvaluator(time: overlay.time)
        let changed = changedGroups(candidates, &evaluator)
        guard let stored = try storedGroups(overlay.time) else { return nil }
        var rows: [ProjectedRow] = []
        for group in Self.merged(stored + changed) {
            let values = values(of: group)
            func known(_ expression: SQLExpression) -> SQLExpression { expression.replacing { values[$0] } }
            if let having = shape.having, !evaluator.holds(known(having.expression), forGroup: []) { continue }
            rows.append(
                ProjectedRow(
                    values: shape.columns.map { evaluator.value(known($0), forGroup: []) },
                    keys: shape.descriptor.sortOrders.map { evaluator.value(known($0.expression), forGroup: []) }))
        }
        if let error = evaluator.error { throw error }
        try context.throwDeferredError()
        return rows
    }

    /// A group for each object that changed.
    private func changedGroups(_ objects: [Model], _ evaluator: inout ExpressionEvaluator) -> [Group] {
        var groups: [Group] = []
        for object in objects {
            let values = keys.map { evaluator.value($0, for: object) }
            let totals = aggregates.map { aggregate in
                aggregate.total(of: aggregate.term.map { evaluator.value($0, for: object) })
            }
            groups.append(Group(keys: values, totals: totals))
        }
        return groups
    }

    /// The groups in the order of their keys, those of equal keys as one.
    private static func merged(_ groups: [Group]) -> [Group] {
        // The store's come first, and so are those that others are added to.
        let positions = groups.indices.sorted { left, right in
            let order = order(groups[left].keys, groups[right].keys)
            return order == 0 ? left < right : order < 0
        }
        var result: [Group] = []
        for position in positions {
            let group = groups[position]
            guard let last = result.last, order(last.keys, group.keys) == 0 else {
                result.append(group)
                continue
            }
            for (index, total) in group.totals.enumerated() { result[result.count - 1].totals[index].add(total) }
        }
        return result
    }

    /// The values of a group by the expressions that have them.
    private func values(of group: Group) -> [SQLExpression: SQLiteValue] {
        var values: [SQLExpression: SQLiteValue] = [:]
        for (key, value) in zip(keys, group.keys) { values[key] = value }
        for (aggregate, total) in zip(aggregates, group.totals) { values[aggregate.expression] = total.value }
        return values
    }

    /// The groups of the rows without changes.
    private func storedGroups(_ time: FetchTime) throws -> [Group]? {
        var stored = ProjectionShape<Model>(shape.descriptor.without(changes.excluded))
        stored.groups = shape.groups
        stored.columns = keys + aggregates.flatMap(\.storedParts)
        // Without keys the rows are one group, also where there is no aggregate to say so.
        stored.columns.append(.groupAggregate(.count, nil, isDistinct: false))
        let sql = try context.statement(of: stored, time: time)
        return try context.read("fetching values of \(Model._ashlarEntity.name)") { connection in
            try connection.read(sql) { statement -> [Group]? in
                let row = Row(statement: statement.handle, store: 0)
                var groups: [Group] = []
                while try statement.step() {
                    var position: Int32 = 0
                    func next() -> SQLiteValue {
                        defer { position += 1 }
                        return row.value(position)
                    }
                    let keys = keys.map { _ in next() }
                    var totals: [GroupAggregate.Total] = []
                    for aggregate in aggregates {
                        let parts = aggregate.storedParts.map { _ in next() }
                        guard let total = aggregate.total(ofParts: parts) else { return nil }
                        totals.append(total)
                    }
                    groups.append(Group(keys: keys, totals: totals))
                }
                return groups
            }
        }
    }

    private static func order(_ left: [SQLiteValue], _ right: [SQLiteValue]) -> Int {
        for (left, right) in zip(left, right) {
            let order = SQLiteValue.compare(left, right)
            if order != 0 { return order }
        }
        return 0
    }
}

extension FetchDescriptor {
    /// The descriptor for all of its objects but some, without an order and a window.
    fileprivate func without(_ rowIDs: [Int64]) -> Self {
        var result = self
        result.sortOrders = []
        result.fetchLimit = nil
        result.fetchOffset = nil
        let rows = rowIDs.filter { $0 > 0 }.sorted().map { SQLiteValue.integer($0) }
        if rows.isEmpty { return result }
        let others = Condition(.not(.isIn(Self.rowID, rows)))
        result.condition = condition.map { $0 && others } ?? others
        return result
    }
}
