import SQLQuoting

/// A row with a foreign key that leads to no row.
package struct ForeignKeyViolation: Sendable, Hashable {
    package let table: String
    /// The number of the row; nil in a table without rowids.
    package let rowID: Int64?
    /// The table that the foreign key refers to.
    package let parent: String
    /// The ``DatabaseSchema/ForeignKey/number`` of the foreign key.
    package let key: Int64
}

/// A schema that a connection has read, with the statement that notices its changes.
struct KnownSchema {
    let statement: Statement
    let recompilationCount: Int32
    let contents: SchemaContents
}

/// The schema of a connection's databases. Other files do not ask SQLite for it.
extension Connection {
    /// The schema of a database in its present state, or in the state that the open transaction sees.
    ///
    /// The call steps one statement. SQLite compiles this statement again after each change of the schema, including a
    /// change that was rolled back, so that the number of compilations shows whether the kept schema is current.
    /// `PRAGMA schema_version` would not do: after a rollback, another change gets the same number.
    ///
    /// - Parameter schemaName: The name of the database in the connection.
    package func schema(of schemaName: String = "main") throws(SQLiteError) -> DatabaseSchema {
        let statement = try statement(
            """
            SELECT "type", "name", "tbl_name", "sql", "rootpage" FROM \(table(of: schemaName)) ORDER BY "rowid"
            """)
        defer { statement.reset() }
        var hasRow = try statement.step()
        let count = statement.recompilationCount
        if let known = schemas[schemaName], known.statement === statement, known.recompilationCount == count {
            return DatabaseSchema(connection: self, name: schemaName, contents: known.contents)
        }
        var objects: [DatabaseSchema.Object] = []
        while hasRow {
            let kind = DatabaseSchema.Object.Kind(rawValue: statement.text(0) ?? "") ?? .other
            objects.append(
                DatabaseSchema.Object(
                    kind: kind, name: statement.text(1) ?? "", tableName: statement.text(2) ?? "",
                    sql: statement.text(3), isVirtualTable: kind == .table && statement.int64(4) == 0))
            hasRow = try statement.step()
        }
        let contents = SchemaContents(objects)
        schemas[schemaName] = KnownSchema(statement: statement, recompilationCount: count, contents: contents)
        return DatabaseSchema(connection: self, name: schemaName, contents: contents)
    }

    /// The schema of the database in which SQLite finds a table by its name alone; that of the main database if no
    /// database has the table.
    package func schema(holding table: String) throws(SQLiteError) -> DatabaseSchema {
        let main = try schema()
        if main.hasTable(table) { return main }
        for name in DatabaseHandle(database).attachedNames {
            let attached = try schema(of: name)
            if attached.hasTable(table) { return attached }
        }
        return main
    }

    /// SQLite's table of a database's schema, as SQL.
    private func table(of schemaName: String) -> String {
        SQLQuotation.qualifiedIdentifier(schemaName, "sqlite_schema")
    }

    /// Reads from a database. The first read of a transaction selects the state that the transaction sees.
    package func beginReading(_ schemaName: String = "main") throws(SQLiteError) {
        try execute("SELECT 1 FROM \(table(of: schemaName)) LIMIT 1")
    }

    /// Makes SQLite's planner read the statistics of the main database again.
    package func reloadStatistics() throws(SQLiteError) { try execute("ANALYZE \(table(of: "main"))") }

    /// Returns whether a database has the two tables that every store of Core Data has.
    package func isCoreDataStore(in schemaName: String = "main") throws(SQLiteError) -> Bool {
        let schema = try schema(of: schemaName)
        return schema.hasTable("Z_PRIMARYKEY") && schema.hasTable("Z_METADATA")
    }

    /// Returns rows whose foreign keys lead to no row.
    ///
    /// - Parameters:
    ///   - table: The table of the rows; nil for all tables.
    ///   - limit: The maximum number of rows.
    package func foreignKeyViolations(
        of table: String? = nil, in schemaName: String = "main", limit: Int = .max
    ) throws(SQLiteError) -> [ForeignKeyViolation] {
        var violations: [ForeignKeyViolation] = []
        try visitForeignKeyViolations(of: table, in: schemaName) { violation in
            violations.append(violation)
            return violations.count < limit
        }
        return violations
    }

    /// Calls a closure with each row whose foreign key leads to no row, until the closure returns false.
    package func visitForeignKeyViolations(
        of table: String? = nil, in schemaName: String = "main", _ visit: (ForeignKeyViolation) -> Bool
    ) throws(SQLiteError) {
        let statement = try statement(
            "SELECT \"table\", \"rowid\", \"parent\", \"fkid\" FROM pragma_foreign_key_check(?1, ?2)")
        defer { statement.reset() }
        statement.bind([table.map { .text($0) } ?? .null, .text(schemaName)])
        while try statement.step() {
            let violation = ForeignKeyViolation(
                table: statement.text(0) ?? "", rowID: statement.int64(1), parent: statement.text(2) ?? "",
                key: statement.integer(3))
            if !visit(violation) { return }
        }
    }

    /// The collation of a column, and whether it is an `AUTOINCREMENT` rowid, which no pragma reports.
    func metadata(
        ofColumn column: String, in table: String, of schemaName: String
    ) -> (collation: String, isAutoincrement: Bool) {
        var collation: UnsafePointer<CChar>?
        var isAutoincrement: Int32 = 0
        // For a missing column, both keep their values.
        sqlite3_table_column_metadata(database, schemaName, table, column, nil, &collation, nil, nil, &isAutoincrement)
        return (collation.map { String(cString: $0) } ?? "", isAutoincrement != 0)
    }
}

extension StatementGuard.Step {
    /// Whether the action is about SQLite's table of the schema.
    package var isOfSchemaTable: Bool { Self.isSame(first, "sqlite_master") || Self.isSame(first, "sqlite_schema") }
}
