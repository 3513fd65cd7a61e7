/// Swift's own spelling of ``Column/isIn(_:)``: `Item.where { ["hat", "tent"].contains($0.title) }`.
extension Sequence {
    /// Whether a column's value is one of these, of which there can be 100,000 and more.
    @inlinable
    public func contains(_ column: Column<Element>) -> Condition { column.isIn(self) }

    /// Whether a column's value is one of these; false for nil.
    @inlinable
    public func contains(_ column: Column<Element?>) -> Condition { column.isIn(lazy.map { Optional($0) }) }
}

// Ranges of whole numbers are sequences too, which must not be counted through.

extension ClosedRange {
    /// Whether a column's value lies in the range, its ends included.
    @inlinable
    public func contains(_ column: Column<Bound>) -> Condition { column.isIn(self) }

    /// Whether a column's value lies in the range, its ends included; false for nil.
    @inlinable
    public func contains(_ column: Column<Bound?>) -> Condition { column.isIn(self) }
}

extension Range {
    /// Whether a column's value lies in the range, its upper end excluded.
    @inlinable
    public func contains(_ column: Column<Bound>) -> Condition { column.isIn(self) }

    /// Whether a column's value lies in the range, its upper end excluded; false for nil.
    @inlinable
    public func contains(_ column: Column<Bound?>) -> Condition { column.isIn(self) }
}
