import AshlarSQLite

/// The order of results: that of the fetch, and among equal objects that of their identifiers, new ones last.
struct ResultOrder {
    private let orders: [ColumnOrder]
    /// The same without what is ordered by.
    private let valueOrders: [ValueOrder]
    /// The columns of the objects' own rows that are what the orders look at; negative for other expressions.
    private let columns: [Int]
    private var evaluator: ExpressionEvaluator

    init(_ orders: [ColumnOrder], store: UInt32) {
        evaluator = ExpressionEvaluator(time: FetchTime(store: store))
        self.orders = orders
        valueOrders = orders.map(\.valueOrder)
        columns = orders.map { $0.expression.columnOfOwnRow ?? -1 }
    }

    /// Why a value could not be had; the answers count for nothing then.
    var error: (any Error)? { evaluator.error }

    /// The values that an object is ordered by.
    mutating func keys(_ object: ManagedObject) -> [SQLiteValue] {
        orders.indices.map { value(of: object, $0) }
    }

    /// Most orders look at a column, which an evaluator would find in the same way, over some steps.
    private mutating func value(of object: ManagedObject, _ index: Int) -> SQLiteValue {
        let column = columns[index]
        return column < 0 ? evaluator.value(orders[index].expression, for: object) : object.sqliteValue(column)
    }

    mutating func precedes(_ left: ManagedObject, _ right: ManagedObject) -> Bool {
        precedes(keys(left), left, right)
    }

    /// Whether an object whose values are known comes before another one, of which no more values are looked at than decide.
    mutating func precedes(_ leftKeys: [SQLiteValue], _ left: ManagedObject, _ right: ManagedObject) -> Bool {
        var index = 0
        while index < valueOrders.count {
            let result = valueOrders[index].order(leftKeys[index], value(of: right, index))
            if result != 0 { return result < 0 }
            index += 1
        }
        return Self.tie(left) < Self.tie(right)
    }

    mutating func precedes(
        _ leftKeys: [SQLiteValue], _ left: ManagedObject, _ rightKeys: [SQLiteValue], _ right: ManagedObject
    ) -> Bool {
        for index in valueOrders.indices {
            let result = valueOrders[index].order(leftKeys[index], rightKeys[index])
            if result != 0 { return result < 0 }
        }
        return Self.tie(left) < Self.tie(right)
    }

    /// Temporary numbers count downwards from -1, and come after all others.
    private static func tie(_ object: ManagedObject) -> UInt64 {
        let rowID = object.record.rowID
        return rowID > 0 ? UInt64(rowID) : 1 << 63 | UInt64(-rowID)
    }
}

extension SQLExpression {
    /// The column of an object's own row that the expression is; nil for all others.
    fileprivate var columnOfOwnRow: Int? {
        guard case .column(let reference) = self, reference.path.level == 0, reference.path.isOwnRow,
            reference.column >= 0
        else { return nil }
        return reference.column
    }
}
