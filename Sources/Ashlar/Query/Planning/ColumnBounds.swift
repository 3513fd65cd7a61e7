/// The least and the greatest value of a column that a condition lets through.
struct ColumnBounds: Hashable {
    /// One end of a range.
    struct End: Hashable {
        var value: Double
        var isIncluded: Bool
    }

    var lower: End?
    var upper: End?

    /// The values that both let through.
    mutating func formIntersection(_ other: ColumnBounds) {
        if let end = other.lower,
            lower.map({ ($0.value, $0.isIncluded ? 0 : 1) < (end.value, end.isIncluded ? 0 : 1) }) ?? true
        {
            lower = end
        }
        if let end = other.upper,
            upper.map({ ($0.value, $0.isIncluded ? 1 : 0) > (end.value, end.isIncluded ? 1 : 0) }) ?? true
        {
            upper = end
        }
    }

    /// What a comparison of a column with a number lets through; nil for one that is no bound.
    init?(_ comparison: SQLExpression.Comparison, _ value: Double) {
        switch comparison {
        case .equal:
            lower = End(value: value, isIncluded: true)
            upper = lower
        case .less, .lessOrEqual: upper = End(value: value, isIncluded: comparison == .lessOrEqual)
        case .greater, .greaterOrEqual: lower = End(value: value, isIncluded: comparison == .greaterOrEqual)
        case .notEqual: return nil
        }
    }

    init(_ range: ClosedRange<Double>) {
        lower = End(value: range.lowerBound, isIncluded: true)
        upper = End(value: range.upperBound, isIncluded: true)
    }
}

/// The terms of a condition that must all hold, as far as they bound columns of the rows that are asked for.
struct BoundedColumns {
    private(set) var bounds: [String: ColumnBounds] = [:]
    /// Terms that bound no column by numbers.
    private(set) var otherTerms: [SQLExpression] = []
    /// Terms that compare a column with values, so that an index finds the rows.
    private(set) var indexable: [String: [SQLExpression]] = [:]

    init(_ condition: SQLExpression?, time: FetchTime) {
        if let condition { add(condition, time) }
    }

    private mutating func add(_ term: SQLExpression, _ time: FetchTime) {
        if let column = term.indexableColumn { indexable[column, default: []].append(term) }
        switch term {
        case .and(let terms):
            for term in terms { add(term, time) }
            return
        case .comparison(let left, let comparison, let right):
            if let column = left.ownColumn, let value = right.bound(time),
                let bounds = ColumnBounds(comparison, value)
            {
                return add(bounds, to: column)
            }
            if let column = right.ownColumn, let value = left.bound(time),
                let bounds = ColumnBounds(comparison.mirrored, value)
            {
                return add(bounds, to: column)
            }
        case .box(let index, let ranges):
            let columns = index.columns.compactMap { SQLExpression.column($0).ownColumn }
            if columns.count == index.columns.count {
                for (column, range) in zip(columns, ranges) { add(ColumnBounds(range), to: column) }
                return
            }
        default: break
        }
        otherTerms.append(term)
    }

    /// Whether a term names the rows by their identifiers.
    var findsByIdentifier: Bool {
        (indexable["id$"] ?? []).contains { term in
            switch term {
            case .comparison(_, .equal, _), .isIn: true
            default: false
            }
        }
    }

    private mutating func add(_ added: ColumnBounds, to column: String) {
        var known = bounds[column] ?? added
        known.formIntersection(added)
        bounds[column] = known
    }
}

extension SQLExpression {
    /// Whether one of the terms that must all hold compares one of some columns.
    func bounds(oneOf columns: [String]) -> Bool {
        if columns.isEmpty { return false }
        switch self {
        case .and(let terms): return terms.contains { $0.bounds(oneOf: columns) }
        case .comparison(let left, _, let right): return left.isColumn(of: columns) || right.isColumn(of: columns)
        case .box: return true
        default: return false
        }
    }

    private func isColumn(of columns: [String]) -> Bool {
        guard case .column(let reference) = self, reference.path.level == 0, reference.path.steps.isEmpty else {
            return false
        }
        return columns.contains(reference.name)
    }

    /// The name of a column of the very row that is asked for, whose values are compared as numbers.
    var ownColumn: String? {
        guard case .column(let reference) = self, reference.path.level == 0, reference.path.steps.isEmpty,
            !reference.isDecimal
        else { return nil }
        return reference.name
    }

    /// The column of a term that compares one with values.
    fileprivate var indexableColumn: String? {
        switch self {
        case .comparison(let column, let comparison, .value(let value)) where comparison != .notEqual && !value.isNull:
            column.ownColumn
        case .isIn(let column, _): column.ownColumn
        default: nil
        }
    }

    /// The number that a column is compared with.
    fileprivate func bound(_ time: FetchTime) -> Double? {
        switch self {
        case .value(.integer(let number)): Double(number)
        case .value(.real(let number)) where !number.isNaN: number
        case .now: time.seconds
        default: nil
        }
    }
}

extension SQLExpression.Comparison {
    /// The comparison that says the same with its sides exchanged.
    var mirrored: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .equal, .notEqual: self
        }
    }
}
