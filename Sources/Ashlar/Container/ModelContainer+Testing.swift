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
    /// What some columns hold in the rows of an entity's table, each row with as many values.
    package func storedValues(of entity: EntityDescription, _ columns: [Int]) throws -> [[SQLiteValue]] {
        let names = columns.map { entity.columns[$0].name.quotedIdentifier }.joined(separator: ", ")
        return try read("reading values that must be unique") {
            try $0.rows("SELECT \(names) FROM \(entity.tableName.quotedIdentifier)")
        }
    }
}
