import AshlarSQLite

/// The tables and columns that a fetch uses, so that other changes can be ignored.
struct ResultScope {
    /// The table of the objects themselves.
    let root: UInt16
    /// The tables that the condition and the order look at by way of relationships, and the bits of the columns there.
    let followed: [UInt16: UInt64]
    /// The tables that foreign keys refer to at which the condition or the order looks.
    let references: Set<UInt16>
    /// Whether only a part of the matching objects is asked for, so that one that goes lets another one in.
    let hasWindow: Bool
    let orders: [ColumnOrder]
    let condition: SQLExpression?
    let includesSubentities: Bool
    /// Whether texts are ordered by a collation, which may take different ones for equal.
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

    /// Returns whether the condition or the order looks at one of the columns by way of a relationship. All columns are
    /// those of rows that came or went, which count also where no column is looked at.
    func follows(_ root: UInt16, _ columns: UInt64) -> Bool {
        followed[root].map { columns == .max || $0 & columns != 0 } ?? false
    }
}

/// The changes since the results were last updated.
struct PendingResultChanges {
    /// Objects that came to the context, changed or left it, each once.
    private(set) var touched: [ManagedObject] = []
    private var seen: Set<ObjectIdentifier> = []
    /// Rows that others inserted or changed and the context may not have.
    var rows: Set<Int64> = []
    /// Whether the changes are unknown, or cannot be determined from the objects alone.
    var isUnknown = false

    var isEmpty: Bool { touched.isEmpty && rows.isEmpty && !isUnknown }

    mutating func touch(_ object: ManagedObject) {
        if seen.insert(ObjectIdentifier(object)).inserted { touched.append(object) }
    }
}
