/// The new value of one column.
struct ColumnAssignment: Sendable {
    enum Value: Sendable {
        /// An expression, which may depend on the row.
        case expression(SQLExpression)
        /// The destination of a to-one relationship.
        case reference(PersistentIdentifier?)
    }

    /// The column as the closure named it.
    var target: SQLExpression
    var value: Value
}

extension [ColumnAssignment] {
    /// Sets the value of a column. It replaces an earlier one.
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
        // The parts of a composite that is nil stay nil.
        let isPresent = SQLExpression.comparison(presence, .notEqual, .value(.null))
        set(target, .expression(.conditional(isPresent, value, .value(.null))))
    }

    mutating func assign(_ target: SQLExpression, _ identifier: PersistentIdentifier?) {
        set(target, .reference(identifier))
    }

    mutating func assignNil(_ composite: CompositeColumns<some Any>) {
        for column in composite.references { set(.column(column), .expression(.value(.null))) }
    }

    /// Returns a column with the assignments made so far.
    func current<Value>(_ column: Column<Value>) -> Column<Value> {
        for assignment in self where assignment.target == column.expression {
            if case .expression(let expression) = assignment.value { return Column(expression, column.coding) }
        }
        return column
    }
}

/// The operators of `$0.likes += 1` in a batch update.
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
