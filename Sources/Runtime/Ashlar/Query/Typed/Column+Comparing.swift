/// Inlined, because looking up a generic type at run time takes longer than the rest of a comparison.
extension Column {
    @inlinable
    func constantTree(_ value: Value) -> ColumnTree {
        if let identify { return identify(value) }
        return ColumnTree(value: encode(value))
    }

    /// Returns the condition that the column equals a value; nil equals nil.
    ///
    ///     let posts = Post.where { $0.title == "Great Wall" }
    @inlinable
    public static func == (column: Column, value: Value) -> Condition {
        column.tree.isEqual(column.constantTree(value))
    }
    /// Returns the condition that the column differs from a value; a value differs from nil.
    ///
    ///     let posts = Post.where { $0.title != "" }
    @inlinable
    public static func != (column: Column, value: Value) -> Condition {
        column.tree.isNotEqual(column.constantTree(value))
    }
    /// Returns the condition that the column is less than a value; false for nil.
    ///
    ///     let posts = Post.where { $0.timestamp < lastYear }
    @inlinable
    public static func < (column: Column, value: Value) -> Condition { column.tree.isLess(column.constantTree(value)) }
    /// Returns the condition that the column is less than or equal to a value; false for nil.
    ///
    ///     let posts = Post.where { $0.timestamp <= lastYear }
    @inlinable
    public static func <= (column: Column, value: Value) -> Condition {
        column.tree.isLessOrEqual(column.constantTree(value))
    }
    /// Returns the condition that the column is greater than a value; false for nil.
    ///
    ///     let posts = Post.where { $0.likes > 10 }
    @inlinable
    public static func > (column: Column, value: Value) -> Condition {
        column.tree.isGreater(column.constantTree(value))
    }
    /// Returns the condition that the column is greater than or equal to a value; false for nil.
    ///
    ///     let posts = Post.where { $0.likes >= 10 }
    @inlinable
    public static func >= (column: Column, value: Value) -> Condition {
        column.tree.isGreaterOrEqual(column.constantTree(value))
    }

    /// Returns the condition that two columns are equal; nil equals nil.
    ///
    ///     let posts = Post.where { $0.title == $0.author.name }
    @inlinable
    public static func == (column: Column, other: Column) -> Condition { column.tree.isEqual(other.tree) }
    /// Returns the condition that two columns differ; a value differs from nil.
    ///
    ///     let posts = Post.where { $0.created != $0.modified }
    @inlinable
    public static func != (column: Column, other: Column) -> Condition { column.tree.isNotEqual(other.tree) }
    /// Returns the condition that one column is less than another; false if one is nil.
    ///
    ///     let posts = Post.where { $0.created < $0.modified }
    @inlinable
    public static func < (column: Column, other: Column) -> Condition { column.tree.isLess(other.tree) }
    /// Returns the condition that one column is less than or equal to another; false if one is nil.
    ///
    ///     let events = Event.where { $0.start <= $0.end }
    @inlinable
    public static func <= (column: Column, other: Column) -> Condition { column.tree.isLessOrEqual(other.tree) }
    /// Returns the condition that one column is greater than another; false if one is nil.
    ///
    ///     let posts = Post.where { $0.latitude > $0.longitude }
    @inlinable
    public static func > (column: Column, other: Column) -> Condition { column.tree.isGreater(other.tree) }
    /// Returns the condition that one column is greater than or equal to another; false if one is nil.
    ///
    ///     let posts = Post.where { $0.latitude >= $0.longitude }
    @inlinable
    public static func >= (column: Column, other: Column) -> Condition { column.tree.isGreaterOrEqual(other.tree) }

    /// Returns the condition that the column equals an optional one.
    ///
    ///     let posts = Post.where { $0.timestamp == $0.created }
    @inlinable
    public static func == (column: Column, other: Column<Value?>) -> Condition { column.tree.isEqual(other.tree) }
    /// Returns the condition that an optional column equals this one.
    ///
    ///     let posts = Post.where { $0.created == $0.timestamp }
    @inlinable
    public static func == (column: Column<Value?>, other: Column) -> Condition { column.tree.isEqual(other.tree) }
    /// Returns the condition that the column differs from an optional one.
    ///
    ///     let posts = Post.where { $0.timestamp != $0.created }
    @inlinable
    public static func != (column: Column, other: Column<Value?>) -> Condition { column.tree.isNotEqual(other.tree) }
    /// Returns the condition that an optional column differs from this one.
    ///
    ///     let posts = Post.where { $0.created != $0.timestamp }
    @inlinable
    public static func != (column: Column<Value?>, other: Column) -> Condition { column.tree.isNotEqual(other.tree) }

    /// The column with an optional type, to compare it with an optional column, or to select it through a relationship.
    ///
    ///     let posts = Post.where { $0.timestamp.optional > $0.created }
    public var optional: Column<Value?> { Column<Value?>(expression, coding.optional) }

    /// Returns the condition that the value is in a range, including both ends.
    ///
    ///     let posts = Post.where { $0.latitude.isIn(40...42) }
    ///
    /// - Parameter range: The range.
    @inlinable
    public func isIn(_ range: ClosedRange<Value>) -> Condition where Value: Comparable {
        tree.isGreaterOrEqual(constantTree(range.lowerBound)) && tree.isLessOrEqual(constantTree(range.upperBound))
    }

    /// Returns the condition that the value is in a range, excluding the upper end.
    ///
    ///     let posts = Post.where { $0.timestamp.isIn(start..<end) }
    ///
    /// - Parameter range: The range.
    @inlinable
    public func isIn(_ range: Range<Value>) -> Condition where Value: Comparable {
        tree.isGreaterOrEqual(constantTree(range.lowerBound)) && tree.isLess(constantTree(range.upperBound))
    }

    /// Returns the condition that the optional value is in a range, including both ends; false for nil.
    ///
    ///     let posts = Post.where { $0.created.isIn(start...end) }
    ///
    /// - Parameter range: The range.
    @inlinable
    public func isIn<Wrapped: Comparable>(_ range: ClosedRange<Wrapped>) -> Condition where Value == Wrapped? {
        tree.isGreaterOrEqual(constantTree(range.lowerBound)) && tree.isLessOrEqual(constantTree(range.upperBound))
    }

    /// Returns the condition that the optional value is in a range, excluding the upper end; false for nil.
    ///
    ///     let posts = Post.where { $0.created.isIn(start..<end) }
    ///
    /// - Parameter range: The range.
    @inlinable
    public func isIn<Wrapped: Comparable>(_ range: Range<Wrapped>) -> Condition where Value == Wrapped? {
        tree.isGreaterOrEqual(constantTree(range.lowerBound)) && tree.isLess(constantTree(range.upperBound))
    }

    /// Returns the column's value, or another value in place of nil.
    ///
    ///     let posts = Post.where { ($0.created ?? start) > lastYear }
    public static func ?? <Wrapped>(column: Column, value: Wrapped) -> Column<Wrapped> where Value == Wrapped? {
        column ?? Column<Wrapped>(column.constant(value), column.coding.unwrapped())
    }

    /// Returns the column's value, or that of another column in place of nil.
    ///
    ///     let posts = Post.order { ($0.created ?? $0.timestamp).ascending }
    public static func ?? <Wrapped>(column: Column, other: Column<Wrapped>) -> Column<Wrapped>
    where Value == Wrapped? {
        Column<Wrapped>(.coalesce(column.expression, other.expression), column.coding.unwrapped())
    }
}
