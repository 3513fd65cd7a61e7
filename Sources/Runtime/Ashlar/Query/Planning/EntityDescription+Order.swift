/// The total order of objects for fetches, pages, live results and batches.
///
/// Objects that are equal in all orders follow by identifier. Saved objects come first, by the number of their row,
/// even if they have changes. Unsaved ones follow in the order of their insertion, as their rows will. The direction is
/// that of the last order, or that of an index with all of the orders. So an index is read from one end to the other,
/// and nothing is sorted.
extension EntityDescription {
    /// The rowid of a fetched object.
    var rowID: SQLExpression { .column(ColumnReference(path: ColumnPath(table: tableName), column: -1, name: "id$")) }

    /// Returns the orders, completed so that they distinguish all objects.
    func totalOrder(_ orders: [ColumnOrder]) -> [ColumnOrder] {
        guard let isAscending = identifierOrder(after: orders) else { return orders }
        return orders + [ColumnOrder(expression: rowID, isAscending: isAscending)]
    }

    /// Returns whether objects that are equal in all orders have ascending identifiers; nil if an order is by
    /// identifier.
    func identifierOrder(after orders: [ColumnOrder]) -> Bool? {
        if orders.contains(where: { $0.expression.isOwnIdentifier }) { return nil }
        let isAscending = orders.last?.isAscending ?? true
        // Indexes without descending columns have ascending identifiers when their orders ascend.
        if !schema.hasDescendingIndex { return isAscending }
        let whole = indexes.filter { !$0.isPartial }
        if let isForward = whole.lazy.compactMap({ $0.isForward(in: orders) }).first { return isForward }
        // A condition may fix the columns before those of the orders.
        for index in whole {
            for start in index.elements.indices.dropFirst() {
                if let isForward = index.isForward(in: orders, from: start) { return isForward }
            }
        }
        return isAscending
    }
}

extension FetchDescriptor {
    /// The orders of the descriptor, completed so that they distinguish all objects.
    var totalOrder: [ColumnOrder] { Model._ashlarEntity.totalOrder(sortOrders) }
}

extension SQLExpression {
    /// Whether the expression is the identifier of an object.
    var isIdentifier: Bool {
        guard case .column(let reference) = self else { return false }
        return reference.column < 0 && reference.name == "id$" || reference.destinationTable != nil
    }

    /// Whether the expression is the identifier of the fetched object itself.
    fileprivate var isOwnIdentifier: Bool {
        guard case .column(let reference) = self else { return false }
        return reference.column < 0 && reference.path.level == 0 && reference.path.isOwnRow && reference.name == "id$"
    }
}

extension IndexDescription {
    /// Returns true if the index has the rows in an order from its start, false if it has them from its end, and nil if
    /// it has them in another order.
    ///
    /// - Parameter start: The first column of the index that counts, if the columns before it have only one value.
    func isForward(in orders: [ColumnOrder], from start: Int = 0) -> Bool? {
        guard kind == .binary, !orders.isEmpty else { return nil }
        var isForward: Bool?
        var rest = elements[start...]
        for order in orders {
            guard order.collation == nil, let column = order.expression.ownColumn else { return nil }
            let isSame: Bool
            if let element = rest.popFirst() {
                if element.column != column { return nil }
                isSame = element.isDescending != order.isAscending
            } else {
                // Entries that are equal in all columns follow by identifier.
                if column != "id$" { return nil }
                isSame = order.isAscending
            }
            if isSame != isForward ?? isSame { return nil }
            isForward = isSame
        }
        return isForward
    }
}
