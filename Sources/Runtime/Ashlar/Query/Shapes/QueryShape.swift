import AshlarSQLite

/// All parts that determine the text of a query's statement, and the values that it binds.
struct QueryShape {
    let entity: EntityDescription
    /// The selected columns; empty for a projection.
    var columns: String
    var projected: Projected?
    var condition: SQLExpression?
    var orders: [ColumnOrder]
    var limit: Int?
    var offset: Int?
    /// Whether rows of subentities are excluded.
    var isAlone: Bool
    /// The access path to the rows.
    var path = AccessPath.automatic

    /// The additional parts of a projection. They are stored by reference, because most queries have none.
    final class Projected: Sendable {
        let columns: [SQLExpression]
        let groups: [SQLExpression]?
        let having: SQLExpression?
        let isDistinct: Bool
        /// Whether rows of the result represent groups of rows.
        let isAggregated: Bool

        init(
            columns: [SQLExpression], groups: [SQLExpression]?, having: SQLExpression?, isDistinct: Bool,
            isAggregated: Bool
        ) {
            self.columns = columns
            self.groups = groups
            self.having = having
            self.isDistinct = isDistinct
            self.isAggregated = isAggregated
        }
    }

    /// Creates the shape of a query for an entity, whose path SQLite chooses.
    init(
        _ entity: EntityDescription, columns: String, condition: SQLExpression?, orders: [ColumnOrder],
        limit: Int?,
        offset: Int?, includesSubentities: Bool
    ) {
        self.entity = entity
        self.columns = columns
        self.condition = condition
        self.orders = orders
        self.limit = limit
        self.offset = offset
        isAlone = entity.hasDiscriminator && !includesSubentities
    }

}

extension EntityDescription {
    /// Returns the statement for rows of a query with given values, in no order.
    ///
    /// - Parameter columns: The selected columns as SQL, where the table has its own name. Nil selects all columns.
    package func statement(
        selecting columns: String? = nil, where condition: SQLExpression?, limit: Int?, includesSubentities: Bool
    ) throws(FetchError) -> BoundStatement {
        let shape = QueryShape(
            self, columns: columns ?? selectedColumns, condition: condition, orders: [], limit: limit, offset: nil,
            includesSubentities: includesSubentities)
        return BoundStatement(try shape.statement(FetchTime(store: 0)))
    }
}

// MARK: Printing

extension QueryShape {
    /// Returns the statement.
    ///
    /// - Throws: ``FetchError`` if a predicate or sort descriptor of Foundation cannot be translated.
    func statement(
        excluding rowIDs: [Int64] = [], _ time: FetchTime
    ) throws(FetchError) -> SQLStatement {
        var statement = SQLStatement(time: time)
        statement.table = entity.tableName
        statement.text.reserveCapacity(columns.utf8.count + 256)
        write(to: &statement, excluding: rowIDs)
        statement.finish()
        if let error = statement.error { throw error }
        return statement
    }

    /// Writes the statement.
    func write(to writer: inout some SQLWriter, excluding rowIDs: [Int64] = []) {
        writer.write("SELECT ")
        if let projected { projected.writeColumns(to: &writer) } else { writer.write(columns) }
        writer.write(" FROM ")
        path.writeSource(entity.tableName, to: &writer)
        writer.writeJoins()
        if writer.isFinished { return }
        writeConditions(after: " WHERE ", excluding: rowIDs, to: &writer)
        if writer.isFinished { return }
        projected?.writeGroups(to: &writer)
        writeOrders(to: &writer)
        writer.window(limit: limit, offset: offset)
    }

    /// Writes the terms that a row must match: those of the path, the condition, that it belongs to the entity, and
    /// that it is not one of the excluded rows.
    func writeConditions(
        after beginning: String, excluding rowIDs: [Int64] = [], to writer: inout some SQLWriter
    ) {
        var beginning = beginning
        if path.writeConditions(entity.tableName, after: beginning, to: &writer) { beginning = " AND " }
        if let condition {
            writer.write(beginning)
            path.write(checking: condition, entity.tableName, to: &writer)
            beginning = " AND "
        }
        if isAlone {
            writer.write(beginning)
            let path = ColumnPath(table: entity.tableName)
            SQLExpression.isEntity(path, [entity.discriminator]).write(to: &writer)
            beginning = " AND "
        } else if let condition = entity.discriminatorCondition {
            writer.write(beginning)
            writer.write(condition)
            beginning = " AND "
        }
        if rowIDs.isEmpty { return }
        writer.write(beginning)
        writer.write(name: entity.tableName)
        writer.write(".\"id$\" NOT IN (SELECT \"value\" FROM json_each(")
        writer.bind(.text("[" + rowIDs.map(String.init).joined(separator: ",") + "]"))
        writer.write("))")
    }

    private func writeOrders(to writer: inout some SQLWriter) {
        for index in orders.indices {
            writer.write(index == 0 ? " ORDER BY " : ", ")
            orders[index].write(to: &writer)
        }
        if let projected, projected.isDistinct || projected.isAggregated {
            return projected.writeRest(of: orders, to: &writer)
        }
        // The order must not depend on the access path.
        guard !orders.isEmpty, let isAscending = entity.identifierOrder(after: orders) else { return }
        writer.write(", ")
        writer.write(entity.selectedIdentifier)
        if !isAscending { writer.write(" DESC") }
    }
}

extension QueryShape.Projected {
    fileprivate func writeColumns(to writer: inout some SQLWriter) {
        if isDistinct { writer.write("DISTINCT ") }
        Self.write(columns, after: "", to: &writer)
    }

    fileprivate func writeGroups(to writer: inout some SQLWriter) {
        if let groups { Self.write(groups, after: " GROUP BY ", to: &writer) }
        guard let having else { return }
        writer.write(" HAVING ")
        having.write(to: &writer)
    }

    /// Writes the values that distinguish rows of the result that are equal in all orders: all values of distinct rows,
    /// or the common values of groups.
    fileprivate func writeRest(of orders: [ColumnOrder], to writer: inout some SQLWriter) {
        let rest = (isDistinct ? (orders.isEmpty ? [] : columns) : groups ?? []).filter { value in
            !orders.contains { $0.expression == value && $0.collation == nil }
        }
        Self.write(rest, after: orders.isEmpty ? " ORDER BY " : ", ", to: &writer)
    }

    private static func write(
        _ expressions: [SQLExpression], after beginning: String, to writer: inout some SQLWriter
    ) {
        for index in expressions.indices {
            writer.write(index == 0 ? beginning : ", ")
            expressions[index].writeOrder(to: &writer)
        }
    }
}
