/// The order of rows that are equal in all that they are ordered by.
extension EntityDescription {
    /// The rowid of an object that is asked for.
    var rowID: SQLExpression { .column(ColumnReference(path: ColumnPath(table: tableName), column: -1, name: "id$")) }

    /// Whether identifiers ascend in the order that rows get which are equal in all others, as an index has them; nil
    /// without an order, or where the identifier is part of it.
    func identifierOrder(after orders: [ColumnOrder]) -> Bool? {
        let identifier = rowID
        if orders.isEmpty || orders.contains(where: { $0.expression == identifier }) { return nil }
        let isForward = indexes.lazy.filter { !$0.isPartial }.compactMap { $0.isForward(in: orders) }.first
        return isForward ?? true
    }
}

extension IndexDescription {
    /// Whether the index has the rows in an order from its beginning on; false where it has them from its end on, and nil
    /// where it has them in another order.
    func isForward(in orders: [ColumnOrder]) -> Bool? {
        guard kind == .binary, !orders.isEmpty else { return nil }
        var isForward: Bool?
        var rest = elements[...]
        for order in orders {
            guard order.collation == nil, let column = order.expression.ownColumn else { return nil }
            let isSame: Bool
            if let element = rest.popFirst() {
                if element.column != column { return nil }
                isSame = element.isDescending != order.isAscending
            } else {
                // Entries that are equal in all columns follow one another by identifier.
                if column != "id$" { return nil }
                isSame = order.isAscending
            }
            if isSame != isForward ?? isSame { return nil }
            isForward = isSame
        }
        return isForward
    }
}
