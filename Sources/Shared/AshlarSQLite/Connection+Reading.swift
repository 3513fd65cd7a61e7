import SystemFoundation

extension Connection {
    /// All rows of a query, for small results that are not read often.
    package func rows(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> [[SQLiteValue]] {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(values)
        var rows: [[SQLiteValue]] = []
        while try statement.step() { rows.append(statement.values) }
        return rows
    }

    /// Runs a closure in a transaction that has begun, and commits or rolls back.
    package func finishTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Report the first error.
            try? rollBack()
            throw error
        }
    }

    /// Rolls back a failed transaction, and leaves every attached database as if it had just been opened.
    ///
    /// After a full disk, SQLite refuses a database until its last reader has ended. An R-tree may have been reading
    /// during the rollback, and another `BEGIN` would keep it reading. A read outside of a transaction ends it.
    package func rollBack() throws(SQLiteError) {
        // A failed commit may have rolled back already. The code that ends the connection may interrupt the rollback
        // before it begins, but nothing after that.
        var attempts = 100
        while !isInAutocommit {
            do {
                try execute("ROLLBACK")
            } catch  where error.code == SQLITE_INTERRUPT && attempts > 0 {
                attempts -= 1
            }
        }
        try? beginReading()
    }
}
