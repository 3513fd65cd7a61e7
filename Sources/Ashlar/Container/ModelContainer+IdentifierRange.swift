import AshlarSQLite

extension ModelContainer {
    /// The numbers that objects get which are inserted into the store; of several stores, the first. See
    /// ``PersistentStore/identifierRange()``.
    ///
    /// - Throws: ``StoreError``.
    public func identifierRange() throws -> ClosedRange<Int64>? { try stores[0].identifierRange() }

    /// Gives the store numbers of its own, which the objects get that are inserted into it from now on; of several stores,
    /// each. See ``PersistentStore/setIdentifierRange(_:)``.
    ///
    /// - Throws: ``StoreError``.
    public func setIdentifierRange(_ range: ClosedRange<Int64>) throws {
        for store in stores { try store.setIdentifierRange(range) }
    }
}

extension Connection {
    /// The greatest number that the store of an entity gave to a row of its table.
    ///
    /// There is a transaction that writes. Where the mark is none of the store's range, it is put back into it.
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

    /// Throws where the numbers up to one are not all in the range of their store.
    func requireIdentifiers(
        through last: Int64, of entity: EntitySchema, in container: ModelContainer
    ) throws(StoreError) {
        guard let range = state.identifierRanges[container.schemaName(of: entity.number.root)] else { return }
        if last <= range.numbers.upperBound { return }
        let store = container.placement.store(of: entity.number.root).map { container.stores[$0].url }
        throw .identifiersExhausted(store ?? container.configuration.url, entity: entity.name, range.numbers)
    }
}
