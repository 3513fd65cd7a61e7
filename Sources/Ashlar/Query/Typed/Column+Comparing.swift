/// Inlined, as looking up a generic type at run time takes longer than all else that a comparison does.
extension Column {
    @inlinable
    func constantTree(_ value: Value) -> ColumnTree {
        if let identify { return identify(value) }
        return ColumnTree(value: encode(value))
    }

    /// Equal; nil equals nil.
    @inlinable
    public static func == (column: Column, value: Value) -> Condition {
        column.tree.isEqual(column.constantTree(value))
    }
    /// Not equal; a value is not equal to nil.
    @inlinable
    public static func != (column: Column, value: Value) -> Condition {
        column.tree.isNotEqual(column.constantTree(value))
    }
    /// Less; false for nil.
    @inlinable
    public static func < (column: Column, value: Value) -> Condition { column.tree.isLess(column.constantTree(value)) }
    /// Less or equal; false for nil.
    @inlinable
    public static func <= (column: Column, value: Value) -> Condition {
        column.tree.isLessOrEqual(column.constantTree(value))
    }
    /// Greater; false for nil.
    @inlinable
    public static func > (column: Column, value: Value) -> Condition {
        column.tree.isGreater(column.constantTree(value))
    }
    /// Greater or equal; false for nil.
    @inlinable
    public static func >= (column: Column, value: Value) -> Condition {
        column.tree.isGreaterOrEqual(column.constantTree(value))
    }

    /// Equal to another column; nil equals nil.
    @inlinable
    public static func == (column: Column, other: Column) -> Condition { column.tree.isEqual(other.tree) }
    /// Not equal to another column.
    @inlinable
    public static func != (column: Column, other: Column) -> Condition { column.tree.isNotEqual(other.tree) }
    /// Less than another column; false where one is nil.
    @inlinable
    public static func < (column: Column, other: Column) -> Condition { column.tree.isLess(other.tree) }
    /// Less than another column, or equal; false where one is nil.
    @inlinable
    public static func <= (column: Column, other: Column) -> Condition { column.tree.isLessOrEqual(other.tree) }
    /// Greater than another column; false where one is nil.
    @inlinable
    public static func > (column: Column, other: Column) -> Condition { column.tree.isGreater(other.tree) }
    /// Greater than another column, or equal; false where one is nil.
    @inlinable
    public static func >= (column: Column, other: Column) -> Condition { column.tree.isGreaterOrEqual(other.tree) }

    /// Equal to a column that can be nil.
    @inlinable
    public static func == (column: Column, other: Column<Value?>) -> Condition { column.tree.isEqual(other.tree) }
    /// Equal to a column that cannot be nil.
    @inlinable
    public static func == (column: Column<Value?>, other: Column) -> Condition { column.tree.isEqual(other.tree) }
    /// Not equal to a column that can be nil.
    @inlinable
    public static func != (column: Column, other: Column<Value?>) -> Condition { column.tree.isNotEqual(other.tree) }
    /// Not equal to a column that cannot be nil.
    @inlinable
    public static func != (column: Column<Value?>, other: Column) -> Condition { column.tree.isNotEqual(other.tree) }

    /// The column as an optional one, to compare it with one that is: `$0.name.optional < $0.title`.
    public var optional: Column<Value?> { Column<Value?>(expression, coding.optional) }

    /// Whether the value lies in a range, its ends included.
    @inlinable
    public func isIn(_ range: ClosedRange<Value>) -> Condition where Value: Comparable {
        tree.isGreaterOrEqual(constantTree(range.lowerBound)) && tree.isLessOrEqual(constantTree(range.upperBound))
    }

    /// Whether the value lies in a range, its upper end excluded.
    @inlinable
    public func isIn(_ range: Range<Value>) -> Condition where Value: Comparable {
        tree.isGreaterOrEqual(constantTree(range.lowerBound)) && tree.isLess(constantTree(range.upperBound))
    }

    /// Whether the value lies in a range, its ends included; false for nil.
    @inlinable
    public func isIn<Wrapped: Comparable>(_ range: ClosedRange<Wrapped>) -> Condition where Value == Wrapped? {
        tree.isGreaterOrEqual(constantTree(range.lowerBound)) && tree.isLessOrEqual(constantTree(range.upperBound))
    }

    /// Whether the value lies in a range, its upper end excluded; false for nil.
    @inlinable
    public func isIn<Wrapped: Comparable>(_ range: Range<Wrapped>) -> Condition where Value == Wrapped? {
        tree.isGreaterOrEqual(constantTree(range.lowerBound)) && tree.isLess(constantTree(range.upperBound))
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
