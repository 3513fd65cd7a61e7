import AshlarSQLite

/// Some of the rows of a batch operation: those after one rowid up to another.
struct BatchRange {
    var after: Int64 = 0
    var through: Int64 = .max

    /// Whether these are all rows.
    var isEverything: Bool { after == 0 && through == .max }
}

extension FetchDescriptor {
    /// The condition on rows of the table, which names no other table, that the descriptor's rows meet; empty for all.
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
        // An order without a limit would change nothing.
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

    /// Whether what the descriptor says of a row depends on that row alone.
    var isOfSingleRows: Bool { followedTables.isEmpty && limit == nil && skipped == 0 }

    /// The end of the rows after one, and how many they are: at most a number of them.
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

    /// The number of rows.
    func batchCount(_ time: FetchTime) throws(FetchError) -> SQLStatement {
        var statement = SQLStatement(time: time)
        let condition = try batchCondition(&statement)
        statement.text = "SELECT count(*) FROM \(Model._ashlarEntity.tableName.quotedIdentifier)"
        if !condition.isEmpty { statement.text += " WHERE " + condition }
        return statement
    }
}
