import AshlarSQLite

/// An aggregate that the store computes for some rows, and to which other rows are added in memory.
struct GroupAggregate: Sendable {
    let expression: SQLExpression
    private let kind: SQLExpression.Aggregate
    /// The aggregated value; nil for the rows themselves.
    private let term: SQLExpression?
    /// The column of that value in objects, or a negative number for the rowid.
    let column: Int?

    /// Creates an aggregate; nil for other expressions, and if the result cannot be computed from parts.
    init?(_ expression: SQLExpression, _ entity: EntityDescription) {
        guard case .groupAggregate(let kind, let term, let isDistinct) = expression, !isDistinct else { return nil }
        column = term.flatMap(entity.keptColumn)
        if term != nil, column == nil { return nil }
        switch kind {
        case .count, .minimum, .maximum: break
        case .sum, .average: if !entity.keepsWholeNumbers(term) { return nil }
        }
        self.expression = expression
        self.kind = kind
        self.term = term
    }

    /// The expressions that the store computes.
    var storedParts: [SQLExpression] {
        if kind != .average { return [expression] }
        return [.groupAggregate(.sum, term, isDistinct: false), .groupAggregate(.count, term, isDistinct: false)]
    }

    /// The aggregate of no rows.
    var nothing: Total { Total(kind: kind) }

    /// Returns the aggregate of the store's results; nil if it is not exact.
    func total(ofParts parts: [SQLiteValue]) -> Total? {
        switch kind {
        case .count:
            guard case .integer(let count) = parts[0] else { return nil }
            return Total(kind: kind, count: count)
        case .sum:
            guard case .integer(let sum) = parts[0] else { return nil }
            return Total(kind: kind, sum: Int128(sum))
        case .average:
            guard case .integer(let sum) = parts[0], case .integer(let count) = parts[1] else { return nil }
            return Total(kind: kind, count: count, sum: Int128(sum))
        case .minimum, .maximum:
            return Total(kind: kind, extreme: parts[0])
        }
    }

    /// Returns the aggregate of one row, given the value in the row to aggregate; nil if the row itself is counted.
    func total(of value: SQLiteValue?) -> Total {
        guard let value else { return Total(kind: kind, count: 1) }
        if case .integer(let number) = value { return Total(kind: kind, count: 1, sum: Int128(number), extreme: value) }
        return Total(kind: kind, count: value.isNull ? 0 : 1, extreme: value)
    }

    /// An aggregate of some rows.
    struct Total: Sendable {
        fileprivate let kind: SQLExpression.Aggregate
        fileprivate var count: Int64 = 0
        /// Wide enough for the sum of any number of 64-bit integers.
        fileprivate var sum: Int128 = 0
        fileprivate var extreme = SQLiteValue.null

        /// Adds the aggregate of other rows.
        mutating func add(_ other: Total) {
            count += other.count
            sum += other.sum
            if other.extreme.isNull { return }
            let order = SQLiteValue.compare(other.extreme, extreme)
            if extreme.isNull || (kind == .minimum ? order < 0 : order > 0) { extreme = other.extreme }
        }

        /// The value, as ``NumberFunction`` computes it for all rows.
        var value: SQLiteValue {
            switch kind {
            case .count: .integer(count)
            case .sum: Int64(exactly: sum).map { .integer($0) } ?? SQLiteValue(Double(sum))
            case .average: count == 0 ? .null : SQLiteValue(Double(sum) / Double(count))
            case .minimum, .maximum: extreme
            }
        }
    }
}

extension EntityDescription {
    /// Returns the column of a value that memory and the store represent in the same way, or a negative number for the
    /// rowid. Returns nil for values other than columns of the row itself, for encoded values, and for decimal numbers,
    /// which have several texts.
    func keptColumn(_ expression: SQLExpression) -> Int? {
        guard case .column(let reference) = expression, reference.path.isOwnRow else { return nil }
        if reference.column < 0 { return reference.column }
        return [.decimal, .binary, .transformable].contains(columns[reference.column].type) ? nil : reference.column
    }

    /// Returns whether a value is a column of whole numbers.
    fileprivate func keepsWholeNumbers(_ expression: SQLExpression?) -> Bool {
        guard case .column(let reference) = expression, reference.path.isOwnRow, reference.column >= 0 else {
            return false
        }
        return [.integer16, .integer32, .integer64, .boolean].contains(columns[reference.column].type)
    }
}
