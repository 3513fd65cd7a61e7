import AshlarSQLite

extension ModelContext {
    /// Whether reads of the context may use several connections and threads.
    private var mayReadInParallel: Bool {
        // Observers of statements are notified only of those of the context's own connection.
        currentTransaction == nil && reading.pinnedGeneration == nil && container.pool.hasReaders
            && container.stores.count == 1 && reading.tracingObserver == nil && container.statementListeners.isEmpty
    }

    /// Returns the number of rows after which to check whether to read the rest with several threads; 0 if that is
    /// impossible.
    func parallelProbe<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) -> Int {
        if descriptor.fetchLimit != nil || descriptor.fetchOffset != nil || !descriptor.sortOrders.isEmpty { return 0 }
        guard case .automatic = descriptor.indexUse, mayReadInParallel else { return 0 }
        return container.pool.parallelReading.withLock { $0.threadCount > 1 ? max($0.probedRowCount, 1) : 0 }
    }

    /// Returns the statements that find the rows of a descriptor in each range of rowids.
    func statements<Model: PersistentModel>(
        of descriptor: FetchDescriptor<Model>, in ranges: [ClosedRange<Int64>],
        _ statement: (FetchDescriptor<Model>) throws -> BoundStatement
    ) throws -> [BoundStatement] {
        let rowID = FetchDescriptor<Model>.rowID
        return try ranges.map { range in
            var part = descriptor
            let isInRange = Condition(
                .and([
                    .comparison(rowID, .greaterOrEqual, .value(.integer(range.lowerBound))),
                    .comparison(rowID, .lessOrEqual, .value(.integer(range.upperBound))),
                ]))
            part.condition = descriptor.condition.map { $0 && isInRange } ?? isInRange
            return try statement(part)
        }
    }

    /// Returns all values of a descriptor, read by several threads.
    func values<Model: PersistentModel, Values: EntityValues>(
        of descriptor: FetchDescriptor<Model>, as type: Values.Type, by reading: RangedReading
    ) throws -> [Values] {
        let entity = Model._ashlarEntity
        let time = FetchTime(entity, in: container)
        let statements = try statements(of: descriptor, in: reading.ranges) { part in
            var part = part
            part.sortOrders = [ColumnOrder(expression: FetchDescriptor<Model>.rowID, isAscending: true)]
            return try statement(of: part, selecting: entity.selectedColumns, limit: nil, offset: nil, time: time)
        }
        let store = container.storeNumber(of: entity.number.root)
        var parts: [ValuesPart] = []
        try container.saying("fetching values of \(entity.name)") {
            parts = try reading.parts(statements, self.reading.cancellation, counting: &statementCount) {
                connection, sql in
                var buffer = ValuesBuffer(of: Values.self)
                try connection.read(sql) { statement in
                    buffer.removeAll()
                    let row = Row(statement: statement.handle, store: store)
                    _ = try Self.readValues(entity, statement, row, into: &buffer, atMost: 0)
                }
                return ValuesPart(buffer)
            }
        }
        return ValuesPart.array(parts, of: Values.self)
    }
}
