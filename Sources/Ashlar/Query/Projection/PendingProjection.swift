import AshlarSQLite

/// The rows of a projection made in memory, so that the context's unsaved changes count.
struct PendingProjection<Model: PersistentModel> {
    private let context: ModelContext
    private let shape: ProjectionShape<Model>
    private let objects: [Model]
    private var evaluator = ExpressionEvaluator()
    /// Which of the values that rows are sorted by are decimal numbers.
    private let areDecimal: [Bool]

    /// One row of the result, and what it is sorted by.
    private struct ResultRow {
        var values: [SQLiteValue]
        var keys: [SQLiteValue]
    }

    /// Fetches the objects that the projection is about.
    init(_ context: ModelContext, _ shape: ProjectionShape<Model>) throws {
        self.context = context
        self.shape = shape
        var descriptor = shape.descriptor
        descriptor.sortOrders = []
        descriptor.fetchLimit = nil
        descriptor.fetchOffset = nil
        objects = try context.fetch(descriptor)
        areDecimal = shape.descriptor.sortOrders.map(\.expression.isDecimal)
    }

    /// The values of each row of the result.
    mutating func rows() throws -> [[SQLiteValue]] {
        var rows: [ResultRow] = []
        for group in groups() {
            if let having = shape.having, !evaluator.holds(having.expression, forGroup: group) { continue }
            let values = try shape.columns.map { try value($0, of: group) }
            let keys = shape.descriptor.sortOrders.map { evaluator.value($0.expression, forGroup: group) }
            rows.append(ResultRow(values: values, keys: keys))
        }
        if let error = evaluator.error { throw error }
        if shape.isDistinct { rows = distinct(rows) }
        if !shape.descriptor.sortOrders.isEmpty { rows = sorted(rows) }
        let start = min(shape.descriptor.skipped, rows.count)
        let end = shape.descriptor.limit.map { min($0, rows.count - start) + start } ?? rows.count
        return rows[start..<end].map(\.values)
    }

    private mutating func value(_ expression: SQLExpression, of group: [Model]) throws -> SQLiteValue {
        // What a transformer or encoder makes of a value, expressions do not know.
        if case .column(let reference) = expression, reference.path.steps.isEmpty, reference.column >= 0,
            let object = group.first, [.transformable, .binary].contains(object.entity.columns[reference.column].type)
        {
            return try context.storedValue(reference.column, of: object)
        }
        return evaluator.value(expression, forGroup: group)
    }

    /// The objects that one row of the result is made of.
    private mutating func groups() -> [[Model]] {
        guard shape.isAggregated else { return objects.map { [$0] } }
        guard let keys = shape.groups, !keys.isEmpty else { return [objects] }
        let areDecimal = keys.map(\.isDecimal)
        let rows = objects.map { object in keys.map { evaluator.value($0, for: object) } }
        let positions = objects.indices.sorted { left, right in
            let order = Self.order(rows[left], rows[right], areDecimal)
            return order == 0 ? left < right : order < 0
        }
        var result: [[Model]] = []
        var last: Int?
        for position in positions {
            if let last, Self.order(rows[last], rows[position], areDecimal) == 0 {
                result[result.count - 1].append(objects[position])
            } else {
                result.append([objects[position]])
            }
            last = position
        }
        return result
    }

    private func distinct(_ rows: [ResultRow]) -> [ResultRow] {
        let areDecimal = shape.columns.map(\.isDecimal)
        let sorted = rows.sorted { Self.order($0.values, $1.values, areDecimal) < 0 }
        var result: [ResultRow] = []
        for row in sorted where result.last.map({ Self.order($0.values, row.values, areDecimal) != 0 }) ?? true {
            result.append(row)
        }
        return result
    }

    private func sorted(_ rows: [ResultRow]) -> [ResultRow] {
        let orders = shape.descriptor.sortOrders
        let positions = rows.indices.sorted { left, right in
            for (index, order) in orders.enumerated() {
                let result = order.order(rows[left].keys[index], rows[right].keys[index])
                if result != 0 { return result < 0 }
            }
            return left < right
        }
        return positions.map { rows[$0] }
    }

    private static func order(_ left: [SQLiteValue], _ right: [SQLiteValue], _ areDecimal: [Bool]) -> Int {
        for index in left.indices {
            let order = ExpressionEvaluator.order(left[index], right[index], areDecimal[index])
            if order != 0 { return order }
        }
        return 0
    }
}
