import AshlarSQLite

/// Pages that begin after the previous one, so that each page has the same cost.
extension FetchDescriptor {
    /// Returns a descriptor for the page of objects after the last object of the previous page.
    ///
    /// The order is that of ``sortOrders``, completed by the identifier. So each object is in exactly one page while
    /// the values in the order stay the same. ``fetchLimit`` is the size of a page. ``fetchOffset`` applies to the
    /// first page only.
    ///
    ///     let newest = Post.order { $0.timestamp.descending }.limit(50)
    ///     var page = try context.fetch(newest.page(after: nil))
    ///     page = try context.fetch(newest.page(after: page.last))
    ///
    /// - Parameter object: The last object of the previous page, or nil for the first page.
    /// - Complexity: With an index on the first value of the order, the start of the page is found directly. Otherwise,
    ///   and if that value is optional and descending or has a collation, the rows before it are skipped one by one.
    public func page(after object: Model?) -> Self {
        var result = self
        result.sortOrders = totalOrder
        guard let object else { return result }
        let condition = Condition(result.following(object))
        result.condition = result.condition.map { $0 && condition } ?? condition
        result.fetchOffset = nil
        return result
    }

    /// The rowid of a fetched object.
    static var rowID: SQLExpression { Model._ashlarEntity.rowID }

    /// Returns the condition for all objects after a given one.
    private func following(_ object: Model) -> SQLExpression {
        let values = sortOrders.map { $0.expression.value(for: object) }
        var alternatives: [SQLExpression] = []
        var equal: [SQLExpression] = []
        for (order, value) in zip(sortOrders, values) {
            if let later = later(order, value) { alternatives.append(.and(equal + [later])) }
            equal.append(comparison(order, .equal, value))
        }
        let following = SQLExpression.or(alternatives)
        // SQLite cannot find a position in an index by a term with OR.
        guard let bound = bound(sortOrders[0], values[0]) else { return following }
        return .and([bound, following])
    }

    /// Returns the condition for the objects after a value of one order; nil if none can follow.
    private func later(_ order: ColumnOrder, _ value: SQLiteValue) -> SQLExpression? {
        let expression = order.expression
        if expression.isIdentifier, value.isTemporary { return later(order, thanUnsaved: value) }
        if order.isAscending { return comparison(order, value.isNull ? .notEqual : .greater, value) }
        if value.isNull { return nil }
        let less = comparison(order, .less, value)
        return isNeverNull(expression) ? less : .or([less, .comparison(expression, .equal, .value(.null))])
    }

    /// Returns the condition for the objects after an unsaved object in an order by identifier. The store would sort
    /// its negative number before all others, although unsaved objects come last.
    private func later(_ order: ColumnOrder, thanUnsaved value: SQLiteValue) -> SQLExpression {
        let last = SQLExpression.value(.integer(.max))
        let isSaved = SQLExpression.comparison(order.expression, .lessOrEqual, last)
        if order.isAscending { return .and([.not(isSaved), .comparison(order.expression, .greater, .value(value))]) }
        let less = SQLExpression.or([isSaved, .comparison(order.expression, .less, .value(value))])
        return isNeverNull(order.expression) ? less : .or([less, .comparison(order.expression, .equal, .value(.null))])
    }

    /// Returns a comparison with a value as the order compares them.
    private func comparison(
        _ order: ColumnOrder, _ comparison: SQLExpression.Comparison, _ value: SQLiteValue
    ) -> SQLExpression {
        guard let collation = order.collation, case .text = value else {
            return .comparison(order.expression, comparison, .value(value))
        }
        return .comparison(
            .function(collation.orderFunction, [order.expression, .value(value)]), comparison, .value(.integer(0)))
    }

    /// Returns the condition for a value and all after it, in a form that an index supports.
    private func bound(_ order: ColumnOrder, _ value: SQLiteValue) -> SQLExpression? {
        if value.isNull || order.collation != nil || order.expression.isIdentifier && value.isTemporary { return nil }
        if order.isAscending { return .comparison(order.expression, .greaterOrEqual, .value(value)) }
        return isNeverNull(order.expression) ? .comparison(order.expression, .lessOrEqual, .value(value)) : nil
    }

    private func isNeverNull(_ expression: SQLExpression) -> Bool {
        guard case .column(let reference) = expression, reference.path.isOwnRow else { return false }
        if reference.column < 0 { return true }
        // A column of a subentity is NULL for all other objects.
        let entity = Model._ashlarEntity
        return entity.ownColumns.contains(reference.column) && !entity.columns[reference.column].isOptional
    }
}

extension SQLiteValue {
    /// Whether the value is the identifier of an unsaved object.
    fileprivate var isTemporary: Bool { if case .integer(let number) = self { number < 0 } else { false } }
}
