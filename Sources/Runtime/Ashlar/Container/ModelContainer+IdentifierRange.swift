import AshlarSQLite

extension ModelContainer {
    /// Returns the range of row numbers that the store gives to inserted objects, or nil if it has none.
    ///
    /// If the container has several stores, the method returns the range of the first. See
    /// ``PersistentStore/identifierRange()``.
    ///
    ///     if let range = try container.identifierRange() { print(range.count) }
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func identifierRange() throws -> ClosedRange<Int64>? { try stores[0].identifierRange() }

    /// Sets the range of row numbers that every store of the container gives to objects inserted from now on.
    ///
    /// See ``PersistentStore/setIdentifierRange(_:)``.
    ///
    ///     try container.setIdentifierRange(1_000_000...1_999_999)
    ///
    /// - Parameter range: The numbers that this copy of the store may use.
    /// - Throws: ``StoreError`` if a store cannot be written.
    public func setIdentifierRange(_ range: ClosedRange<Int64>) throws {
        for store in stores { try store.setIdentifierRange(range) }
    }
}

extension Connection {
    /// Returns the greatest number that the store of an entity gave to a row of its table.
    ///
    /// It requires a writing transaction. If the recorded number is outside of the store's range, it is reset into the
    /// range.
    func lastRowID(of entity: EntitySchema, in container: ModelContainer) throws -> Int64 {
        let last =
            try integer(container.lastRowIDQuery(of: entity.number.root), [.text(entity.tableName)]) ?? 0
        if state.identifierRanges.isEmpty { return last }
        let schema = container.schemaName(of: entity.number.root)
        guard let known = state.identifierRanges[schema], !known.hasMark(last) else { return last }
        // Another process may have given the store another range.
        guard let range = try StoreMetadata.identifierRange(self, in: schema) else { return last }
        state.identifierRanges[schema] = range
        if range.hasMark(last) { return last }
        let mark = try greatestNumber(in: range, of: entity.tableName)
        try setLastRowID(mark, of: entity.tableName, in: schema)
        return mark
    }

    /// Throws unless all numbers through one are in the range of their store.
    func requireIdentifiers(
        through last: Int64, of entity: EntitySchema, in container: ModelContainer
    ) throws(StoreError) {
        guard let range = state.identifierRanges[container.schemaName(of: entity.number.root)] else { return }
        if last <= range.numbers.upperBound { return }
        let store = container.placement.store(of: entity.number.root).map { container.stores[$0].url }
        throw .identifiersExhausted(store ?? container.configuration.url, entity: entity.name, range.numbers)
    }
}
