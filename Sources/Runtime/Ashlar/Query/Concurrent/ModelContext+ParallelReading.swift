import AshlarSQLite

extension ModelContext {
    /// Whether what the context reads may be read by other connections than its own, and by several threads.
    private var mayReadInParallel: Bool {
        // Who wants to know of statements is told of those that he knows.
        currentTransaction == nil && reading.pinnedGeneration == nil && container.pool.hasReaders
            && container.stores.count == 1 && reading.tracingObserver == nil && container.statementListeners.isEmpty
    }

    /// After how many rows of a descriptor to look whether others are to help to read the rest; 0 where that is not possible.
    func parallelProbe<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) -> Int {
        if descriptor.fetchLimit != nil || descriptor.fetchOffset != nil || !descriptor.sortOrders.isEmpty { return 0 }
        guard case .automatic = descriptor.indexUse, mayReadInParallel else { return 0 }
        return container.pool.parallelReading.withLock { $0.threadCount > 1 ? max($0.probedRowCount, 1) : 0 }
    }

    /// The statements that find the rows of a descriptor in each range of rowids.
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

    /// All values of a descriptor, read by several threads.
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
