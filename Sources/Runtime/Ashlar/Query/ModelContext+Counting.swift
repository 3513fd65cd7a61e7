import AshlarSQLite

/// Counting objects, and checking for their existence. Neither creates objects, unless a condition follows a
/// relationship to objects with unsaved changes.
extension ModelContext {
    /// Returns the number of objects that match a descriptor, including the context's unsaved changes.
    ///
    ///     let count = try context.fetchCount(Post.where { $0.isDraft })
    ///
    /// The counterparts are SwiftData's `fetchCount(_:)` and Core Data's `count(for:)`.
    ///
    /// - Parameter descriptor: The objects to count. Its limit and offset are respected.
    /// - Throws: ``FetchError`` if the descriptor is invalid, or ``StoreError`` if the store cannot be read.
    public func fetchCount<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
        try throwDeferredError()
        switch try source(of: descriptor) {
        case .overlay(let changes):
            let overlay = PendingOverlay(self, descriptor, changes)
            return descriptor.window(of: try overlay.count(excluding: [], atMost: descriptor.end)).count
        case .parent(let parent):
            if !descriptor.includePendingChanges { return try fetch(descriptor).count }
            return try parent.fetchCount(descriptor)
        case .store:
            let isLimited = descriptor.fetchLimit != nil || descriptor.fetchOffset != nil
            var sql = try statement(
                of: descriptor.unordered, selecting: isLimited ? "1" : "count(*)", limit: descriptor.fetchLimit,
                offset: descriptor.fetchOffset, for: isLimited ? nil : .count)
            if isLimited { sql = sql.counted }
            return try read("counting \(Model._ashlarEntity.name)") { connection in
                if isLimited || descriptor.condition == nil { return try connection.count(sql) }
                var shape = ProjectionShape(descriptor.unordered)
                shape.columns = [.groupAggregate(.count, nil, isDistinct: false)]
                guard let parallel = ParallelAggregates(self, shape, sql) else { return try connection.count(sql) }
                var count = 0
                let rows = try parallel.rows(of: sql, connection) { count = try connection.count(sql) }
                guard case .integer(let all) = rows?.first?.values.first else { return count }
                return Int(all)
            }
        }
    }

    /// Returns whether any object matches a descriptor, including the context's unsaved changes.
    ///
    /// The store stops at the first match, so this is faster than counting.
    ///
    ///     if try context.exists(Post.where { $0.isDraft }) { print("There are drafts.") }
    ///
    /// - Parameter descriptor: The objects to look for.
    /// - Throws: ``FetchError`` if the descriptor is invalid, or ``StoreError`` if the store cannot be read.
    public func exists<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Bool {
        try throwDeferredError()
        switch try source(of: descriptor.unordered) {
        case .overlay(let changes):
            if descriptor.limit == 0 { return false }
            let (bound, isBeyondAll) = descriptor.skipped.addingReportingOverflow(1)
            if isBeyondAll { return false }
            let overlay = PendingOverlay(self, descriptor.unordered, changes)
            return try overlay.count(excluding: [], atMost: bound) >= bound
        case .parent(let parent):
            // Some of the rows up to a limit may be deleted in this context, so it matters which rows these are.
            if !descriptor.includePendingChanges { return try !fetch(descriptor).isEmpty }
            return try parent.exists(descriptor)
        case .store:
            let sql = try statement(
                of: descriptor.unordered, selecting: "1", limit: descriptor.fetchLimit, offset: descriptor.fetchOffset,
                for: .existence
            ).mapText { "SELECT EXISTS (\($0))" }
            return try read("looking for objects of \(Model._ashlarEntity.name)") { try $0.count(sql) == 1 }
        }
    }

    /// Returns the number of objects that are not among some rows, ignoring the descriptor's limit; see
    /// ``PendingOverlay/count(excluding:atMost:)``.
    func count<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, excluding rowIDs: Set<Int64>, atMost bound: Int?
    ) throws -> Int {
        try throwDeferredError()
        switch try source(of: descriptor) {
        case .overlay(let changes):
            return try PendingOverlay(self, descriptor, changes).count(excluding: rowIDs, atMost: bound)
        case .parent(let parent):
            return try parent.count(descriptor, excluding: rowIDs, atMost: bound)
        case .store:
            return try storedCount(
                descriptor, excluding: rowIDs, atMost: bound, FetchTime(Model._ashlarEntity, in: container))
        }
    }

    /// Returns the number of rows that are not among some, up to a bound, ignoring the descriptor's limit.
    func storedCount<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, excluding rowIDs: Set<Int64>, atMost bound: Int?, _ time: FetchTime
    ) throws -> Int {
        let descriptor = descriptor.unordered
        let rowIDs = rowIDs.filter { $0 > 0 }.sorted()
        let doing = "counting \(Model._ashlarEntity.name)"
        if let bound {
            let sql = try statement(
                of: descriptor, selecting: "1", limit: bound, offset: nil, excluding: rowIDs, time: time
            ).counted
            return try read(doing) { try $0.count(sql) }
        }
        let all = try statement(
            of: descriptor, selecting: "count(*)", limit: nil, offset: nil, time: time, for: .count)
        if rowIDs.isEmpty { return try read(doing) { try $0.count(all) } }
        // Finding a few rows by their identifiers is faster than comparing all rows with these.
        let excluded = try statement(
            of: descriptor.among(rowIDs), selecting: "count(*)", limit: nil, offset: nil, time: time)
        return try read(doing) { connection in
            try connection.read(all) { statement in
                // Both see one state of the store. The first statement, which is still on its only row, keeps the
                // state.
                guard try statement.step() else { return 0 }
                return Int(statement.integer(0)) - (try connection.count(excluded))
            }
        }
    }
}

extension Connection {
    /// Returns the number that a statement selects.
    fileprivate func count(_ sql: BoundStatement) throws -> Int {
        try read(sql) { try $0.step() ? Int($0.integer(0)) : 0 }
    }
}

extension FetchDescriptor {
    /// The descriptor without an order.
    fileprivate var unordered: Self {
        var result = self
        result.sortOrders = []
        return result
    }

    /// Returns the descriptor for those of its objects that are among some rows.
    func among(_ rowIDs: [Int64]) -> Self {
        var result = self
        let isAmong = Condition(.isIn(Self.rowID, rowIDs.map { .integer($0) }))
        result.condition = condition.map { $0 && isAmong } ?? isAmong
        result.indexUse = .automatic
        return result
    }
}
