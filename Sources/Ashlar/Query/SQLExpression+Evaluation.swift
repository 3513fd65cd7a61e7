/// The same conditions over objects in memory, with the meaning that the printed SQL has.
extension SQLExpression {
    /// Whether the condition holds for an object.
    func holds(for object: ManagedObject) -> Bool {
        switch self {
        case .comparison(let left, let comparison, let right):
            let isDecimal = left.isDecimal || right.isDecimal
            let first = left.value(for: object)
            let second = right.value(for: object)
            switch comparison {
            case .equal: return Self.order(first, second, isDecimal) == 0
            case .notEqual: return Self.order(first, second, isDecimal) != 0
            default: break
            }
            if first.isNull || second.isNull { return false }
            let order = Self.order(first, second, isDecimal)
            switch comparison {
            case .less: return order < 0
            case .lessOrEqual: return order <= 0
            case .greater: return order > 0
            default: return order >= 0
            }
        case .text(let expression, let comparison, let text):
            guard case .text(let value) = expression.value(for: object) else { return false }
            switch comparison {
            case .hasPrefix: return value.utf8.starts(with: text.utf8)
            case .hasSuffix: return value.utf8.reversed().starts(with: text.utf8.reversed())
            case .contains: return text.isEmpty || value.utf8.contains(Array(text.utf8))
            }
        case .isIn(let expression, let values):
            let value = expression.value(for: object)
            let isDecimal = expression.isDecimal
            return values.contains { Self.order(value, $0, isDecimal) == 0 }
        case .and(let terms): return terms.allSatisfy { $0.holds(for: object) }
        case .or(let terms): return terms.contains { $0.holds(for: object) }
        case .not(let term): return !term.holds(for: object)
        case .box(let index, let ranges):
            return zip(index.columns, ranges).allSatisfy { column, range in
                switch column.value(for: object) {
                case .real(let value): range.contains(value)
                case .integer(let value): range.contains(Double(value))
                default: false
                }
            }
        case .value, .column:
            switch value(for: object) {
            case .integer(let value): return value != 0
            case .real(let value): return value != 0
            default: return false
            }
        }
    }

    /// The value of the expression for an object.
    func value(for object: ManagedObject) -> SQLiteValue {
        switch self {
        case .value(let value): value
        case .column(let reference): reference.value(for: object)
        default: .integer(holds(for: object) ? 1 : 0)
        }
    }

    var isDecimal: Bool {
        if case .column(let reference) = self { return reference.isDecimal }
        return false
    }

    static func order(_ left: SQLiteValue, _ right: SQLiteValue, _ isDecimal: Bool) -> Int {
        if isDecimal, case .text(let first) = left, case .text(let second) = right {
            return DecimalCollation.compare(first, second)
        }
        return SQLiteValue.compare(left, right)
    }

    /// The paths that the expression follows.
    var columns: [ColumnReference] {
        switch self {
        case .value: []
        case .column(let reference): [reference]
        case .comparison(let left, _, let right): left.columns + right.columns
        case .text(let expression, _, _), .isIn(let expression, _), .not(let expression): expression.columns
        case .and(let terms), .or(let terms): terms.flatMap(\.columns)
        case .box(let index, _): index.columns
        }
    }
}

extension ColumnReference {
    /// The column's value for an object, along the path.
    func value(for object: ManagedObject) -> SQLiteValue {
        var current = object
        for step in path {
            guard let context = current.record.context,
                let identifier = current._ashlarIdentifier(step.column),
                let next = context.object(for: identifier, askedBy: current, step.column)
            else { return .null }
            current = next
        }
        return column < 0 ? .integer(current.record.rowID) : current._ashlarValue(column)
    }
}
