import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// Runs the statements of a migration in a transaction that is open, one by one, and tells how far it is.
struct MigrationRunner {
    let url: URL
    let connection: Connection
    let monitor: MigrationMonitor

    /// Runs a chain, with a row in the ledger for each version.
    func run(
        _ chain: MigrationChain, _ estimate: MigrationEstimate, _ ledger: MigrationLedger,
        _ history: inout HistoryMigration?
    ) throws {
        let versions = chain.model.versions
        let total = estimate.rows.reduce(0, +)
        monitor.update { progress in
            progress.totalStatements = chain.steps.count
            progress.estimatedRows = total
        }
        var next = 0
        for version in versions.indices.dropFirst(chain.start + 1) {
            let (from, to) = (versions[version - 1].name, versions[version].name)
            monitor.update { $0.phase = .migrating(from: from, to: to) }
            while next < chain.steps.count, chain.steps[next].version == version {
                let statement = chain.steps[next].statement
                do {
                    try run(statement, rows: estimate.rows[next], from: from, to: to)
                } catch let error as SQLiteError {
                    throw StoreError.migrationFailed(url, from: from, to: to, error: error)
                }
                if case .change(let sql) = statement { history?.follow(sql) }
                next += 1
            }
            try ledger.add(.migration, from: from, to: versions[version])
        }
    }

    /// Runs one statement. Other kinds of steps, such as code of the program's own, would be run here too.
    private func run(
        _ statement: ModelDescription.MigrationStatement, rows: Int, from: String, to: String
    ) throws {
        switch statement {
        case .change(let sql):
            if StatementWork(sql).isReplacement {
                try connection.execute(sql, asReplacement: true)
            } else {
                _ = try firstValue(sql, rows: rows)
            }
        case .check(let sql, let reason, let entity):
            if let rowID = try firstValue(sql, rows: rows) {
                throw StoreError.migrationRefused(
                    url, from: from, to: to, entity: entity, rowID: rowID, reason: reason)
            }
        }
        monitor.update { $0.completedStatements += 1 }
    }

    /// Runs a statement to its first row or to its end, and tells meanwhile how many rows it has read.
    private func firstValue(_ sql: String, rows: Int) throws -> Int64? {
        let statement = try Statement(sql, database: connection.database)
        var looks = 0
        var told = 0
        /// Without an index, SQLite counts the rows that it reads; else they are estimated from its operations.
        func tell(isDone: Bool) {
            looks += 1
            let read = Int(sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0))
            let operations = looks * Int(MigrationMonitor.operationsBetweenLooks)
            let done = isDone ? rows : min(rows, read > 0 ? read : operations / 25)
            let more = max(0, done - told)
            told += more
            monitor.update { $0.completedRows += more }
        }
        let tellMore = { tell(isDone: false) }
        let value = try monitor.watching(connection, telling: tellMore) { () throws -> Int64? in
            guard try statement.step() else { return nil }
            return Row(statement: statement.handle, store: 0).optionalInt64(0) ?? 0
        }
        tell(isDone: true)
        return value
    }
}
