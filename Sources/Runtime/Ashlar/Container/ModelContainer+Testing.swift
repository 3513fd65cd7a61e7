package import AshlarSQLite

extension ModelContainer {
    /// Holds an object for as long as the stores are open, and lets go of it after their connections are closed.
    package func keepUntilClosed(_ object: any AnyObject & Sendable) {
        pool.keptUntilClosed.withLock { $0.append(object) }
    }

    /// The steps of the plan of a statement, which is not run.
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

    /// Returns the values of a row's columns after the store derived some of them: a row without references, which is
    /// rolled back.
    ///
    /// - Parameters:
    ///   - row: What the columns hold, in the order of ``EntityDescription/columns``.
    ///   - columns: The positions of those that are asked for.
    /// - Throws: `StoreError` where the store allows no such row.
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
            // In a store in memory that nobody else has, a row too many would only be one that new rows are unlike.
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
