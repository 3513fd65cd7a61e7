import AshlarSQLite

/// Groups of rows of which the store makes parts, that are added up to just what they would be over all rows at once.
///
/// That serves where values are grouped by columns. Floating-point and decimal sums cannot be added so, for what they are depends
/// on the order of all numbers, and neither can aggregates of distinct values.
struct GroupTotals<Model: PersistentModel>: Sendable {
    private let shape: ProjectionShape<Model>
    private let keys: [SQLExpression]
    /// The aggregates that values are made of, each once.
    private let aggregates: [GroupAggregate]

    /// One group: what its rows have in common, and the aggregates so far.
    struct Group {
        fileprivate var keys: [SQLiteValue]
        fileprivate var totals: [GroupAggregate.Total]
    }

    /// Nil where something of the result cannot be added up.
    init?(_ shape: ProjectionShape<Model>) {
        let entity = Model._ashlarEntity
        keys = shape.groups ?? []
        guard shape.isAggregated, keys.allSatisfy(entity.keeps) else { return nil }
        var aggregates: [GroupAggregate] = []
        for value in shape.values {
            for part in value.groupAggregates where !aggregates.contains(where: { $0.expression == part }) {
                guard let aggregate = GroupAggregate(part, entity) else { return nil }
                aggregates.append(aggregate)
            }
        }
        self.aggregates = aggregates
        self.shape = shape
    }

    /// A group of one object.
    func group(of object: Model, _ evaluator: inout ExpressionEvaluator) -> Group {
        let values = keys.map { evaluator.value($0, for: object) }
        let totals = aggregates.map { aggregate in
            aggregate.total(of: aggregate.term.map { evaluator.value($0, for: object) })
        }
        return Group(keys: values, totals: totals)
    }

    /// What the store is asked of the objects of a descriptor.
    func stored(_ descriptor: FetchDescriptor<Model>) -> ProjectionShape<Model> {
        var stored = ProjectionShape<Model>(descriptor)
        stored.groups = shape.groups
        stored.columns = keys + aggregates.flatMap(\.storedParts)
        // Without keys the rows are one group, also where there is no aggregate to say so.
        stored.columns.append(.groupAggregate(.count, nil, isDistinct: false))
        return stored
    }

    /// The groups of what the store is asked; nil where nothing can be added to one.
    func groups(of sql: BoundStatement, _ connection: Connection) throws -> [Group]? {
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

    /// The rows of the result, of groups of which those with equal keys are one.
    func rows(of groups: [Group], _ time: FetchTime) throws -> [ProjectedRow] {
        var evaluator = ExpressionEvaluator(time: time)
        var rows: [ProjectedRow] = []
        for group in Self.merged(groups) {
            let values = values(of: group)
            func known(_ expression: SQLExpression) -> SQLExpression { expression.replacing { values[$0] } }
            if let having = shape.having, !evaluator.holds(known(having.expression), forGroup: []) { continue }
            rows.append(
                ProjectedRow(
                    values: shape.columns.map { evaluator.value(known($0), forGroup: []) },
                    keys: shape.descriptor.sortOrders.map { evaluator.value(known($0.expression), forGroup: []) }))
        }
        if let error = evaluator.error { throw error }
        return rows
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

    private static func order(_ left: [SQLiteValue], _ right: [SQLiteValue]) -> Int {
        for (left, right) in zip(left, right) {
            let order = SQLiteValue.compare(left, right)
            if order != 0 { return order }
        }
        return 0
    }
}
