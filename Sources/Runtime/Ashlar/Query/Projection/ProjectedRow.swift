import AshlarSQLite

/// A row of a projection's result that was computed in memory.
struct ProjectedRow {
    var values: [SQLiteValue]
    /// The values to sort by.
    var keys: [SQLiteValue]
}

extension ProjectionShape {
    /// Returns the values of the selected part of the rows, in order, and without duplicates for a distinct result.
    func result(of rows: [ProjectedRow]) -> [[SQLiteValue]] {
        var rows = rows
        if isDistinct { rows = distinct(rows) }
        if !orders.isEmpty { rows = sorted(rows) }
        return rows[descriptor.window(of: rows.count)].map(\.values)
    }

    private func distinct(_ rows: [ProjectedRow]) -> [ProjectedRow] {
        let areDecimal = columns.map(\.isDecimal)
        let sorted = rows.sorted { Self.order($0.values, $1.values, areDecimal) < 0 }
        var result: [ProjectedRow] = []
        for row in sorted where result.last.map({ Self.order($0.values, row.values, areDecimal) != 0 }) ?? true {
            result.append(row)
        }
        return result
    }

    /// The orders of the result's rows. Groups are ordered by their common values, and distinct rows by their values.
    var orders: [ColumnOrder] {
        descriptor.sortOrders.isEmpty || isAggregated || isDistinct ? descriptor.sortOrders : descriptor.totalOrder
    }

    private func sorted(_ rows: [ProjectedRow]) -> [ProjectedRow] {
        let orders = orders.map(\.valueOrder)
        let positions = rows.indices.sorted { left, right in
            if orders.precedes(rows[left].keys, rows[right].keys) { return true }
            return left < right && !orders.precedes(rows[right].keys, rows[left].keys)
        }
        return positions.map { rows[$0] }
    }

    /// Returns the order of the values of two rows.
    static func order(_ left: [SQLiteValue], _ right: [SQLiteValue], _ areDecimal: [Bool]) -> Int {
        for index in left.indices {
            let order = SQLiteValue.order(left[index], right[index], areDecimal[index])
            if order != 0 { return order }
        }
        return 0
    }
}
