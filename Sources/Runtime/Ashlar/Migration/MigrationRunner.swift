import AshlarSQLite
import SystemFoundation

/// Executes the statements of a migration in an open transaction, one by one, and reports the progress.
struct MigrationRunner {
    let url: URL
    let connection: Connection
    let monitor: MigrationMonitor
    var stages = MigrationStages()
    /// The first part of the chain, already collapsed for the estimate of the free space.
    var firstPart: MigrationChain.CollapsedPart?

    /// The steps to run next, each with the estimated number of rows that it reads or writes.
    private struct Pending {
        var steps: [MigrationChain.Step] = []
        var rows: [Int] = []
        var next = 0

        var nextStep: MigrationChain.Step? { next < steps.count ? steps[next] : nil }
    }

    /// Runs a chain, and adds a row to the ledger for each version.
    ///
    /// - Parameter estimate: The estimate for the statements of the chain before they are collapsed.
    func run(
        _ chain: MigrationChain, _ estimate: MigrationEstimate, _ ledger: MigrationLedger,
        _ history: inout HistoryMigration?
    ) throws {
        let versions = chain.model.versions
        monitor.update { progress in
            progress.totalStatements = chain.steps.count
            progress.estimatedRows = estimate.rows.reduce(0, +)
        }
        var parts = chain.parts(borders: stages.versions)[...]
        var pending = Pending()
        for version in versions.indices.dropFirst(chain.start + 1) {
            let (from, to) = (versions[version - 1].name, versions[version].name)
            monitor.update { $0.phase = .migrating(from: from, to: to) }
            let stage = stages[version]
            func store() -> StageStore { StageStore(url, connection, monitor, from: from, to: to) }
            try connection.unguarded { try stage?.begin(store(), connection, monitor) }
            for isStageDone in [false, true] {
                while true {
                    if let step = pending.nextStep, step.version == version, isStageDone || !step.isFinalCheck {
                        do {
                            try run(step.statement, rows: pending.rows[pending.next], from: from, to: to)
                        } catch let error as SQLiteError {
                            if let attributes = chain.model.storedEntities()?[version].overflowingAttributes(error) {
                                throw StoreError.derivedOverflow(url, from: from, to: to, attributes: attributes)
                            }
                            throw StoreError.migrationFailed(url, from: from, to: to, error: error)
                        }
                        pending.next += 1
                    } else if pending.nextStep == nil, let part = parts.first,
                        case let step = chain.steps[part.range.lowerBound], step.version == version,
                        isStageDone || !step.isFinalCheck
                    {
                        parts.removeFirst()
                        pending = try begin(part, of: chain, estimate)
                        for step in chain.steps[part.range] where step.statement.purpose == .change {
                            history?.follow(step.statement.operation)
                        }
                    } else {
                        break
                    }
                }
                if !isStageDone { try connection.unguarded { try stage?.end(store(), connection) } }
            }
            try ledger.add(
                .migration, from: from, to: versions[version], detail: stage == nil ? "" : "with a custom stage")
        }
    }

    /// Returns the work for a part of the chain, after all parts before it ran.
    private func begin(
        _ part: MigrationChain.Part, of chain: MigrationChain, _ estimate: MigrationEstimate
    ) throws(SQLiteError) -> Pending {
        let steps = try chain.collapse(part, on: connection, known: firstPart).steps
        var rows = Array(estimate.rows[part.range])
        if steps.count != rows.count {
            let expected = rows.reduce(0, +)
            rows = try MigrationEstimate(
                steps.map { StatementWork($0.statement.operation) }, connection
            ).rows
            monitor.update { progress in
                progress.totalStatements += steps.count - part.range.count
                progress.estimatedRows += rows.reduce(0, +) - expected
            }
        }
        return Pending(steps: steps, rows: rows)
    }

    /// Runs one statement.
    private func run(
        _ statement: ModelDescription.MigrationStatement, rows: Int, from: String, to: String
    ) throws {
        let sql = statement.sql
        switch statement.purpose {
        case .change, .custom:
            if StatementWork(statement.operation).isReplacement {
                try connection.execute(sql, asReplacement: true)
            } else {
                _ = try firstValue(sql, rows: rows)
            }
        case .check(let reason, let entity):
            if let rowID = try firstValue(sql, rows: rows) {
                throw StoreError.migrationRefused(
                    url, from: from, to: to, entity: entity, rowID: rowID, reason: reason)
            }
        }
        monitor.update { $0.completedStatements += 1 }
    }

    /// Executes a statement to its first row or to its end, and reports the number of read rows meanwhile.
    private func firstValue(_ sql: String, rows: Int) throws -> Int64? {
        let statement = try Statement(sql, database: connection.database)
        var looks = 0
        var told = 0
        /// Without an index, SQLite counts the rows that it reads. With one, they are estimated from its operations.
        func tell(isDone: Bool) {
            looks += 1
            let read = statement.scannedRowCount
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
