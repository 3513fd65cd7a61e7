/// The least and the greatest value of a column that a condition allows.
struct ColumnBounds: Hashable {
    /// One end of a range.
    struct End: Hashable {
        var value: Double
        var isIncluded: Bool
    }

    var lower: End?
    var upper: End?

    /// Reduces the bounds to the values that both allow.
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

    /// Creates the bounds of a column's comparison with a number; nil if it sets no bound.
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

/// The terms of a conjunction, as far as they bound columns of the fetched rows.
struct BoundedColumns {
    /// The bounds of columns. They are few, so that a linear search is faster than a dictionary.
    private var bounded: [(column: String, bounds: ColumnBounds)] = []
    /// The number of terms that do not bound a column by numbers.
    private(set) var otherTermCount = 0
    /// Whether a term selects the rows by their identifiers.
    private(set) var findsByIdentifier = false
    private let condition: SQLExpression?
    /// The level of the fetched rows; see ``ColumnPath/level``.
    private let level: Int

    init(_ condition: SQLExpression?, level: Int = 0, time: FetchTime) {
        self.condition = condition
        self.level = level
        if let condition { add(condition, time) }
    }

    private mutating func add(_ term: SQLExpression, _ time: FetchTime) {
        switch term {
        case .and(let terms):
            for term in terms { add(term, time) }
            return
        case .comparison(let left, let comparison, let right):
            if comparison == .equal, left.column(ofLevel: level) == "id$", right.isKnownValue {
                findsByIdentifier = true
            }
            if let column = left.column(ofLevel: level), let value = right.bound(time),
                let bounds = ColumnBounds(comparison, value)
            {
                return add(bounds, to: column)
            }
            if let column = right.column(ofLevel: level), let value = left.bound(time),
                let bounds = ColumnBounds(comparison.mirrored, value)
            {
                return add(bounds, to: column)
            }
        case .isIn(let column, _), .isOneOf(let column, _, _):
            if column.column(ofLevel: level) == "id$" { findsByIdentifier = true }
        case .box(let index, let ranges):
            let columns = index.columns.compactMap { SQLExpression.column($0).column(ofLevel: level) }
            if columns.count == index.columns.count {
                for (column, range) in zip(columns, ranges) { add(ColumnBounds(range), to: column) }
                return
            }
        default: break
        }
        otherTermCount += 1
    }

    private mutating func add(_ added: ColumnBounds, to column: String) {
        if let position = bounded.firstIndex(where: { $0.column == column }) {
            bounded[position].bounds.formIntersection(added)
        } else {
            bounded.append((column, added))
        }
    }

    /// Returns the bounds of a column; nil if it has none.
    func bounds(of column: String) -> ColumnBounds? { bounded.first { $0.column == column }?.bounds }

    /// Returns whether there are bounds of other columns, or other terms.
    func says(moreThanOf columns: [String]) -> Bool {
        otherTermCount > 0 || !bounded.allSatisfy { columns.contains($0.column) }
    }

    /// The terms that compare a column with values, for which an index can find the rows.
    var indexable: [String: [SQLExpression]] {
        var result: [String: [SQLExpression]] = [:]
        func add(_ term: SQLExpression) {
            if case .and(let terms) = term {
                for term in terms { add(term) }
            } else if let column = term.indexableColumn {
                result[column, default: []].append(term)
            }
        }
        if let condition { add(condition) }
        return result
    }
}

extension SQLExpression {
    /// Returns whether one of the terms compares one of some columns.
    func bounds(oneOf columns: [String], ofLevel level: Int = 0) -> Bool {
        if columns.isEmpty { return false }
        switch self {
        case .and(let terms): return terms.contains { $0.bounds(oneOf: columns, ofLevel: level) }
        case .comparison(let left, _, let right):
            return left.isColumn(of: columns, level) || right.isColumn(of: columns, level)
        case .box: return true
        default: return false
        }
    }

    private func isColumn(of columns: [String], _ level: Int) -> Bool {
        guard case .column(let reference) = self, reference.path.level == level, reference.path.isOwnRow else {
            return false
        }
        return columns.contains(reference.name)
    }

    /// The name of a column of the fetched row itself, if its values are compared as numbers.
    var ownColumn: String? { column(ofLevel: 0) }

    /// Returns the name of a column of the rows of a level, if its values are compared as numbers.
    func column(ofLevel level: Int) -> String? {
        guard case .column(let reference) = self, reference.path.level == level, reference.path.isOwnRow,
            !reference.isDecimal
        else { return nil }
        return reference.name
    }

    /// The column of a term that compares it with values.
    fileprivate var indexableColumn: String? {
        switch self {
        case .comparison(let column, let comparison, let value) where comparison != .notEqual && value.isKnownValue:
            column.ownColumn
        case .isIn(let column, _), .isOneOf(let column, _, _): column.ownColumn
        default: nil
        }
    }

    /// Whether the expression is a given value that is not NULL.
    fileprivate var isKnownValue: Bool {
        switch self {
        case .value(let value): !value.isNull
        case .identifier: true
        default: false
        }
    }

    /// Returns the number that a column is compared with.
    fileprivate func bound(_ time: FetchTime) -> Double? {
        switch self {
        case .value(.integer(let number)): Double(number)
        case .identifier(let identifier, let root): Double(identifier.rowID(of: root, in: time.store))
        case .value(.real(let number)) where !number.isNaN: number
        case .now: time.seconds
        default: nil
        }
    }
}

extension SQLExpression.Comparison {
    /// The comparison with the same meaning when its sides are exchanged.
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
