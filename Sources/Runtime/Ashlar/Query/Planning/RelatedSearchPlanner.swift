import AshlarSQLite
import SystemFoundation

/// Chooses the searches of conditions about to-many relationships, if an R-tree can find the rows.
///
/// `EXISTS` reads the rows of one owner after the other, until one matches. If few rows match, an R-tree finds all of
/// them at once, and their owners become a list of identifiers.
struct RelatedSearchPlanner {
    let entity: EntityDescription
    let request: AccessPlanner.Request
    let time: FetchTime
    /// The share of the entity's rows that the other terms allow.
    private let passedShare: Double
    /// The maximum number of rows that the other terms allow.
    private let passedLimit: Double
    /// Whether the rows come in the requested order, so that a limit ends the search early.
    private let endsEarly: Bool

    init(
        _ condition: SQLExpression, of entity: EntityDescription, orders: [ColumnOrder],
        _ request: AccessPlanner.Request, _ time: FetchTime
    ) {
        self.entity = entity
        self.request = request
        self.time = time
        let columns = BoundedColumns(condition, time: time)
        passedShare = 1 / Double(1 << min(columns.otherTermCount - condition.relatedTermCount, 4))
        let indexed = Set(entity.indexes.compactMap { $0.kind == .binary ? $0.elements.first?.column : nil })
        let isFound = condition.equalColumns.contains { indexed.contains($0) }
        passedLimit = columns.findsByIdentifier ? 1 : isFound ? 20 : .infinity
        endsEarly = orders.isEmpty || entity.indexes.contains { !$0.isPartial && $0.isForward(in: orders) != nil }
    }

    /// Returns the condition with the search for each relationship that is likely the fastest.
    ///
    /// - Throws: ``SQLiteError`` if there is no R-tree.
    func plan(
        _ condition: SQLExpression, _ statistics: StoreStatistics, _ connection: Connection
    ) throws(SQLiteError) -> SQLExpression {
        try plan(condition) { (search, rows) throws(SQLiteError) in
            try isFaster(search, rows, statistics, connection)
        }
    }

    /// Returns the condition with the searches that a closure chooses.
    func plan<Failure: Error>(
        _ condition: SQLExpression, _ uses: (BoxSearch, RelatedRows) throws(Failure) -> Bool
    ) throws(Failure) -> SQLExpression {
        if case .and(let terms) = condition {
            var planned: [SQLExpression] = []
            for term in terms { planned.append(try plan(term, uses)) }
            return .and(planned)
        }
        guard let (rows, inner) = condition.anyRelated, let search = rows.search(for: inner, time) else {
            return condition
        }
        var chosen = rows
        chosen.filter = rows.filter?.comparingCoordinates
        if try uses(search, rows) { chosen.search = .rtree(search) }
        return .any(chosen, inner.comparingCoordinates)
    }

    private func isFaster(
        _ search: BoxSearch, _ rows: RelatedRows, _ statistics: StoreStatistics, _ connection: Connection
    ) throws(SQLiteError) -> Bool {
        let estimator = try RTreeEstimator(search, connection)
        defer { estimator.end() }
        guard let root = estimator.root else { return false }
        let known = try statistics.statistics(of: search.index, rows.table, root: root, connection)
        let all = try statistics.rowCount(of: entity.tableName, connection)
        let owners = try statistics.rowCount(
            of: rows.owner.steps.last?.destinationTable ?? rows.owner.table, connection)
        func isFaster(_ matches: Double) -> Bool {
            AccessCost.identifiers(matches) + AccessCost.listing(matches)
                < costOfLooking(matches, known.rowCount, all: all, owners: owners)
        }
        let found = try estimator.estimate(
            cellsPerNode: known.cellsPerNode, isEnough: { isFaster($0.least) == isFaster($0.greatest) },
            nodeLimit: { _ in 16 })
        return isFaster(found.likely)
    }

    /// Returns the cost of reading the rows of each owner.
    private func costOfLooking(_ matches: Double, _ count: Double, all: Double, owners: Double) -> Double {
        let rowsOfOwner = count / max(1, owners)
        let share = min(1, max(matches, 0.1) / max(1, count))
        var looked = min(all * passedShare, passedLimit)
        switch request {
        case .rows(let limit?) where endsEarly: looked = min(looked, Double(limit) / chance(share, rowsOfOwner))
        case .existence: looked = min(looked, 1 / chance(share, rowsOfOwner))
        default: break
        }
        return looked * AccessCost.looking(min(rowsOfOwner, 1 / share))
    }

    /// Returns the probability that one of an owner's rows matches.
    private func chance(_ share: Double, _ rowsOfOwner: Double) -> Double {
        max(1e-9, 1 - pow(1 - share, rowsOfOwner))
    }
}

extension RelatedRows {
    /// Returns whether a condition on the rows, or the filter, bounds a coordinate of an R-tree.
    fileprivate func isBounded(by condition: SQLExpression) -> Bool {
        rtrees.contains { rtree in
            let columns = rtree.index.elements.compactMap(\.column)
            return condition.bounds(oneOf: columns, ofLevel: level)
                || filter?.bounds(oneOf: columns, ofLevel: level) == true
        }
    }

    /// Returns the search that finds all rows that match a condition and the filter; nil if there is none, or if they
    /// refer to outer rows too.
    fileprivate func search(for condition: SQLExpression, _ time: FetchTime) -> BoxSearch? {
        let terms = [filter, condition].compactMap(\.self)
        guard let search = BoxSearch.best(rtrees, BoundedColumns(.and(terms), level: level, time: time)) else {
            return nil
        }
        return terms.contains { $0.speaksOfRows(below: level) } ? nil : search
    }
}

extension SQLExpression {
    /// Whether a term of the conjunction is about related rows that an R-tree may find. It is the same for all
    /// expressions that differ only in their values.
    var boundsRelatedRows: Bool {
        switch self {
        case .and(let terms): terms.contains { $0.boundsRelatedRows }
        case .any(let rows, let condition): rows.isBounded(by: condition)
        case .comparison(.aggregate(.count, let rows, _), _, .value): rows.isBounded(by: .alwaysTrue)
        default: false
        }
    }

    /// The number of terms of the conjunction that are about related rows that an R-tree can find.
    fileprivate var relatedTermCount: Int {
        if case .and(let terms) = self { return terms.reduce(0) { $0 + $1.relatedTermCount } }
        return boundsRelatedRows ? 1 : 0
    }

    /// The rows, and the condition that one of them must match; nil for other conditions.
    fileprivate var anyRelated: (rows: RelatedRows, condition: SQLExpression)? {
        switch self {
        case .any(let rows, let condition): return (rows, condition)
        case .comparison(.aggregate(.count, let rows, _), let comparison, .value(.integer(let number))):
            let isAny: Bool =
                switch comparison {
                case .greater: number == 0
                case .notEqual: number == 0 && rows.owner.castCondition == nil
                case .greaterOrEqual: number == 1
                default: false
                }
            return isAny ? (rows, .alwaysTrue) : nil
        default: return nil
        }
    }

    /// The columns of the fetched row itself that must be equal to a value.
    fileprivate var equalColumns: [String] {
        switch self {
        case .and(let terms): terms.flatMap(\.equalColumns)
        case .comparison(let column, .equal, .value), .comparison(.value, .equal, let column),
            .comparison(let column, .equal, .identifier), .comparison(.identifier, .equal, let column):
            column.ownColumn.map { [$0] } ?? []
        default: []
        }
    }
}
