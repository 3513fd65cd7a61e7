/// Swift's own form of ``Column/isIn(_:)``: `Item.where { ["hat", "tent"].contains($0.title) }`.
extension Sequence {
    /// Returns the condition that a column's value is one of these elements.
    ///
    ///     let authors = Author.where { ["Ada", "Grace"].contains($0.name) }
    ///
    /// - Parameter column: The column. There can be 100,000 elements and more.
    @inlinable
    public func contains(_ column: Column<Element>) -> Condition { column.isIn(self) }

    /// Returns the condition that an optional column's value is one of these elements; false for nil.
    ///
    ///     let authors = Author.where { ["London", "Paris"].contains($0.city) }
    ///
    /// - Parameter column: The optional column.
    @inlinable
    public func contains(_ column: Column<Element?>) -> Condition { column.isIn(lazy.map { Optional($0) }) }
}

// Ranges of whole numbers are sequences too, but their elements must not be enumerated.

extension ClosedRange {
    /// Returns the condition that a column's value is in the range, including both ends.
    ///
    ///     let posts = Post.where { (start...end).contains($0.timestamp) }
    ///
    /// - Parameter column: The column.
    @inlinable
    public func contains(_ column: Column<Bound>) -> Condition { column.isIn(self) }

    /// Returns the condition that an optional column's value is in the range, including both ends; false for nil.
    ///
    ///     let posts = Post.where { (start...end).contains($0.created) }
    ///
    /// - Parameter column: The optional column.
    @inlinable
    public func contains(_ column: Column<Bound?>) -> Condition { column.isIn(self) }
}

extension Range {
    /// Returns the condition that a column's value is in the range, excluding the upper end.
    ///
    ///     let posts = Post.where { (start..<end).contains($0.timestamp) }
    ///
    /// - Parameter column: The column.
    @inlinable
    public func contains(_ column: Column<Bound>) -> Condition { column.isIn(self) }

    /// Returns the condition that an optional column's value is in the range, excluding the upper end; false for nil.
    ///
    ///     let posts = Post.where { (start..<end).contains($0.created) }
    ///
    /// - Parameter column: The optional column.
    @inlinable
    public func contains(_ column: Column<Bound?>) -> Condition { column.isIn(self) }
}
