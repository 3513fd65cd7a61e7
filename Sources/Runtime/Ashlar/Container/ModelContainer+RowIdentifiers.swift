import AshlarSQLite

extension ModelContainer {
    /// Returns the identifier of a row, whatever entity of the hierarchy it belongs to; nil if there is no such row.
    package func identifier(
        ofRow key: Int64, in root: EntityDescription, _ connection: Connection
    ) throws(SQLiteError) -> PersistentIdentifier? {
        let name = root.hasDiscriminator ? "\"entity$\"" : "NULL"
        let rows = try connection.rows(
            "SELECT \(name) FROM \(root.tableName.quotedIdentifier) WHERE \"id$\" = ?1", [.integer(key)])
        guard let row = rows.first else { return nil }
        let entity = if case .text(let name) = row[0] { model.entity(named: name) } else { root }
        guard let entity else { return nil }
        return PersistentIdentifier(
            rowID: key, store: storeNumber(of: entity.number.root), entity: entity.number)
    }
}
