import AshlarSQLite

/// The tables and columns that a fetch uses, so that other changes can be ignored.
struct ResultScope {
    /// The table of the objects themselves.
    let root: UInt16
    /// The tables that the condition and the order read by relationships, with the bit masks of the columns.
    let followed: [UInt16: UInt64]
    /// The tables that the foreign keys in the condition or the order refer to.
    let references: Set<UInt16>
    /// Whether the fetch returns only a part of the matching objects, so that the removal of one admits another.
    let hasWindow: Bool
    let orders: [ColumnOrder]
    let condition: SQLExpression?
    let includesSubentities: Bool
    /// Whether a collation orders texts, which may treat different ones as equal.
    let isCollated: Bool

    init<Model>(_ descriptor: FetchDescriptor<Model>, _ model: ModelDescription) {
        root = Model._ashlarEntity.number.root
        let tables = descriptor.followedTables
        followed = tables.columns(in: model)
        references = tables.references(in: model)
        hasWindow = descriptor.limit != nil || descriptor.skipped > 0
        orders = descriptor.totalOrder
        condition = descriptor.condition?.expression
        isCollated = descriptor.sortOrders.contains { $0.collation != nil }
        includesSubentities = descriptor.includesSubentities
    }

    /// Returns whether the condition or the order reads one of the columns by a relationship. For inserted and deleted
    /// rows, the mask has all columns, and they count even if no column is read.
    func follows(_ root: UInt16, _ columns: UInt64) -> Bool {
        followed[root].map { columns == .max || $0 & columns != 0 } ?? false
    }
}

/// The changes since the results were last updated.
struct PendingResultChanges {
    /// Objects that were inserted into the context, changed or removed, without duplicates.
    private(set) var touched: [ManagedObject] = []
    private var seen: Set<ObjectIdentifier> = []
    /// Rows that others inserted or changed, and that the context may not have loaded.
    var rows: Set<Int64> = []
    /// Whether the changes are unknown, or cannot be determined from the objects alone.
    var isUnknown = false

    var isEmpty: Bool { touched.isEmpty && rows.isEmpty && !isUnknown }

    mutating func touch(_ object: ManagedObject) {
        if seen.insert(ObjectIdentifier(object)).inserted { touched.append(object) }
    }
}
