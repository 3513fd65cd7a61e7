import AshlarSQLite

/// What a fetch looks at, so that changes of anything else are known to leave its results alone.
struct ResultScope {
    /// The table of the objects themselves.
    let root: UInt16
    /// The tables that the condition and the order look at by way of relationships, and the bits of the columns there.
    let followed: [UInt16: UInt64]
    /// Whether only a part of the matching objects is asked for, so that one that goes lets another one in.
    let hasWindow: Bool
    let orders: [ColumnOrder]
    let condition: SQLExpression?
    let includesSubentities: Bool

    init<Model>(_ descriptor: FetchDescriptor<Model>, _ model: ModelDescription) {
        root = Model._ashlarEntity.number.root
        followed = descriptor.followedTables.columns(in: model)
        hasWindow = descriptor.limit != nil || descriptor.skipped > 0
        orders = descriptor.sortOrders
        condition = descriptor.condition?.expression
        includesSubentities = descriptor.includesSubentities
    }

    /// Whether the condition or the order looks at one of the columns by way of a relationship. All columns are those of
    /// rows that came or went, which count also where no column is looked at.
    func follows(_ root: UInt16, _ columns: UInt64) -> Bool {
        followed[root].map { columns == .max || $0 & columns != 0 } ?? false
    }
}

/// The order of results: that of the fetch, and among equal objects that of their identifiers, new ones last.
struct ResultOrder {
    private let orders: [ColumnOrder]
    private var evaluator = ExpressionEvaluator()

    init(_ orders: [ColumnOrder]) { self.orders = orders }

    /// Why a value could not be had; the answers count for nothing then.
    var error: (any Error)? { evaluator.error }

    /// The values that an object is ordered by.
    mutating func keys(_ object: ManagedObject) -> [SQLiteValue] {
        orders.map { evaluator.value($0.expression, for: object) }
    }

    mutating func precedes(_ left: ManagedObject, _ right: ManagedObject) -> Bool {
        precedes(keys(left), left, right)
    }

    /// Whether an object whose values are known comes before another one, of which no more values are looked at than decide.
    mutating func precedes(_ leftKeys: [SQLiteValue], _ left: ManagedObject, _ right: ManagedObject) -> Bool {
        var index = 0
        while index < orders.count {
            let result = orders[index].order(leftKeys[index], evaluator.value(orders[index].expression, for: right))
            if result != 0 { return result < 0 }
            index += 1
        }
        return Self.tie(left) < Self.tie(right)
    }

    mutating func precedes(
        _ leftKeys: [SQLiteValue], _ left: ManagedObject, _ rightKeys: [SQLiteValue], _ right: ManagedObject
    ) -> Bool {
        for (index, order) in orders.enumerated() {
            let result = order.order(leftKeys[index], rightKeys[index])
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

/// What happened since results were brought up to date last.
struct PendingResultChanges {
    /// Objects that came to the context, changed or left it, each once.
    private(set) var touched: [ManagedObject] = []
    private var seen: Set<ObjectIdentifier> = []
    /// Rows that others inserted or changed and the context may not have.
    var rows: Set<Int64> = []
    /// Whether it is not known, or cannot be told from the objects alone, what changed.
    var isUnknown = false

    var isEmpty: Bool { touched.isEmpty && rows.isEmpty && !isUnknown }

    mutating func touch(_ object: ManagedObject) {
        if seen.insert(ObjectIdentifier(object)).inserted { touched.append(object) }
    }

}
