import AshlarSQLite

extension ModelContainer {
    /// Returns the number of an entity's store in this process.
    @inline(__always)
    func storeNumber(of root: UInt16) -> UInt32 { placement.storeNumber(of: root) }

    /// Returns the number of one of the stores in this process; 0 if it holds no entity.
    func number(of store: PersistentStore) -> UInt32 {
        guard let entity = model.entitySchemas.first(where: { store.entityNames.contains($0.name) }) else { return 0 }
        return placement.storeNumber(of: entity.number.entity)
    }

    /// Returns the schema name of an entity's store in the connections.
    func schemaName(of root: UInt16) -> String {
        placement.isSimple ? "main" : placement.store(of: root).map { stores[$0].schemaName } ?? "main"
    }

    /// Returns the query for the greatest rowid that an entity's table ever used. It binds the table's name.
    func lastRowIDQuery(of root: UInt16) -> String {
        if placement.isSimple { return "SELECT \"seq\" FROM \"sqlite_sequence\" WHERE \"name\" = ?1" }
        return "SELECT \"seq\" FROM \(sequenceTable(of: root)) WHERE \"name\" = ?1"
    }

    /// Returns the table in which SQLite keeps the greatest rowid that each table of an entity's store ever used.
    func sequenceTable(of root: UInt16) -> String {
        "\(schemaName(of: root)).\"sqlite_sequence\""
    }

    /// Returns the entity without a store that is the cause of an error of SQLite: "no such table: Post".
    func entityWithoutStore(_ error: SQLiteError) -> EntitySchema? {
        if placement.isSimple { return nil }
        return model.entitySchemas.first {
            storeNumber(of: $0.number.root) == 0 && error.message == "no such table: \($0.tableName)"
        }
    }
}
