/// The objects of a to-many relationship, for conditions and orders, with the methods of Swift's sequences.
///
///     Post.where { $0.comments.contains { $0.text == "first" } }
///     Post.where { $0.comments.filter { $0.isRead }.count > 3 }
///     Order.order { $0.items.sum { $0.price }.descending }
///
/// A closure can use the objects of outer closures too. A separate ``Condition``, such as one of a format string, is
/// about the related object: `Post.where { $0.comments.contains { _ in isUnread } }`. If it is about another entity,
/// the fetch throws ``FetchError/entityMismatch(entity:other:)``.
public struct RelatedColumns<Model: PersistentModel>: Sendable {
    let rows: RelatedRows

    /// The number of objects.
    ///
    ///     let posts = Post.where { $0.comments.count > 3 }
    public var count: Column<Int> { Column(.aggregate(.count, rows, .value(.integer(1))), .int) }

    /// The condition that there are no objects.
    ///
    ///     let posts = Post.where { $0.comments.isEmpty }
    public var isEmpty: Condition { Condition(rows.none(where: .alwaysTrue)) }

    /// Returns the condition that another condition holds for at least one of the objects.
    ///
    ///     let posts = Post.where { $0.comments.contains { $0.text == "first" } }
    ///
    /// - Parameter condition: The condition on a related object.
    public func contains(where condition: (Columns<Model>) throws -> Condition) rethrows -> Condition {
        Condition(.any(rows, try inner { try condition($0).expression(for: Model._ashlarEntity) }))
    }

    /// Returns the condition that another condition holds for all of the objects; it holds if there are none.
    ///
    ///     let posts = Post.where { $0.comments.allSatisfy { $0.timestamp > lastYear } }
    ///
    /// - Parameter condition: The condition on a related object.
    public func allSatisfy(_ condition: (Columns<Model>) throws -> Condition) rethrows -> Condition {
        Condition(rows.none(where: .not(try inner { try condition($0).expression(for: Model._ashlarEntity) })))
    }

    /// Returns the condition that the relationship contains an object.
    ///
    ///     let authors = Author.where { $0.posts.contains(post) }
    ///
    /// - Parameter model: The object.
    public func contains(_ model: Model) -> Condition { contains { $0 == model } }

    /// Returns the condition that the relationship contains the object of another path.
    ///
    ///     let posts = Post.where { $0.author.edited.contains($0) }
    ///
    /// - Parameter columns: The path of the object.
    public func contains(_ columns: Columns<Model>) -> Condition { contains { $0 == columns } }

    /// Returns the objects for which a condition holds.
    ///
    ///     let posts = Post.where { $0.comments.filter { $0.timestamp > lastYear }.count > 3 }
    ///
    /// - Parameter condition: The condition on a related object.
    public func filter(_ condition: (Columns<Model>) throws -> Condition) rethrows -> RelatedColumns {
        var rows = rows
        let added = try inner { try condition($0).expression(for: Model._ashlarEntity) }
        rows.filter = rows.filter.map { .and([$0, added]) } ?? added
        return RelatedColumns(rows: rows)
    }

    /// Returns the number of objects for which a condition holds.
    ///
    ///     let posts = Post.where { $0.comments.count { $0.timestamp > lastYear } > 3 }
    ///
    /// - Parameter condition: The condition on a related object.
    public func count(where condition: (Columns<Model>) throws -> Condition) rethrows -> Column<Int> {
        try filter(condition).count
    }

    /// Returns the sum of a value of all objects, ignoring nil; 0 if there are none.
    ///
    ///     let orders = Order.order { $0.items.sum { $0.price }.descending }
    ///
    /// - Parameter value: The value of a related object.
    public func sum<Value: ColumnNumber>(_ value: (Columns<Model>) -> Column<Value>) -> Column<Value._AshlarSum> {
        Column(.aggregate(.sum, rows, inner { value($0).expression }), Value._AshlarSum.columnCoding)
    }

    /// Returns the mean of a value of all objects, ignoring nil; nil if there are none.
    ///
    ///     let orders = Order.order { $0.items.average { $0.price }.descending }
    ///
    /// - Parameter value: The value of a related object.
    public func average<Value: ColumnNumber>(
        _ value: (Columns<Model>) -> Column<Value>
    ) -> Column<Value._AshlarAverage?> {
        Column(.aggregate(.average, rows, inner { value($0).expression }), Value._AshlarAverage.columnCoding.optional)
    }

    /// Returns the least value of all objects; nil if there are none.
    ///
    ///     let orders = Order.order { $0.items.min { $0.price }.ascending }
    ///
    /// - Parameter value: The value of a related object.
    public func min<Value>(_ value: (Columns<Model>) -> Column<Value>) -> Column<Value?> {
        extreme(.minimum) { value($0).optional }
    }

    /// Returns the greatest value of all objects; nil if there are none.
    ///
    ///     let authors = Author.order { $0.posts.max { $0.timestamp }.descending }
    ///
    /// - Parameter value: The value of a related object.
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

    /// Returns the condition that another condition holds for at least one object, as an expression.
    @_spi(Generated) public func _ashlarAny(_ condition: (Columns<Model>) -> SQLExpression) -> SQLExpression {
        .any(rows, inner(condition))
    }

    /// Returns the condition that another condition holds for all objects, as an expression.
    @_spi(Generated) public func _ashlarAll(_ condition: (Columns<Model>) -> SQLExpression) -> SQLExpression {
        rows.none(where: .not(inner(condition)))
    }

    /// Returns the objects for which a condition holds.
    @_spi(Generated) public func _ashlarFilter(_ condition: (Columns<Model>) -> SQLExpression) -> RelatedColumns {
        filter { Condition(condition($0)) }
    }

    /// Returns an aggregate of all objects, as an expression.
    @_spi(Generated) public func _ashlarAggregate(
        _ aggregate: SQLExpression.Aggregate, _ value: (Columns<Model>) -> SQLExpression
    ) -> SQLExpression {
        .aggregate(aggregate, rows, inner(value))
    }

    /// Returns a value of one object of an ordered relationship, as an expression.
    @_spi(Generated) public func _ashlarElement(
        _ position: SQLExpression.Position, _ value: (Columns<Model>) -> SQLExpression
    ) -> SQLExpression {
        .element(rows, position, inner(value))
    }
}

/// More specific overloads for values that are already optional.
extension RelatedColumns {
    /// Returns the least value of all objects, ignoring nil; nil if there are none.
    ///
    /// - Parameter value: The optional value of a related object.
    public func min<Value>(_ value: (Columns<Model>) -> Column<Value?>) -> Column<Value?> { extreme(.minimum, value) }

    /// Returns the greatest value of all objects, ignoring nil; nil if there are none.
    ///
    /// - Parameter value: The optional value of a related object.
    public func max<Value>(_ value: (Columns<Model>) -> Column<Value?>) -> Column<Value?> { extreme(.maximum, value) }
}
