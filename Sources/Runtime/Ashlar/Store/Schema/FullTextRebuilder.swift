import AshlarSQLite

extension PersistentStore {
    /// Rebuilds the full-text indexes.
    func rebuildFullTextIndexes(of model: ModelDescription) throws {
        let catalogue = try SchemaCatalogue(of: Array(model.schema))
        try write("making full-text indexes anew") { connection in
            try connection.transaction(writing: self) {
                guard var metadata = try StoreMetadata(connection, in: schemaName) else {
                    throw StoreError.foreignDatabase(url)
                }
                let wasKnown =
                    try connection.integer("PRAGMA \(schemaName).schema_version") == metadata.schemaVersion
                let rebuilder = FullTextRebuilder(
                    connection: connection, schemaName: schemaName, tables: fullTextTables, catalogue: catalogue)
                try rebuilder.rebuildAll()
                if wasKnown { try metadata.writeSchemaVersion(to: connection, in: schemaName) }
            }
            connection.forgetStatements()
        }
    }
}

extension Connection {
    /// Drops a full-text index of the connection's own database, even if FTS5 cannot open it.
    package func dropFullTextTable(_ name: String) throws {
        try FullTextRebuilder(
            connection: self, schemaName: "main", tables: [], catalogue: try SchemaCatalogue(of: [])
        ).drop(name)
    }
}

/// Rebuilds full-text indexes, even those that FTS5 cannot open to drop them.
private struct FullTextRebuilder {
    let connection: Connection
    /// The name of the store on the connection.
    let schemaName: String
    /// The contents of the model's indexes.
    let tables: [ModelDescription.VirtualTable]
    /// The schema that the model requires.
    let catalogue: SchemaCatalogue

    func rebuildAll() throws {
        for table in tables {
            let name = table.name
            guard let object = catalogue.objects[name], try connection.schema(of: schemaName).hasTable(name) else {
                continue
            }
            try drop(name)
            // The model's own text, with the schema name of the store.
            let prefix = "CREATE VIRTUAL TABLE \(name.quotedIdentifier)"
            guard object.sql.hasPrefix(prefix) else { continue }
            try connection.execute(
                "CREATE VIRTUAL TABLE \(qualified(name))\(object.sql.dropFirst(prefix.count))")
            try connection.execute(table.contents.filling)
        }
    }

    private func qualified(_ name: String) -> String { "\(schemaName).\(name.quotedIdentifier)" }

    func drop(_ name: String) throws {
        // A prepared statement that uses the table would keep it from being dropped.
        connection.forgetStatements()
        do {
            try connection.execute("DROP TABLE \(qualified(name))")
        } catch {
            guard error.code == SQLITE_ERROR || error.code == SQLITE_CORRUPT else { throw error }
            // To drop the table, FTS5 opens it and reads two of its shadow tables. SQLite otherwise lets only FTS5
            // write these.
            try connection.setDefensive(false)
            let outcome = Result { try makeReadable(name) }
            try connection.setDefensive(true)
            try outcome.get()
            try connection.execute("DROP TABLE \(qualified(name))")
        }
    }

    /// Gives an index the shadow tables of an empty one, as far as FTS5 reads them when it opens the index. They are
    /// its version, and the record of its structure, which has the number 10 and declares no segments.
    private func makeReadable(_ name: String) throws {
        for (suffix, definition, columns, rows) in [
            (
                "_data", "(id INTEGER PRIMARY KEY, block BLOB)", "(id, block)",
                "(1, X''), (10, X'00000000000000')"
            ),
            ("_config", "(k PRIMARY KEY, v) WITHOUT ROWID", "(k, v)", "('version', 4)"),
        ] {
            let table = qualified(name + suffix)
            try connection.execute("DROP TABLE IF EXISTS \(table)")
            try connection.execute("CREATE TABLE \(table) \(definition)")
            try connection.execute("INSERT INTO \(table) \(columns) VALUES \(rows)")
        }
    }
}
