#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

extension PendingSave {
    /// Notes the files of the values that a row loses, before it is written or deleted.
    func retireExternalData(
        _ entity: EntityDescription, rowID: Int64, columns mask: UInt64 = .max, _ connection: Connection
    ) throws {
        guard !entity.externalColumns.isEmpty, let externalData = connection.externalData else { return }
        let columns = entity.externalColumns.filter { mask & ManagedObject.bit(of: $0) != 0 }
        if columns.isEmpty { return }
        let names = columns.map { entity.columns[$0].name.quotedIdentifier }.joined(separator: ", ")
        let statement = try connection.statement(
            "SELECT \(names) FROM \(entity.tableName.quotedIdentifier) WHERE \"id$\" = ?1")
        defer { statement.reset() }
        statement.bind(rowID, 1)
        guard try statement.step() else { return }
        let row = Row(statement: statement.handle, store: 0)
        for position in columns.indices {
            if let name = row.externalFileName(Int32(position)) { try externalData.retire(name) }
        }
    }
}
