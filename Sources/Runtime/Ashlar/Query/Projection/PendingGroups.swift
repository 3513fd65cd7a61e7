import AshlarSQLite

/// Groups of rows and unsaved changes: the store makes the groups of the rows without changes, and what changed is added
/// to them. The rows themselves are not read.
///
/// That serves where ``GroupTotals`` does. ``PendingProjection`` serves elsewhere, with all objects in memory.
struct PendingGroups<Model: PersistentModel> {
    private let context: ModelContext
    private let shape: ProjectionShape<Model>
    private let changes: OverlaidChanges
    private let totals: GroupTotals<Model>

    /// Nil where the aggregates must be made in memory.
    init?(_ context: ModelContext, _ shape: ProjectionShape<Model>, _ changes: OverlaidChanges) {
        if changes.stored != .asked || context.parent != nil { return nil }
        guard let totals = GroupTotals(shape) else { return nil }
        self.totals = totals
        self.context = context
        self.shape = shape
        self.changes = changes
    }

    /// The rows of the result; nil where the store's part turns out to be one that nothing can be added to.
    func rows() throws -> [ProjectedRow]? {
        let overlay = PendingOverlay(context, shape.descriptor, changes)
        let candidates = try overlay.matchingCandidates()
        guard var groups = try storedGroups(overlay.time) else { return nil }
        totals.add(candidates, to: &groups)
        let rows = try totals.rows(of: groups, overlay.time)
        try context.throwDeferredError()
        return rows
    }

    /// The groups of the rows without changes.
    private func storedGroups(_ time: FetchTime) throws -> ValueGroups? {
        let sql = try context.statement(of: totals.stored(shape.descriptor.without(changes.excluded)), time: time)
        return try context.read("fetching values of \(Model._ashlarEntity.name)") { try totals.groups(of: sql, $0) }
    }
}

extension FetchDescriptor {
    /// The descriptor for all of its objects but some, without an order and a window.
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
