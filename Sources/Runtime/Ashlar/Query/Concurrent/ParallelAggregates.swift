import AshlarSQLite

/// Aggregates over all rows of a fetch. Several threads compute them for ranges of rows, and the results are combined.
///
/// It supports the aggregates for which ``GroupTotals`` can combine the results without a difference: counts, least and
/// greatest values, and sums and means of whole numbers.
struct ParallelAggregates<Model: PersistentModel> {
    private let context: ModelContext
    private let shape: ProjectionShape<Model>
    private let totals: GroupTotals<Model>
    private let stepLimit: Int

    /// Creates the aggregates; nil if a single connection has to compute them.
    init?(_ context: ModelContext, _ shape: ProjectionShape<Model>, _ sql: BoundStatement) {
        guard shape.isAggregated, shape.groups == nil, sql.detour == nil, sql.unplanned == nil else { return nil }
        // SQLite counts all rows of a table without reading them.
        guard shape.descriptor.condition != nil || shape.columns.contains(where: { !$0.isCountOfRows }) else {
            return nil
        }
        var source = shape.descriptor
        // These apply to the single row of the result.
        (source.fetchLimit, source.fetchOffset, source.sortOrders) = (nil, nil, [])
        let probe = context.parallelProbe(source)
        guard probe > 0, let totals = GroupTotals(shape) else { return nil }
        self.context = context
        self.shape = shape
        self.totals = totals
        // SQLite takes about 8 steps for a row.
        stepLimit = probe.multipliedReportingOverflow(by: 8).partialValue
    }

    /// Returns the rows of the result, if a closure that computes them on one connection takes long and several threads
    /// can compute them; nil if the closure has computed them.
    func rows(
        of sql: BoundStatement, _ connection: Connection, unless body: () throws -> Void
    ) throws -> [ProjectedRow]? {
        var reading: Result<RangedReading?, any Error> = .success(nil)
        let isDone = try StepLimit.run(stepLimit, connection) {
            reading = Result { try RangedReading(context.container.pool, Model._ashlarEntity, sql, at: nil) }
            if case .success(nil) = reading { return false }
            return true
        } while: {
            try body()
        }
        if isDone { return nil }
        if let ranged = try reading.get(), let rows = try rows(ranged) { return rows }
        try body()
        return nil
    }

    private func rows(_ reading: RangedReading) throws -> [ProjectedRow]? {
        let time = FetchTime(Model._ashlarEntity, in: context.container)
        var source = shape.descriptor
        (source.fetchLimit, source.fetchOffset, source.sortOrders) = (nil, nil, [])
        let statements = try context.statements(of: source, in: reading.ranges) { part in
            try context.statement(of: totals.stored(part), time: time)
        }
        let parts = try reading.parts(statements, context.reading.cancellation, counting: &context.statementCount) {
            [totals] connection, sql in try totals.groups(of: sql, connection)
        }
        // If the sum of a part is not a whole number, the whole sum may still be one.
        var groups = ValueGroups()
        for part in parts {
            guard let part else { return nil }
            groups.add(part)
        }
        return try totals.rows(of: groups, time)
    }
}

extension SQLExpression {
    fileprivate var isCountOfRows: Bool {
        if case .groupAggregate(.count, nil, _) = self { return true }
        return false
    }
}
