/// The objects of a to-many relationship, for conditions and orders: what Swift's sequences can be asked, under the
/// same names.
///
///     Post.where { $0.comments.contains { $0.text == "first" } }
///     Post.where { $0.comments.filter { $0.isRead }.count > 3 }
///     Order.order { $0.items.sum { $0.price }.descending }
///
/// A closure can name the objects of outer closures too. A ``Condition`` that was made by itself, such as one of a format
/// string, is about the related object: `Post.where { $0.comments.contains { _ in isUnread } }`. If it is about another
/// entity, the fetch throws ``FetchError/entityMismatch(entity:other:)``.
public struct RelatedColumns<Model: PersistentModel>: Sendable {
    let rows: RelatedRows

    /// The number of objects.
    public var count: Column<Int> { Column(.aggregate(.count, rows, .value(.integer(1))), .int) }

    /// Whether there are no objects.
    public var isEmpty: Condition { Condition(rows.none(where: .alwaysTrue)) }

    /// Whether a condition holds for one object at least.
    public func contains(where condition: (Columns<Model>) throws -> Condition) rethrows -> Condition {
        Condition(.any(rows, try inner { try condition($0).expression(for: Model._ashlarEntity) }))
    }

    /// Whether a condition holds for every object; true without any.
    public func allSatisfy(_ condition: (Columns<Model>) throws -> Condition) rethrows -> Condition {
        Condition(rows.none(where: .not(try inner { try condition($0).expression(for: Model._ashlarEntity) })))
    }

    /// Whether an object is among these.
    public func contains(_ model: Model) -> Condition { contains { $0 == model } }

    /// Whether the object of another path is among these.
    public func contains(_ columns: Columns<Model>) -> Condition { contains { $0 == columns } }

    /// The objects for which a condition holds.
    public func filter(_ condition: (Columns<Model>) throws -> Condition) rethrows -> RelatedColumns {
        var rows = rows
        let added = try inner { try condition($0).expression(for: Model._ashlarEntity) }
        rows.filter = rows.filter.map { .and([$0, added]) } ?? added
        return RelatedColumns(rows: rows)
    }

    /// The number of objects for which a condition holds.
    public func count(where condition: (Columns<Model>) throws -> Condition) rethrows -> Column<Int> {
        try filter(condition).count
    }

    /// The sum of a value of all objects, without those that are nil; 0 without any.
    public func sum<Value: ColumnNumber>(_ value: (Columns<Model>) -> Column<Value>) -> Column<Value._AshlarSum> {
        Column(.aggregate(.sum, rows, inner { value($0).expression }), Value._AshlarSum.columnCoding)
    }

    /// The mean of a value of all objects, without those that are nil; nil without any.
    public func average<Value: ColumnNumber>(
        _ value: (Columns<Model>) -> Column<Value>
    ) -> Column<Value._AshlarAverage?> {
        Column(.aggregate(.average, rows, inner { value($0).expression }), Value._AshlarAverage.columnCoding.optional)
    }

    /// The least value of all objects; nil without any.
    public func min<Value>(_ value: (Columns<Model>) -> Column<Value>) -> Column<Value?> {
        extreme(.minimum) { value($0).optional }
    }

    /// The greatest value of all objects; nil without any.
    public func max<Value>(_ value: (Columns<Model>) -> Column<Value>) -> Column<Value?> {
        extreme(.maximum) { value($0).optional }
    }

    fileprivate func extreme<Value>(
        _ aggregate: SQLExpression.Aggregate, _ value: (Columns<Model>) -> Column<Value?>
    ) -> Column<Value?> {
        let column = inner(value)
        return Column(.aggregate(aggregate, rows, column.expression), column.coding)
    }

    private func inner<Result>(_ body: (Columns<Model>) throws -> Result) rethrows -> Result {
        try RelatedLevel.deeper(rows) { try body(Columns<Model>(_ashlarPath: $0)) }
    }

    // MARK: Generated code

    /// A condition that holds for one object at least, as a tree.
    @_spi(Generated) public func _ashlarAny(_ condition: (Columns<Model>) -> SQLExpression) -> SQLExpression {
        .any(rows, inner(condition))
    }

    /// A condition that holds for every object, as a tree.
    @_spi(Generated) public func _ashlarAll(_ condition: (Columns<Model>) -> SQLExpression) -> SQLExpression {
        rows.none(where: .not(inner(condition)))
    }

    /// The objects for which a condition holds.
    @_spi(Generated) public func _ashlarFilter(_ condition: (Columns<Model>) -> SQLExpression) -> RelatedColumns {
        filter { Condition(condition($0)) }
    }

    /// One value of all objects, as a tree.
    @_spi(Generated) public func _ashlarAggregate(
        _ aggregate: SQLExpression.Aggregate, _ value: (Columns<Model>) -> SQLExpression
    ) -> SQLExpression {
        .aggregate(aggregate, rows, inner(value))
    }

    /// A value of one object of an ordered relationship, as a tree.
    @_spi(Generated) public func _ashlarElement(
        _ position: SQLExpression.Position, _ value: (Columns<Model>) -> SQLExpression
    ) -> SQLExpression {
        .element(rows, position, inner(value))
    }
}

/// The same for values that are optional already; overloads that are more special.
extension RelatedColumns {
    /// The least value of all objects, without those that are nil; nil without any.
    public func min<Value>(_ value: (Columns<Model>) -> Column<Value?>) -> Column<Value?> { extreme(.minimum, value) }

    /// The greatest value of all objects, without those that are nil; nil without any.
    public func max<Value>(_ value: (Columns<Model>) -> Column<Value?>) -> Column<Value?> { extreme(.maximum, value) }
}
