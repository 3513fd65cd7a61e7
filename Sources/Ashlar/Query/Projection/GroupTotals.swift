import AshlarSQLite

/// Groups of rows of which the store makes parts, that are added up to just what they would be over all rows at once.
///
/// That serves where values are grouped by columns. Floating-point and decimal sums cannot be added so, for what they are depends
/// on the order of all numbers, and neither can aggregates of distinct values.
struct GroupTotals<Model: PersistentModel>: Sendable {
    private let shape: ProjectionShape<Model>
    private let keys: [SQLExpression]
    /// The columns of the keys, in objects.
    private let keyColumns: [Int]
    /// The aggregates that values are made of, each once.
    private let aggregates: [GroupAggregate]

    /// Nil where something of the result cannot be added up.
    init?(_ shape: ProjectionShape<Model>) {
        let entity = Model._ashlarEntity
        keys = shape.groups ?? []
        keyColumns = keys.compactMap(entity.keptColumn)
        guard shape.isAggregated, keyColumns.count == keys.count else { return nil }
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

    /// Adds an object to the group that has its keys.
    func add(_ object: Model, to groups: inout ValueGroups) {
        let position = groups.position(of: ValueGroups.Keys(values: keyColumns.map(object.keptValue))) {
            aggregates.map(\.nothing)
        }
        for (index, aggregate) in aggregates.enumerated() {
            groups.add(aggregate.total(of: aggregate.column.map(object.keptValue)), to: index, at: position)
        }
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
    func groups(of sql: BoundStatement, _ connection: Connection) throws -> ValueGroups? {
        try connection.read(sql) { statement -> ValueGroups? in
            let row = Row(statement: statement.handle, store: 0)
            var groups = ValueGroups()
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
                groups.add(ValueGroups.Keys(values: keys), totals)
            }
            return groups
        }
    }

    /// The rows of the result, in the order of their keys.
    func rows(of groups: ValueGroups, _ time: FetchTime) throws -> [ProjectedRow] {
        var evaluator = ExpressionEvaluator(time: time)
        var rows: [ProjectedRow] = []
        for group in groups.sorted() {
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

    /// The values of a group by the expressions that have them.
    private func values(of group: ValueGroups.Group) -> [SQLExpression: SQLiteValue] {
        var values: [SQLExpression: SQLiteValue] = [:]
        for (key, value) in zip(keys, group.keys.values) { values[key] = value }
        for (aggregate, total) in zip(aggregates, group.totals) { values[aggregate.expression] = total.value }
        return values
    }
}

extension ManagedObject {
    /// The value in a column, or the rowid for a column that is less than 0.
    fileprivate final func keptValue(_ column: Int) -> SQLiteValue {
        column < 0 ? .integer(identifier.rowID) : sqliteValue(column)
    }
}
