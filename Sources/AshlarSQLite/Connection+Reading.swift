import SystemFoundation

extension Connection {
    /// All rows of a query, for the few that are small and not read often.
    package func rows(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> [[SQLiteValue]] {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(values)
        var rows: [[SQLiteValue]] = []
        while try statement.step() { rows.append(statement.values) }
        return rows
    }

    /// Runs a closure in a transaction that has begun, and commits all of it, or nothing.
    package func finishTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // The error to tell is the first.
            try? rollBack()
            throw error
        }
    }

    /// Undoes a transaction that failed, and leaves every attached database as if it had just been opened.
    ///
    /// After a full disk SQLite refuses a database until nothing reads it any more. An R-tree may have read when the
    /// transaction was rolled back, and another `BEGIN` would keep that going; a read outside of a transaction ends it.
    package func rollBack() throws(SQLiteError) {
        // A failed commit may have rolled back already.
        // Whoever ends the connection may interrupt the rollback before it begins, and nothing after that.
        var attempts = 100
        while !isInAutocommit {
            do {
                try execute("ROLLBACK")
            } catch  where error.code == SQLITE_INTERRUPT && attempts > 0 {
                attempts -= 1
            }
        }
        try? execute("SELECT 1 FROM \"sqlite_schema\" LIMIT 1")
    }

    /// The collation of a column, and whether it is a rowid that is never used twice, which no pragma tells.
    package func metadata(
        ofColumn column: String, in table: String, of schemaName: String = "main"
    ) -> (collation: String, isAutoincrement: Bool) {
        var collation: UnsafePointer<CChar>?
        var isAutoincrement: Int32 = 0
        // Of a column that is not there both stay as they are.
        sqlite3_table_column_metadata(database, schemaName, table, column, nil, &collation, nil, nil, &isAutoincrement)
        return (collation.map { String(cString: $0) } ?? "", isAutoincrement != 0)
    }
}
