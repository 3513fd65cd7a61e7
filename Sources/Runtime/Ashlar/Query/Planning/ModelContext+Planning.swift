import AshlarSQLite

extension ModelContext {
    /// Returns the statement of a descriptor, with the access path that is likely the fastest.
    ///
    /// - Throws: ``FetchError`` if the predicate cannot be translated or the descriptor's index cannot be used.
    func statement<Model: PersistentModel>(
        of descriptor: FetchDescriptor<Model>, selecting columns: String, limit: Int?, offset: Int?,
        excluding rowIDs: [Int64] = [], time: FetchTime? = nil, for request: AccessPlanner.Request? = nil
    ) throws -> BoundStatement {
        let entity = Model._ashlarEntity
        let time = time ?? FetchTime(entity, in: container)
        // Created from the descriptor's parts, because a generic method would have to look up its type.
        let shape = QueryShape(
            entity, columns: columns, condition: descriptor.condition?.expression,
            orders: descriptor.sortOrders,
            limit: limit, offset: offset, includesSubentities: descriptor.includesSubentities)
        // Excluded rows are values as well, but few fetches have any. A query that may use an R-tree is never among the
        // statements whose path SQLite chooses.
        if rowIDs.isEmpty, case .automatic = descriptor.indexUse,
            let statement = entity.knownStatements.recentStatement(of: shape, time)
        {
            return statement
        }
        let request = request ?? .rows(limit: descriptor.rowLimit(limit, offset))
        return try newStatement(of: descriptor, shape, request, excluding: rowIDs, time)
    }

    /// Returns the statement of a query that is not among the most recent ones.
    private func newStatement<Model: PersistentModel>(
        of descriptor: FetchDescriptor<Model>, _ shape: QueryShape, _ request: AccessPlanner.Request,
        excluding rowIDs: [Int64], _ time: FetchTime
    ) throws -> BoundStatement {
        guard rowIDs.isEmpty, case .automatic = descriptor.indexUse else {
            return try plannedStatement(of: descriptor, shape, request, excluding: rowIDs, time)
        }
        if !descriptor.boundsCoordinates {
            let known = Model._ashlarEntity.knownStatements
            if let statement = known.olderStatement(of: shape, time) { return statement }
            if !descriptor.boundsRelatedRows {
                return try known.newStatement(of: shape, time)
            }
        }
        // Any path, because the conditions are the same with each.
        var shape = shape
        shape.path = .scan
        let recent = container.statistics.recentPlans
        let number = Model._ashlarEntity.number
        if let statement = recent.statement(of: shape, number, request, time) { return statement }
        let statement = try plannedStatement(of: descriptor, shape, request, excluding: [], time)
        recent.remember(statement, of: shape, number, request, time)
        return statement
    }

    /// Returns the statement of a plan that is created for it.
    private func plannedStatement<Model: PersistentModel>(
        of descriptor: FetchDescriptor<Model>, _ shape: QueryShape, _ request: AccessPlanner.Request,
        excluding rowIDs: [Int64], _ time: FetchTime
    ) throws -> BoundStatement {
        let plan = try plan(of: descriptor, request, time)
        var shape = shape
        if let condition = plan.condition { shape.condition = condition }
        var result = try statement(of: descriptor.with(plan.condition), shape, plan.path, excluding: rowIDs, time)
        if let detour = plan.detour {
            let other = try statement(of: descriptor.with(plan.condition), shape, detour.path, excluding: rowIDs, time)
            result.detour = BoundStatement.Detour(stepLimit: detour.stepLimit, statement: other)
        }
        if case .automatic = descriptor.indexUse, plan.usesIndex {
            result.unplanned = container.unplanned { [shape, store = time.store] in
                try descriptor.with(descriptor.condition?.expression.withoutRTrees).statement(
                    selecting: shape.columns, limit: shape.limit, offset: shape.offset, excluding: rowIDs,
                    time: FetchTime(store: store), path: .withoutRTree)
            }
        }
        return result
    }

    /// Returns the statement that finds its rows by a path, from the known ones if its shape is known.
    private func statement<Model: PersistentModel>(
        of descriptor: FetchDescriptor<Model>, _ pathless: QueryShape, _ path: AccessPath, excluding rowIDs: [Int64],
        _ time: FetchTime
    ) throws -> BoundStatement {
        var shape = pathless
        shape.path = path
        if !rowIDs.isEmpty || path == .automatic {
            return try writtenStatement(of: descriptor, shape, excluding: rowIDs, time)
        }
        let known = Model._ashlarEntity.knownStatements
        if let statement = known.recentStatement(of: shape, time)
            ?? known.olderStatement(of: shape, time)
        {
            return statement
        }
        return try known.newStatement(of: shape, time) { try check($0, descriptor) }
    }

    private func writtenStatement<Model: PersistentModel>(
        of descriptor: FetchDescriptor<Model>, _ shape: QueryShape, excluding rowIDs: [Int64], _ time: FetchTime
    ) throws -> BoundStatement {
        let statement = BoundStatement(try shape.statement(excluding: rowIDs, time))
        try check(statement, descriptor)
        return statement
    }

    /// Returns the statement of a projection, with the access path that is likely the fastest.
    func statement<Model: PersistentModel>(
        of projection: ProjectionShape<Model>, time: FetchTime? = nil
    ) throws -> BoundStatement {
        let time = time ?? FetchTime(Model._ashlarEntity, in: container)
        let descriptor = projection.descriptor
        guard case .automatic = descriptor.indexUse else {
            return try plannedStatement(of: projection, time)
        }
        let known = Model._ashlarEntity.knownStatements
        let shape = projection.shape
        if let statement = known.recentStatement(of: shape, time) { return statement }
        if descriptor.boundsCoordinates || descriptor.boundsRelatedRows {
            return try plannedStatement(of: projection, time)
        }
        if let statement = known.olderStatement(of: shape, time) { return statement }
        return try known.newStatement(of: shape, time)
    }

    /// Returns the statement of a projection by a plan that is created for it.
    private func plannedStatement<Model: PersistentModel>(
        of shape: ProjectionShape<Model>, _ time: FetchTime
    ) throws -> BoundStatement {
        var descriptor = shape.descriptor
        let isMade = shape.isAggregated || shape.isDistinct
        if isMade { descriptor.sortOrders = [] }
        let limit = isMade ? nil : descriptor.rowLimit(descriptor.fetchLimit, descriptor.fetchOffset)
        let plan = try plan(of: descriptor, .rows(limit: limit), time)
        var planned = shape
        planned.descriptor = shape.descriptor.with(plan.condition)
        var result = try BoundStatement(planned.statement(time: time, path: plan.path))
        try check(result, descriptor)
        if let detour = plan.detour {
            let other = try BoundStatement(planned.statement(time: time, path: detour.path))
            result.detour = BoundStatement.Detour(stepLimit: detour.stepLimit, statement: other)
        }
        if case .automatic = descriptor.indexUse, plan.usesIndex {
            result.unplanned = container.unplanned { [store = time.store] in
                var unplanned = shape
                unplanned.descriptor = shape.descriptor.with(shape.descriptor.condition?.expression.withoutRTrees)
                return try unplanned.statement(time: FetchTime(store: store), path: .withoutRTree)
            }
        }
        return result
    }

    private func plan<Model: PersistentModel>(
        of descriptor: FetchDescriptor<Model>, _ request: AccessPlanner.Request, _ time: FetchTime
    ) throws -> AccessPlan {
        switch descriptor.indexUse {
        case .notIndexed: return AccessPlan(path: .scan)
        case .indexed(let index): return AccessPlan(path: try descriptor.path(through: index, request, time))
        case .automatic: break
        }
        guard let condition = descriptor.condition?.expression,
            descriptor.boundsCoordinates || descriptor.boundsRelatedRows
        else { return AccessPlan(path: .automatic) }
        let planner = descriptor.planner(request, time)
        let related = descriptor.relatedPlanner(request, time)
        let statistics = container.statistics
        return try readToPlan("planning a fetch of \(Model._ashlarEntity.name)") { connection in
            do {
                let plan = try planner.map { try $0.plan(statistics, connection) } ?? AccessPlan(path: .withoutRTree)
                guard let related else { return plan }
                let planned = try related.plan(condition, statistics, connection)
                return AccessPlan(path: plan.path, detour: plan.detour, condition: planned)
            } catch let error as SQLiteError where error.isMissingTable {
                // Another program dropped the R-tree. The next opening of the store creates it again.
                return AccessPlan(path: .withoutRTree, condition: condition.withoutRTrees)
            }
        }
    }

    /// Reads data for a plan. These statements, which the caller did not request, are neither counted nor reported.
    private func readToPlan<Result>(
        _ doing: @autoclosure () -> String, _ body: (Connection) throws -> Result
    ) throws -> Result {
        guard let connection = currentTransaction?.connection else { return try container.read(doing(), body) }
        return try body(connection)
    }

    /// Throws if SQLite cannot use the index that a descriptor requires. For a partial index, only SQLite can decide
    /// that.
    private func check<Model: PersistentModel>(
        _ sql: BoundStatement, _ descriptor: FetchDescriptor<Model>
    ) throws {
        guard case .indexed(let index) = descriptor.indexUse else { return }
        let entity = Model._ashlarEntity
        try readToPlan("planning a fetch of \(entity.name)") { connection in
            do throws(SQLiteError) {
                _ = try connection.statement(sql)
            } catch  where error.isUnusableIndex {
                throw FetchError.unusableIndex(entity: entity.name, index: index.name)
            }
        }
    }
}

extension ModelContainer {
    /// Builds a fallback statement if an index of the plan has disappeared, and discards everything that depended on
    /// it.
    fileprivate func unplanned(
        _ write: @escaping @Sendable () throws -> SQLStatement
    ) -> @Sendable () throws -> BoundStatement {
        { [statistics] in
            statistics.forget()
            return BoundStatement(try write())
        }
    }
}

extension FetchDescriptor {
    /// Returns the descriptor with another condition; unchanged if there is none.
    fileprivate func with(_ condition: SQLExpression?) -> Self {
        guard let condition else { return self }
        var result = self
        result.condition = Condition(condition)
        return result
    }

    /// Whether an R-tree may find the rows, so that each fetch chooses its path.
    fileprivate var boundsCoordinates: Bool {
        condition?.expression.bounds(oneOf: Model._ashlarEntity.schema.rtreeColumns) ?? false
    }

    /// Whether an R-tree may find the rows of a relationship.
    fileprivate var boundsRelatedRows: Bool { condition?.expression.boundsRelatedRows ?? false }

    /// Returns the maximum number of rows to read, including skipped ones.
    fileprivate func rowLimit(_ limit: Int?, _ offset: Int?) -> Int? {
        guard let limit, limit >= 0 else { return nil }
        let sum = limit.addingReportingOverflow(max(0, offset ?? 0))
        return sum.overflow ? nil : sum.partialValue
    }

    /// Returns the planner of the access path; nil if there is no choice, because no R-tree can find the rows.
    fileprivate func planner(_ request: AccessPlanner.Request, _ time: FetchTime) -> AccessPlanner? {
        let entity = Model._ashlarEntity
        guard let condition else { return nil }
        let columns = BoundedColumns(condition.expression, time: time)
        // No search finds fewer rows than known identifiers.
        if columns.findsByIdentifier { return nil }
        guard let search = BoxSearch.best(entity.schema.rtrees, columns, isWholeTable: isOfWholeTable) else {
            return nil
        }
        return AccessPlanner(
            entity: entity, search: search, columns: columns, request: request, orders: plannedOrders, time: time)
    }

    /// Returns the planner of conditions about relationships; nil if there is no choice.
    fileprivate func relatedPlanner(_ request: AccessPlanner.Request, _ time: FetchTime) -> RelatedSearchPlanner? {
        guard let condition, condition.expression.boundsRelatedRows else { return nil }
        return RelatedSearchPlanner(
            condition.expression, of: Model._ashlarEntity, orders: plannedOrders, request, time)
    }

    /// Whether all rows of the table belong to the fetched entities.
    private var isOfWholeTable: Bool {
        let entity = Model._ashlarEntity
        return entity.schema.discriminators.isEmpty && (includesSubentities || !entity.hasDiscriminator)
    }

    /// Returns the path with the index that the descriptor requires.
    fileprivate func path(
        through index: FetchIndex<Model>, _ request: AccessPlanner.Request, _ time: FetchTime
    ) throws(FetchError) -> AccessPath {
        let entity = Model._ashlarEntity
        guard let description = entity.indexes.first(where: { $0.name == index.name }) else {
            throw .unknownIndex(entity: entity.name, index: index.name)
        }
        if description.kind == .binary { return .index(description.storeName) }
        let columns = BoundedColumns(condition?.expression, time: time)
        guard let rtree = entity.schema.rtrees.first(where: { $0.index.name == index.name }),
            let search = BoxSearch(rtree, columns, isWholeTable: isOfWholeTable)
        else {
            throw .unusableIndex(entity: entity.name, index: index.name)
        }
        return request == .count && search.isWholeCondition ? .edges(search) : .identifiers(search)
    }

    /// The orders of the rows; empty if any order is possible.
    private var plannedOrders: [ColumnOrder] { sortOrders.isEmpty ? [] : totalOrder }
}
