/// Chooses how a statement finds the rows of its table, where an R-tree could.
///
/// SQLite's planner knows nothing of how many rows an R-tree finds, and takes an R-tree where the first rows of an index
/// in the wanted order would do, or the other way round. This one estimates how many rows each way looks at.
struct AccessPlanner {
    /// What is asked for.
    enum Request: Hashable {
        /// Rows, as many as there are or some.
        case rows(limit: Int?)
        /// How many rows there are.
        case count
        /// Whether there is a row.
        case existence
    }

    let entity: EntityDescription
    let search: BoxSearch
    let columns: BoundedColumns
    let request: Request
    /// How the result is ordered; empty where it is not.
    let orders: [ColumnOrder]

    /// The path that is likely the fastest.
    ///
    /// Throws an ``SQLiteError`` where there is no R-tree.
    func path(_ statistics: StoreStatistics, _ connection: Connection) throws(SQLiteError) -> AccessPath {
        // A statement that has not ended keeps its transaction open. Without it each of the others had one of its own,
        // which costs as much as reading a node.
        let newest = try connection.statement("SELECT max(\"id$\") FROM \(entity.tableName.quotedIdentifier)")
        defer { newest.reset() }
        guard try newest.step() else { return .automatic }
        let greatest = Row(statement: newest.handle, store: 0).optionalInt64(0) ?? 0
        let known = try statistics.statistics(
            of: search.index, entity.tableName, greatestRowID: greatest, connection)
        if request == .count, search.isWholeCondition { return .edges(search) }
        let estimator = try RTreeEstimator(search, cellsPerNode: known.cellsPerNode, connection)
        let found = try estimator.estimate(
            isEnough: { best($0.least, known).path == best($0.greatest, known).path },
            nodeLimit: { Int(min(64, 4 + best($0.likely, known).cost / 25)) })
        let chosen = best(found.likely, known)
        return try better(than: chosen, found.likely, known, connection) ?? chosen.path
    }

    private typealias Choice = (path: AccessPath, cost: Double)

    /// The best path when so many rows match, without a look at what other indexes find.
    private func best(_ matches: Double, _ known: RTreeStatistics) -> Choice {
        var best: Choice = (.scan, AccessCost.scanning(rowsToLimit(matches, known, isInOrder: isByIdentifier)))
        func consider(_ path: AccessPath, _ cost: Double) {
            if cost < best.cost { best = (path, cost) }
        }
        if isOrderFree { consider(.candidates(search), AccessCost.candidates(matches)) }
        consider(.identifiers(search), identifiersCost(matches))
        if case .rows(_?) = request, let walked = walkedIndex(known) {
            consider(
                .index(walked.storeName), AccessCost.walking(rowsToLimit(matches, known, isInOrder: true)))
        }
        return best
    }

    /// Another index that finds fewer rows than the best way looks at.
    private func better(
        than best: Choice, _ matches: Double, _ known: RTreeStatistics, _ connection: Connection
    ) throws(SQLiteError) -> AccessPath? {
        if best.cost < 50 { return nil }
        let walked = walkedIndex(known)
        var path: AccessPath?
        var least = best.cost
        for index in entity.indexes where isUsable(index, known) {
            guard let column = index.elements.first?.column, let terms = columns.indexable[column] else { continue }
            // Counting costs a fraction of finding, and ends where finding would be no better.
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

    /// How many rows a path looks at until it has as many as are asked for, when they are spread evenly.
    private func rowsToLimit(_ matches: Double, _ known: RTreeStatistics, isInOrder: Bool) -> Double {
        guard isInOrder, case .rows(let limit?) = request else { return known.rowCount }
        // Of what the other terms let through nothing is known.
        let passed = max(0.1, 1 / Double(1 << min(columns.otherTerms.count, 4)))
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
        var statement = SQLStatement()
        let conditions = terms.map { $0.sql(&statement) }.joined(separator: " AND ")
        let source = AccessPath.index(index.storeName).source(entity.tableName)
        let limit = statement.parameter(.integer(Int64(limit)))
        let sql = "SELECT count(*) FROM (SELECT 1 FROM \(source) WHERE \(conditions) LIMIT \(limit))"
        return Double(try connection.integer(sql, statement.values) ?? 0)
    }
}

/// The order of the result.
extension AccessPlanner {
    /// Whether the result has the order of identifiers: it has no other, or asks for it.
    private var isByIdentifier: Bool { orders.isEmpty || orders[0].expression.ownColumn == "id$" }

    /// Whether the rows may be found in any order: they are sorted or counted.
    private var isOrderFree: Bool {
        if case .rows = request { return !orders.isEmpty }
        return true
    }

    /// The index that has the rows in the wanted order.
    private func walkedIndex(_ known: RTreeStatistics) -> IndexDescription? {
        entity.indexes.first { isUsable($0, known) && $0.isForward(in: orders) != nil }
    }

    private func isUsable(_ index: IndexDescription, _ known: RTreeStatistics) -> Bool {
        index.kind == .binary && !index.isPartial && known.indexNames.contains(index.storeName)
    }
}
