import AshlarSQLite

/// Groups of rows that are combined from partial results of the store, with the same values as for all rows at once.
///
/// It supports grouping by columns. It does not support floating-point and decimal sums, which depend on the order of
/// all numbers, and aggregates of distinct values.
struct GroupTotals<Model: PersistentModel>: Sendable {
    private let shape: ProjectionShape<Model>
    private let parts: GroupParts

    /// Creates the totals; nil if a part of the result cannot be added up.
    init?(_ shape: ProjectionShape<Model>) {
        guard shape.isAggregated,
            let parts = GroupParts(keys: shape.groups ?? [], values: shape.values, Model._ashlarEntity)
        else { return nil }
        self.parts = parts
        self.shape = shape
    }

    /// Adds objects to the groups with their keys.
    func add(_ objects: [Model], to groups: inout ValueGroups) { parts.add(objects, to: &groups) }

    /// Returns the projection that the store computes for a descriptor.
    func stored(_ descriptor: FetchDescriptor<Model>) -> ProjectionShape<Model> {
        var stored = ProjectionShape<Model>(descriptor)
        stored.groups = shape.groups
        stored.columns = parts.keys + parts.aggregates.flatMap(\.storedParts)
        // Without keys, the rows are one group, even if no other aggregate makes them one.
        stored.columns.append(.groupAggregate(.count, nil, isDistinct: false))
        return stored
    }

    /// Returns the groups that a statement selects; nil if nothing can be added to one of them.
    func groups(of sql: BoundStatement, _ connection: Connection) throws -> ValueGroups? {
        try connection.read(sql) { try parts.groups($0) }
    }

    /// Returns the rows of the result, in the order of their keys.
    func rows(of groups: ValueGroups, _ time: FetchTime) throws -> [ProjectedRow] {
        var evaluator = ExpressionEvaluator(time: time)
        let columns = shape.columns.map(parts.source)
        let orders = shape.orders.map { parts.source(of: $0.expression) }
        var rows: [ProjectedRow] = []
        for group in groups.sorted() {
            if let having = shape.having,
                !evaluator.holds(parts.known(having.expression, group), forGroup: [])
            {
                continue
            }
            func value(_ source: GroupParts.Source) -> SQLiteValue {
                switch source {
                case .key(let key): group.keys.values[key]
                case .aggregate(let aggregate): group.totals[aggregate].value
                case .expression(let value): evaluator.value(parts.known(value, group), forGroup: [])
                }
            }
            rows.append(ProjectedRow(values: columns.map { value($0) }, keys: orders.map { value($0) }))
        }
        if let error = evaluator.error { throw error }
        return rows
    }
}
