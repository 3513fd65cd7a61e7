import AshlarSQLite

/// A row of a projection's result that was made in memory.
struct ProjectedRow {
    var values: [SQLiteValue]
    /// What it is sorted by.
    var keys: [SQLiteValue]
}

extension ProjectionShape {
    /// The values of the rows that are asked for, in their order, each once where that is asked for.
    func result(of rows: [ProjectedRow]) -> [[SQLiteValue]] {
        var rows = rows
        if isDistinct { rows = distinct(rows) }
        if !descriptor.sortOrders.isEmpty { rows = sorted(rows) }
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

    private func sorted(_ rows: [ProjectedRow]) -> [ProjectedRow] {
        let positions = rows.indices.sorted { left, right in
            for (index, order) in descriptor.sortOrders.enumerated() {
                let result = order.order(rows[left].keys[index], rows[right].keys[index])
                if result != 0 { return result < 0 }
            }
            return left < right
        }
        return positions.map { rows[$0] }
    }

    /// How the values of two rows are ordered.
    static func order(_ left: [SQLiteValue], _ right: [SQLiteValue], _ areDecimal: [Bool]) -> Int {
        for index in left.indices {
            let order = SQLiteValue.order(left[index], right[index], areDecimal[index])
            if order != 0 { return order }
        }
        return 0
    }
}
