import AshlarSQLite

/// Groups of rows with unsaved changes. The store groups the rows without changes, and the changed objects are added to
/// the groups. The rows themselves are not read.
///
/// It supports the same values as ``GroupTotals``. For others, ``PendingProjection`` uses all objects in memory.
struct PendingGroups<Model: PersistentModel> {
    private let context: ModelContext
    private let shape: ProjectionShape<Model>
    private let changes: OverlaidChanges
    private let totals: GroupTotals<Model>

    /// Creates the groups; nil if the aggregates must be computed in memory.
    init?(_ context: ModelContext, _ shape: ProjectionShape<Model>, _ changes: OverlaidChanges) {
        if changes.stored != .asked || context.parent != nil { return nil }
        guard let totals = GroupTotals(shape) else { return nil }
        self.totals = totals
        self.context = context
        self.shape = shape
        self.changes = changes
    }

    /// Returns the rows of the result; nil if nothing can be added to a group of the store.
    func rows() throws -> [ProjectedRow]? {
        let overlay = PendingOverlay(context, shape.descriptor, changes)
        let candidates = try overlay.matchingCandidates()
        guard var groups = try storedGroups(overlay.time) else { return nil }
        totals.add(candidates, to: &groups)
        let rows = try totals.rows(of: groups, overlay.time)
        try context.throwDeferredError()
        return rows
    }

    /// Returns the groups of the rows without changes.
    private func storedGroups(_ time: FetchTime) throws -> ValueGroups? {
        let sql = try context.statement(of: totals.stored(shape.descriptor.without(changes.excluded)), time: time)
        return try context.read("fetching values of \(Model._ashlarEntity.name)") { try totals.groups(of: sql, $0) }
    }
}

extension FetchDescriptor {
    /// Returns the descriptor for all of its objects but some, without an order, limit and offset.
    fileprivate func without(_ rowIDs: [Int64]) -> Self {
        var result = self
        result.sortOrders = []
        result.fetchLimit = nil
        result.fetchOffset = nil
        let rows = rowIDs.filter { $0 > 0 }.sorted().map { SQLiteValue.integer($0) }
        if rows.isEmpty { return result }
        let others = Condition(.not(.isIn(Self.rowID, rows)))
        result.condition = condition.map { $0 && others } ?? others
        return result
    }
}
