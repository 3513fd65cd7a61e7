import AshlarSQLite

extension PendingSave {
    /// Returns the writer of an entity's large values; nil for a store in memory.
    private func externalData(of entity: EntityDescription, _ connection: Connection) -> ExternalDataWriter? {
        connection.externalData(of: container.schemaName(of: entity.number.root))
    }

    /// Records the files of the values that a row loses, before it is written or deleted.
    func retireExternalData(
        _ entity: EntityDescription, rowID: Int64, columns mask: UInt64 = .max, _ connection: Connection
    ) throws {
        guard !entity.schema.externalColumns.isEmpty, let externalData = externalData(of: entity, connection) else {
            return
        }
        let columns = entity.schema.externalColumns.filter { mask & ManagedObject.bit(of: $0) != 0 }
        if columns.isEmpty { return }
        let names = columns.map { entity.columns[$0].name.quotedIdentifier }.joined(separator: ", ")
        let statement = try connection.statement(
            "SELECT \(names) FROM \(entity.tableName.quotedIdentifier) WHERE \"id$\" = ?1")
        defer { statement.reset() }
        statement.bind(rowID, 1)
        guard try statement.step() else { return }
        let files = columns.indices.compactMap { statement.externalFileName(Int32($0)) }
        if files.isEmpty { return }
        if try connection.keepsReplacedFiles(in: container.schemaName(of: entity.number.root)) { return }
        for name in files { try externalData.retire(name) }
    }
}

extension ModelContainer {
    /// Makes a statement write large values next to its store, if the connection has several stores.
    func setExternalData(of statement: Statement, _ entity: EntityDescription, _ connection: Connection) {
        if connection.state.externalDataOfStores.isEmpty || entity.schema.externalColumns.isEmpty { return }
        statement.externalData = connection.externalData(of: schemaName(of: entity.number.root))
    }
}

extension Connection {
    /// Returns the writer of a store's large values; nil for a store in memory.
    func externalData(of schemaName: String) -> ExternalDataWriter? {
        state.externalData ?? state.externalDataOfStores[schemaName]
    }

    /// Calls a closure with the writer of large values of each store.
    func forEachExternalData(_ body: (ExternalDataWriter) throws -> Void) rethrows {
        if let externalData = state.externalData { try body(externalData) }
        for externalData in state.externalDataOfStores.values { try body(externalData) }
    }
}
