/// The new value of one column.
struct ColumnAssignment: Sendable {
    enum Value: Sendable {
        /// A value of the row, or the same for all rows.
        case expression(SQLExpression)
        /// An object that a to-one relationship is to lead to.
        case reference(PersistentIdentifier?)
    }

    /// The column as the closure named it.
    var target: SQLExpression
    var value: Value
}

extension [ColumnAssignment] {
    /// The last assignment of a column counts.
    private mutating func set(_ target: SQLExpression, _ value: ColumnAssignment.Value) {
        let assignment = ColumnAssignment(target: target, value: value)
        if let index = firstIndex(where: { $0.target == target }) {
            self[index] = assignment
        } else {
            append(assignment)
        }
    }

    mutating func assign(_ target: SQLExpression, _ value: SQLExpression, within presence: SQLExpression? = nil) {
        guard let presence else { return set(target, .expression(value)) }
        // The leaves of a composite that is nil are nil, whatever is assigned to them.
        let isPresent = SQLExpression.comparison(presence, .notEqual, .value(.null))
        set(target, .expression(.conditional(isPresent, value, .value(.null))))
    }

    mutating func assign(_ target: SQLExpression, _ identifier: PersistentIdentifier?) {
        set(target, .reference(identifier))
    }

    mutating func assignNil(_ composite: CompositeColumns<some Any>) {
        for column in composite.references { set(.column(column), .expression(.value(.null))) }
    }

    /// A column as it is after the assignments so far.
    func current<Value>(_ column: Column<Value>) -> Column<Value> {
        for assignment in self where assignment.target == column.expression {
            if case .expression(let expression) = assignment.value { return Column(expression, column.coding) }
        }
        return column
    }
}

/// `$0.likes += 1` in a batch update.
extension Column where Value: ColumnNumber {
    /// Adds a number to a column in a batch update.
    public static func += (column: inout Column, value: Value) { column = column + value }
    /// Adds another column to a column in a batch update.
    public static func += (column: inout Column, other: Column) { column = column + other }
    /// Subtracts a number from a column in a batch update.
    public static func -= (column: inout Column, value: Value) { column = column - value }
    /// Subtracts another column from a column in a batch update.
    public static func -= (column: inout Column, other: Column) { column = column - other }
    /// Multiplies a column by a number in a batch update.
    public static func *= (column: inout Column, value: Value) { column = column * value }
    /// Divides a column by a number in a batch update.
    public static func /= (column: inout Column, value: Value) { column = column / value }
}
