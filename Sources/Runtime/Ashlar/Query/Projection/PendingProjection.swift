import AshlarSQLite

/// The rows of a projection that is computed in memory, so that it includes the context's unsaved changes.
struct PendingProjection<Model: PersistentModel> {
    private let context: ModelContext
    private let shape: ProjectionShape<Model>
    private let objects: [Model]
    private var evaluator: ExpressionEvaluator

    /// Fetches the objects of the projection.
    init(_ context: ModelContext, _ shape: ProjectionShape<Model>) throws {
        self.context = context
        self.shape = shape
        evaluator = ExpressionEvaluator(time: FetchTime(Model._ashlarEntity, in: context.container))
        var descriptor = shape.descriptor
        // Each row has a single object: no more objects are needed than the result has rows.
        let end = shape.isAggregated || shape.isDistinct ? nil : descriptor.end
        if end == nil { descriptor.sortOrders = [] }
        descriptor.fetchLimit = end
        descriptor.fetchOffset = nil
        objects = try context.fetch(descriptor)
    }

    mutating func rows() throws -> [ProjectedRow] {
        var rows: [ProjectedRow] = []
        for group in groups() {
            if let having = shape.having, !evaluator.holds(having.expression, forGroup: group) { continue }
            let values = try shape.columns.map { try value($0, of: group) }
            let keys = shape.orders.map { evaluator.value($0.expression, forGroup: group) }
            rows.append(ProjectedRow(values: values, keys: keys))
        }
        if let error = evaluator.error { throw error }
        return rows
    }

    private mutating func value(_ expression: SQLExpression, of group: [Model]) throws -> SQLiteValue {
        // Expressions cannot evaluate values that a transformer or encoder encodes.
        if case .column(let reference) = expression, reference.path.isOwnRow, reference.column >= 0,
            let object = group.first, [.transformable, .binary].contains(object.entity.columns[reference.column].type)
        {
            return try context.storedValue(reference.column, of: object)
        }
        return evaluator.value(expression, forGroup: group)
    }

    /// Returns the groups of objects, one for each row of the result.
    private mutating func groups() -> [[Model]] {
        guard shape.isAggregated else { return objects.map { [$0] } }
        guard let keys = shape.groups, !keys.isEmpty else { return [objects] }
        let areDecimal = keys.map(\.isDecimal)
        let rows = objects.map { object in keys.map { evaluator.value($0, for: object) } }
        let positions = objects.indices.sorted { left, right in
            let order = ProjectionShape<Model>.order(rows[left], rows[right], areDecimal)
            return order == 0 ? left < right : order < 0
        }
        var result: [[Model]] = []
        var last: Int?
        for position in positions {
            if let last, ProjectionShape<Model>.order(rows[last], rows[position], areDecimal) == 0 {
                result[result.count - 1].append(objects[position])
            } else {
                result.append([objects[position]])
            }
            last = position
        }
        return result
    }
}
