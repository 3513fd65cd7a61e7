package import AshlarSQLite

extension ModelContainer {
    /// Holds an object while the stores are open, and releases it after their connections are closed.
    package func keepUntilClosed(_ object: any AnyObject & Sendable) {
        pool.keptUntilClosed.withLock { $0.append(object) }
    }

    /// Returns the steps of the query plan of a statement, which is not run.
    package func explanation(of sql: String) throws -> [ExplainedStep] {
        try pool.read { try $0.explanation(of: sql) }
    }
}

extension ModelContainer {
    /// Returns the values of some columns in the rows of an entity's table.
    package func storedValues(of entity: EntityDescription, _ columns: [Int]) throws -> [[SQLiteValue]] {
        let names = columns.map { entity.columns[$0].name.quotedIdentifier }.joined(separator: ", ")
        return try read("reading values that must be unique") {
            try $0.rows("SELECT \(names) FROM \(entity.tableName.quotedIdentifier)")
        }
    }

    /// Returns the values of a row's columns, including those that the store derives. The row is inserted without
    /// references, and rolled back.
    ///
    /// - Parameters:
    ///   - row: The values to insert, in the order of ``EntityDescription/columns``.
    ///   - columns: The positions of the columns to return.
    /// - Throws: `StoreError` if the store rejects the row.
    package func derivedValues(
        of entity: EntityDescription, _ row: [SQLiteValue], _ columns: [Int]
    ) throws -> [SQLiteValue] {
        let table = entity.tableName.quotedIdentifier
        let given = entity.columns.indices.filter { !entity.columns[$0].isDerived }
        var names = given.map { entity.columns[$0].name.quotedIdentifier }
        var values = given.map { row[$0] }
        if entity.hasDiscriminator {
            names.append("entity$".quotedIdentifier)
            values.append(entity.discriminator.map { .text($0) } ?? .null)
        }
        let asked = columns.map { entity.columns[$0].name.quotedIdentifier }.joined(separator: ", ")
        return try pool.write { writer in
            try writer.execute("SAVEPOINT derived")
            // If the rollback fails, the private store in memory only has one more row that new rows must differ from.
            defer { try? writer.execute(["ROLLBACK TO derived", "RELEASE derived"]) }
            let statement = try writer.prepare(
                names.isEmpty
                    ? "INSERT INTO \(table) DEFAULT VALUES"
                    : "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES ("
                        + values.indices.map { "?\($0 + 1)" }.joined(separator: ", ") + ")")
            statement.bind(values)
            while try statement.step() {}
            return try writer.rows(
                "SELECT \(asked) FROM \(table) WHERE \("id$".quotedIdentifier) = ?1",
                [.integer(writer.lastInsertedRowID)]
            ).first ?? []
        }
    }
}
