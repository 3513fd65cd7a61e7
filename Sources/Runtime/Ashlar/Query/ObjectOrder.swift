import AshlarSQLite

/// The order of objects in memory, for fetches with unsaved changes, pages and live results.
struct ObjectOrder {
    private let orders: [ColumnOrder]
    /// The orders without their expressions.
    private let valueOrders: [ValueOrder]
    /// The columns of the objects' own rows that are the orders' expressions, with -1 for the identifier; nil for other
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

    /// The error of a value that could not be computed. Results are invalid then.
    var error: (any Error)? { evaluator.error }

    /// Returns the values by which an object is ordered.
    mutating func keys(_ object: ManagedObject) -> [SQLiteValue] {
        orders.indices.map { value(of: object, $0) }
    }

    /// Most orders use a column, which the evaluator would find in the same way, but with more steps.
    private mutating func value(of object: ManagedObject, _ index: Int) -> SQLiteValue {
        switch columns[index] {
        case nil: evaluator.value(orders[index].expression, for: object)
        case -1: .integer(object.record.rowID)
        case let column?: object.sqliteValue(column)
        }
    }

    mutating func precedes(_ left: ManagedObject, _ right: ManagedObject) -> Bool { precedes(keys(left), right) }

    /// Returns whether an object with known values comes before another one. It reads the other's values only until one
    /// decides.
    mutating func precedes(_ leftKeys: [SQLiteValue], _ right: ManagedObject) -> Bool {
        var index = 0
        while index < valueOrders.count {
            let result = valueOrders[index].order(leftKeys[index], value(of: right, index))
            if result != 0 { return result < 0 }
            index += 1
        }
        return false
    }

    /// Returns the objects in the order.
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
    /// The column of an object's own row that the expression is, with -1 for the identifier; nil for other expressions.
    fileprivate var columnOfOwnRow: Int? {
        guard case .column(let reference) = self, reference.path.level == 0, reference.path.isOwnRow,
            reference.column >= 0 || isIdentifier, reference.destinationTable == nil
        else { return nil }
        return reference.column
    }
}
