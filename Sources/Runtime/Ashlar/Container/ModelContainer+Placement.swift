import AshlarSQLite

extension ModelContainer {
    /// The number by which the process knows the store of an entity.
    @inline(__always)
    func storeNumber(of root: UInt16) -> UInt32 { placement.storeNumber(of: root) }

    /// The number by which the process knows one of the stores; 0 when it holds no entity.
    func number(of store: PersistentStore) -> UInt32 {
        guard let entity = model.entitySchemas.first(where: { store.entityNames.contains($0.name) }) else { return 0 }
        return placement.storeNumber(of: entity.number.entity)
    }

    /// The name by which connections know the store of an entity.
    func schemaName(of root: UInt16) -> String {
        placement.isSimple ? "main" : placement.store(of: root).map { stores[$0].schemaName } ?? "main"
    }

    /// The query for the greatest rowid that an entity's table ever used; it binds the table's name.
    func lastRowIDQuery(of root: UInt16) -> String {
        if placement.isSimple { return "SELECT \"seq\" FROM \"sqlite_sequence\" WHERE \"name\" = ?1" }
        return "SELECT \"seq\" FROM \(sequenceTable(of: root)) WHERE \"name\" = ?1"
    }

    /// The table in which SQLite keeps the greatest rowid that each table of an entity's store ever used.
    func sequenceTable(of root: UInt16) -> String {
        "\(schemaName(of: root)).\"sqlite_sequence\""
    }

    /// The entity that no store holds and that an error of SQLite is therefore about: "no such table: Post".
    func entityWithoutStore(_ error: SQLiteError) -> EntitySchema? {
        if placement.isSimple { return nil }
        return model.entitySchemas.first {
            storeNumber(of: $0.number.root) == 0 && error.message == "no such table: \($0.tableName)"
        }
    }
}
