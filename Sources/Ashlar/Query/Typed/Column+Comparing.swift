/// Inlined, as looking up a generic type at run time takes longer than all else that a comparison does.
extension Column {
    func compare(_ comparison: SQLExpression.Comparison, _ value: Value) -> Condition {
        Condition(.comparison(expression, comparison, constant(value)))
    }

    func compare<Other>(_ comparison: SQLExpression.Comparison, _ other: Column<Other>) -> Condition {
        Condition(.comparison(expression, comparison, other.expression))
    }

    /// Equal; nil equals nil.
    public static func == (column: Column, value: Value) -> Condition { column.compare(.equal, value) }
    /// Not equal; a value is not equal to nil.
    public static func != (column: Column, value: Value) -> Condition { column.compare(.notEqual, value) }
    /// Less; false for nil.
    public static func < (column: Column, value: Value) -> Condition { column.compare(.less, value) }
    /// Less or equal; false for nil.
    public static func <= (column: Column, value: Value) -> Condition { column.compare(.lessOrEqual, value) }
    /// Greater; false for nil.
    public static func > (column: Column, value: Value) -> Condition { column.compare(.greater, value) }
    /// Greater or equal; false for nil.
    public static func >= (column: Column, value: Value) -> Condition { column.compare(.greaterOrEqual, value) }

    /// Equal to another column; nil equals nil.
    public static func == (column: Column, other: Column) -> Condition { column.compare(.equal, other) }
    /// Not equal to another column.
    public static func != (column: Column, other: Column) -> Condition { column.compare(.notEqual, other) }
    /// Less than another column; false where one is nil.
    public static func < (column: Column, other: Column) -> Condition { column.compare(.less, other) }
    /// Less than another column, or equal; false where one is nil.
    public static func <= (column: Column, other: Column) -> Condition { column.compare(.lessOrEqual, other) }
    /// Greater than another column; false where one is nil.
    public static func > (column: Column, other: Column) -> Condition { column.compare(.greater, other) }
    /// Greater than another column, or equal; false where one is nil.
    public static func >= (column: Column, other: Column) -> Condition { column.compare(.greaterOrEqual, other) }

    /// Equal to a column that can be nil.
    public static func == (column: Column, other: Column<Value?>) -> Condition { column.compare(.equal, other) }
    /// Equal to a column that cannot be nil.
    public static func == (column: Column<Value?>, other: Column) -> Condition { column.compare(.equal, other) }
    /// Not equal to a column that can be nil.
    public static func != (column: Column, other: Column<Value?>) -> Condition { column.compare(.notEqual, other) }
    /// Not equal to a column that cannot be nil.
    public static func != (column: Column<Value?>, other: Column) -> Condition { column.compare(.notEqual, other) }

    /// The column as an optional one, to compare it with one that is: `$0.name.optional < $0.title`.
    public var optional: Column<Value?> { Column<Value?>(expression, coding.optional) }

    /// Whether the value lies in a range, its ends included.
    public func isIn(_ range: ClosedRange<Value>) -> Condition where Value: Comparable {
        compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
    }

    /// Whether the value lies in a range, its upper end excluded.
    public func isIn(_ range: Range<Value>) -> Condition where Value: Comparable {
        compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
    }

    /// The value, or another where it is nil.
    public static func ?? <Wrapped>(column: Column, value: Wrapped) -> Column<Wrapped> where Value == Wrapped? {
        column ?? Column<Wrapped>(column.constant(value), column.coding.unwrapped())
    }

    /// The value, or that of another column where it is nil.
    public static func ?? <Wrapped>(column: Column, other: Column<Wrapped>) -> Column<Wrapped>
    where Value == Wrapped? {
        Column<Wrapped>(.coalesce(column.expression, other.expression), column.coding.unwrapped())
    }
}

extension Column where Value == Bool {
    /// The attribute itself as a condition: `Post.where { $0.favorite.isTrue }`.
    public var isTrue: Condition { Condition(expression) }
}
