/// A whole number of any width, or an optional one, as the value of a column.
///
/// Columns of different widths can be compared with each other.
public protocol ColumnInteger: ColumnNumber {}

extension Int: ColumnInteger {}
extension Int16: ColumnInteger {}
extension Int32: ColumnInteger {}
extension Int64: ColumnInteger {}
extension Optional: ColumnInteger where Wrapped: ColumnInteger {}

/// Whole numbers of different widths, which the store does not distinguish: `Post.where { $0.likes * 2 >
/// $0.comments.count + 10 }`.
extension Column where Value: ColumnInteger {
    /// Returns the condition that two columns of different widths are equal; nil equals nil.
    @_disfavoredOverload
    public static func == <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isEqual(other.tree)
    }
    /// Returns the condition that two columns of different widths differ.
    @_disfavoredOverload
    public static func != <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isNotEqual(other.tree)
    }
    /// Returns the condition that the column is less than one of another width; false if one is nil.
    @_disfavoredOverload
    public static func < <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isLess(other.tree)
    }
    /// Returns the condition that the column is less than or equal to one of another width; false if one is nil.
    @_disfavoredOverload
    public static func <= <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isLessOrEqual(other.tree)
    }
    /// Returns the condition that the column is greater than one of another width; false if one is nil.
    ///
    ///     let posts = Post.where { $0.likes > $0.comments.count }
    @_disfavoredOverload
    public static func > <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isGreater(other.tree)
    }
    /// Returns the condition that the column is greater than or equal to one of another width; false if one is nil.
    @_disfavoredOverload
    public static func >= <Other: ColumnInteger>(column: Column, other: Column<Other>) -> Condition {
        column.tree.isGreaterOrEqual(other.tree)
    }
}

extension Column where Value: ColumnInteger & FixedWidthInteger {
    /// Returns the sum of columns of different widths.
    @_disfavoredOverload
    public static func + <Other: ColumnInteger & FixedWidthInteger>(
        column: Column, other: Column<Other>
    ) -> Column<Int64> {
        column.computing(.add, other)
    }
    /// Returns the difference of columns of different widths.
    @_disfavoredOverload
    public static func - <Other: ColumnInteger & FixedWidthInteger>(
        column: Column, other: Column<Other>
    ) -> Column<Int64> {
        column.computing(.subtract, other)
    }
    /// Returns the product of columns of different widths.
    @_disfavoredOverload
    public static func * <Other: ColumnInteger & FixedWidthInteger>(
        column: Column, other: Column<Other>
    ) -> Column<Int64> {
        column.computing(.multiply, other)
    }
    /// Returns the quotient of columns of different widths, without its fraction.
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
