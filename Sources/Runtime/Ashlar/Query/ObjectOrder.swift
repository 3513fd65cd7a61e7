import AshlarSQLite

/// The one order of objects in memory: that of fetches with unsaved changes, pages and live results.
struct ObjectOrder {
    private let orders: [ColumnOrder]
    /// The same without what is ordered by.
    private let valueOrders: [ValueOrder]
    /// The columns of the objects' own rows that are what the orders look at, -1 for the identifier; nil for other
    /// expressions.
    private let columns: [Int?]
    private var evaluator: ExpressionEvaluator

    /// - Parameter orders: Orders that distinguish all objects; see ``EntityDescription/totalOrder(_:)``.
    init(_ orders: [ColumnOrder], time: FetchTime) {
        self.orders = orders
        valueOrders = orders.map(\.valueOrder)
        columns = orders.map { $0.expression.columnOfOwnRow }
        evaluator = ExpressionEvaluator(time: time)
    }

    /// Why a value could not be had; the answers count for nothing then.
    var error: (any Error)? { evaluator.error }

    /// The values that an object is ordered by.
    mutating func keys(_ object: ManagedObject) -> [SQLiteValue] {
        orders.indices.map { value(of: object, $0) }
    }

    /// Most orders look at a column, which an evaluator would find in the same way, over some steps.
    private mutating func value(of object: ManagedObject, _ index: Int) -> SQLiteValue {
        switch columns[index] {
        case nil: evaluator.value(orders[index].expression, for: object)
        case -1: .integer(object.record.rowID)
        case let column?: object.sqliteValue(column)
        }
    }

    mutating func precedes(_ left: ManagedObject, _ right: ManagedObject) -> Bool { precedes(keys(left), right) }

    /// Returns whether an object whose values are known comes before another one, of which no more values are looked at
    /// than decide.
    mutating func precedes(_ leftKeys: [SQLiteValue], _ right: ManagedObject) -> Bool {
        var index = 0
        while index < valueOrders.count {
            let result = valueOrders[index].order(leftKeys[index], value(of: right, index))
            if result != 0 { return result < 0 }
            index += 1
        }
        return false
    }

    /// The objects in the order.
    mutating func sorted<Object: ManagedObject>(_ objects: [Object]) throws -> [Object] {
        let keyed = objects.map { (object: $0, keys: keys($0)) }
        if let error { throw error }
        return keyed.sorted { valueOrders.precedes($0.keys, $1.keys) }.map(\.object)
    }
}

extension [ValueOrder] {
    /// Returns whether some values come before others.
    func precedes(_ left: [SQLiteValue], _ right: [SQLiteValue]) -> Bool {
        for index in indices {
            let result = self[index].order(left[index], right[index])
            if result != 0 { return result < 0 }
        }
        return false
    }
}

extension SQLExpression {
    /// The column of an object's own row that the expression is, -1 for the identifier; nil for all others.
    fileprivate var columnOfOwnRow: Int? {
        guard case .column(let reference) = self, reference.path.level == 0, reference.path.isOwnRow,
            reference.column >= 0 || isIdentifier, reference.destinationTable == nil
        else { return nil }
        return reference.column
    }
}
