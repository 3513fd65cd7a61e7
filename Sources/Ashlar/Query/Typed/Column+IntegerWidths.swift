/// A whole number of any width, or an optional one, which can be compared with one of another width.
public protocol ColumnInteger: ColumnNumber {}

extension Int: ColumnInteger {}
extension Int16: ColumnInteger {}
extension Int32: ColumnInteger {}
extension Int64: ColumnInteger {}
extension Optional: ColumnInteger where Wrapped: ColumnInteger {}

/// Whole numbers of different widths, which the store does not tell apart:
/// `Post.where { $0.likes * 2 > $0.comments.count + 10 }`.
extension Column where Value: ColumnInteger {
    /// Equal to a column of another width; nil equals nil.
    @_disfavoredOverload
    public static func == <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isEqual(other.tree)
    }
    /// Not equal to a column of another width.
    @_disfavoredOverload
    public static func != <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isNotEqual(other.tree)
    }
    /// Less than a column of another width; false where one is nil.
    @_disfavoredOverload
    public static func < <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isLess(other.tree)
    }
    /// Less than a column of another width, or equal; false where one is nil.
    @_disfavoredOverload
    public static func <= <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isLessOrEqual(other.tree)
    }
    /// Greater than a column of another width; false where one is nil.
    @_disfavoredOverload
    public static func > <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isGreater(other.tree)
    }
    /// Greater than a column of another width, or equal; false where one is nil.
    @_disfavoredOverload
    public static func >= <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isGreaterOrEqual(other.tree)
    }
}

extension Column where Value: ColumnInteger & FixedWidthInteger {
    /// The sum of columns of different widths.
    @_disfavoredOverload
    public static func + <Other: ColumnInteger & FixedWidthInteger>(
        column: Column, other: Column<Other>
    ) -> Column<Int64> {
        column.computing(.add, other)
    }
    /// The difference of columns of different widths.
    @_disfavoredOverload
    public static func - <Other: ColumnInteger & FixedWidthInteger>(
        column: Column, other: Column<Other>
    ) -> Column<Int64> {
        column.computing(.subtract, other)
    }
    /// The product of columns of different widths.
    @_disfavoredOverload
    public static func * <Other: ColumnInteger & FixedWidthInteger>(
        column: Column, other: Column<Other>
    ) -> Column<Int64> {
        column.computing(.multiply, other)
    }
    /// The quotient of columns of different widths, without its fraction.
    @_disfavoredOverload
    public static func / <Other: ColumnInteger & FixedWidthInteger>(
        column: Column, other: Column<Other>
    ) -> Column<Int64> {
        column.computing(.divide, other)
    }

    private func computing(_ operation: SQLExpression.Arithmetic, _ other: Column<some Any>) -> Column<Int64> {
        Column<Int64>(.arithmetic(expression.bounded, operation, other.expression.bounded), .int64)
    }
}
