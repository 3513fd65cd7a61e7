import AshlarSQLite

/// A part of the rows of a batch operation: those after one rowid, through another.
struct BatchRange {
    var after: Int64 = 0
    var through: Int64 = .max

    /// Whether the range contains all rows.
    var isEverything: Bool { after == 0 && through == .max }
}

extension FetchDescriptor {
    /// Returns the SQL condition of the descriptor's rows, which names no other table; empty for all rows.
    func batchCondition(
        _ statement: inout SQLStatement, _ range: BatchRange = BatchRange()
    ) throws(FetchError) -> String {
        let table = Model._ashlarEntity.tableName.quotedIdentifier
        var condition = conditions(&statement)
        if !range.isEverything {
            let (after, through) = (
                statement.parameter(.integer(range.after)), statement.parameter(.integer(range.through))
            )
            condition += condition.isEmpty ? "" : " AND "
            condition += "\(table).\"id$\" > \(after) AND \(table).\"id$\" <= \(through)"
        }
        let isLimited = limit != nil || skipped > 0
        // The order has an effect only with a limit.
        let orders =
            isLimited && !sortOrders.isEmpty
            ? totalOrder.map { order in statement.written { order.write(to: &$0) } } : []
        let joins = statement.takeJoins()
        if let error = statement.error { throw error }
        if joins.isEmpty, !isLimited { return condition }
        var text = "SELECT \(table).\"id$\" FROM \(table)\(joins)"
        if !condition.isEmpty { text += " WHERE " + condition }
        if !orders.isEmpty { text += " ORDER BY " + orders.joined(separator: ", ") }
        text += statement.written { $0.window(limit: limit, offset: fetchOffset.map { max(0, $0) }) }
        return "\(table).\"id$\" IN (\(text))"
    }

    /// Whether the descriptor selects a row by that row alone.
    var isOfSingleRows: Bool { followedTables.isEmpty && limit == nil && skipped == 0 }

    /// Returns a query for the last of the rows after one and for their number, up to a limit.
    func batchStep(after rowID: Int64, limit: Int, _ time: FetchTime) throws(FetchError) -> SQLStatement {
        let table = Model._ashlarEntity.tableName.quotedIdentifier
        var statement = SQLStatement(time: time)
        let condition = try batchCondition(&statement, BatchRange(after: rowID))
        let count = statement.parameter(.integer(Int64(limit)))
        statement.text =
            "SELECT max(\"id$\"), count(*) FROM (SELECT \(table).\"id$\" FROM \(table)"
            + (condition.isEmpty ? "" : " WHERE \(condition)") + " ORDER BY \(table).\"id$\" LIMIT \(count))"
        return statement
    }

    /// Returns a query for the number of rows.
    func batchCount(_ time: FetchTime) throws(FetchError) -> SQLStatement {
        var statement = SQLStatement(time: time)
        let condition = try batchCondition(&statement)
        statement.text = "SELECT count(*) FROM \(Model._ashlarEntity.tableName.quotedIdentifier)"
        if !condition.isEmpty { statement.text += " WHERE " + condition }
        return statement
    }
}
