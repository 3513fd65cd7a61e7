import AshlarSQLite

/// Chooses the way in which a statement finds the rows of its table, if an R-tree can find them.
///
/// SQLite's planner does not estimate the number of rows that an R-tree finds. It may use an R-tree where the first
/// rows of an index in the requested order would suffice, or the reverse. This planner estimates the number of rows
/// that each path reads.
struct AccessPlanner {
    /// The kind of request.
    enum Request: Hashable {
        /// The rows, all or up to a limit.
        case rows(limit: Int?)
        /// The number of rows.
        case count
        /// The existence of a row.
        case existence
    }

    let entity: EntityDescription
    let search: BoxSearch
    let columns: BoundedColumns
    let request: Request
    /// The order of the result; empty if there is none.
    let orders: [ColumnOrder]
    let time: FetchTime

    /// Returns the path that is likely the fastest.
    ///
    /// - Throws: ``SQLiteError`` if there is no R-tree.
    func plan(_ statistics: StoreStatistics, _ connection: Connection) throws(SQLiteError) -> AccessPlan {
        let estimator = try RTreeEstimator(search, connection)
        defer { estimator.end() }
        guard let root = estimator.root else { return AccessPlan(path: .withoutRTree) }
        if request == .count, search.isWholeCondition { return AccessPlan(path: .edges(search)) }
        let known = try statistics.statistics(of: search.index, entity.tableName, root: root, connection)
        let walked = walkedIndex(known)
        let found = try estimator.estimate(
            cellsPerNode: known.cellsPerNode,
            isEnough: { best($0.least, known, walked).path == best($0.greatest, known, walked).path },
            nodeLimit: { Int(min(64, 4 + best($0.likely, known, walked).cost / 25)) })
        let chosen = best(found.likely, known, walked)
        if let other = try better(than: chosen, found.likely, known, walked, connection) {
            return AccessPlan(path: other)
        }
        return AccessPlan(path: chosen.path, detour: detour(from: chosen.path, found.likely, known, walked))
    }

    private typealias Choice = (path: AccessPath, cost: Double)

    /// Returns the best path for a number of matching rows, without considering other indexes. If a path in the
    /// requested order may not end early, it is assumed to read all rows of the table.
    private func best(
        _ matches: Double, _ known: RTreeStatistics, _ walked: IndexDescription?, endsEarly: Bool = true
    ) -> Choice {
        let scanned = rowsToLimit(matches, known, isInOrder: isByIdentifier && endsEarly)
        var sorting = 0.0
        if case .rows(_?) = request, !isByIdentifier { sorting = AccessCost.sorting(matches) }
        var best: Choice = (.scan, AccessCost.scanning(scanned) + sorting)
        func consider(_ path: AccessPath, _ cost: Double) {
            if cost < best.cost { best = (path, cost) }
        }
        if isOrderFree { consider(.candidates(search), AccessCost.candidates(matches) + sorting) }
        consider(.identifiers(search), identifiersCost(matches) + sorting)
        if case .rows(_?) = request, let walked, endsEarly {
            let rows = rowsToLimit(matches, known, isInOrder: true)
            consider(.index(walked.storeName), AccessCost.walking(rows))
            let found = rows * matches / max(1, known.rowCount)
            consider(
                .indexAmong(walked.storeName, search),
                AccessCost.collecting(matches) + AccessCost.passing(rows) + AccessCost.walking(found))
        }
        return best
    }

    /// Returns the alternative if a path in the requested order does not find enough rows in time. The rows in the box
    /// may be the last in that order.
    private func detour(
        from path: AccessPath, _ matches: Double, _ known: RTreeStatistics, _ walked: IndexDescription?
    ) -> AccessPlan.Detour? {
        guard case .rows(let limit?) = request else { return nil }
        let other = best(matches, known, walked, endsEarly: false)
        if other.path == path { return nil }
        // Even if rows are spread randomly, the last requested one may come late.
        let chance = 1 + 4 / Double(max(1, limit)).squareRoot()
        var rows = max(
            rowsToLimit(matches, known, isInOrder: true) * chance, 0.3 * other.cost / AccessCost.walkingOneRow)
        if case .indexAmong = path { rows += matches }
        return rows < known.rowCount ? AccessPlan.Detour(rows: rows, path: other.path) : nil
    }

    /// Returns another index that finds fewer rows than the best path reads.
    private func better(
        than best: Choice, _ matches: Double, _ known: RTreeStatistics, _ walked: IndexDescription?,
        _ connection: Connection
    ) throws(SQLiteError) -> AccessPath? {
        if best.cost < 50 { return nil }
        let indexable = columns.indexable
        if indexable.isEmpty { return nil }
        var path: AccessPath?
        var least = best.cost
        for index in entity.indexes where isUsable(index, known) {
            guard let column = index.elements.first?.column, let terms = indexable[column] else { continue }
            // Counting costs a fraction of finding, and ends when finding would not be better.
            let limit = min(least, 10_000)
            let count = try self.count(index, terms, limit: Int(limit), connection)
            if count >= limit { continue }
            let isInOrder = index == walked
            let rows = isInOrder ? min(count, rowsToLimit(matches, known, isInOrder: true)) : count
            if AccessCost.walking(rows) < least {
                path = .index(index.storeName)
                least = AccessCost.walking(rows)
            }
        }
        return path
    }

    /// Returns the number of rows that a path reads until it has found the requested number, if matches are spread
    /// evenly.
    private func rowsToLimit(_ matches: Double, _ known: RTreeStatistics, isInOrder: Bool) -> Double {
        guard isInOrder, case .rows(let limit?) = request else { return known.rowCount }
        // The selectivity of the other terms is unknown.
        let passed = max(0.1, 1 / Double(1 << min(columns.otherTermCount, 4)))
        let share = max(min(1, matches / max(1, known.rowCount)) * passed, 1e-9)
        return min(known.rowCount, Double(limit) / share)
    }

    private func identifiersCost(_ matches: Double) -> Double {
        guard isByIdentifier, case .rows(let limit?) = request else { return AccessCost.identifiers(matches) }
        return AccessCost.collecting(matches) + AccessCost.identifiers(min(matches, Double(limit)))
    }

    private func count(
        _ index: IndexDescription, _ terms: [SQLExpression], limit: Int, _ connection: Connection
    ) throws(SQLiteError) -> Double {
        var statement = SQLStatement(time: time)
        let conditions = terms.map { $0.sql(&statement) }.joined(separator: " AND ")
        let source = statement.written {
            AccessPath.index(index.storeName).writeSource(entity.tableName, to: &$0)
        }
        let limit = statement.parameter(.integer(Int64(limit)))
        let sql = "SELECT count(*) FROM (SELECT 1 FROM \(source) WHERE \(conditions) LIMIT \(limit))"
        return Double(try connection.integer(sql, statement.values) ?? 0)
    }
}

/// The order of the result.
extension AccessPlanner {
    /// Whether the result is in the order of identifiers, by default or by request.
    private var isByIdentifier: Bool { orders.isEmpty || orders[0].expression.ownColumn == "id$" }

    /// Whether the rows may be found in any order, because they are sorted or counted.
    private var isOrderFree: Bool {
        if case .rows = request { return !orders.isEmpty }
        return true
    }

    /// Returns the index that has the rows in the requested order.
    private func walkedIndex(_ known: RTreeStatistics) -> IndexDescription? {
        entity.indexes.first { isUsable($0, known) && $0.isForward(in: orders) != nil }
    }

    private func isUsable(_ index: IndexDescription, _ known: RTreeStatistics) -> Bool {
        index.kind == .binary && !index.isPartial && known.indexNames.contains(index.storeName)
    }
}
