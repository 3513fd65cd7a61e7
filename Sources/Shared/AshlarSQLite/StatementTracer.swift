/// Reports the statements of one connection to an observer.
package final class StatementTracer {
    private let observer: StatementObserver
    private let contextName: String?
    private let clock = ContinuousClock()
    private var running: [OpaquePointer: Run] = [:]
    private var events: [StatementEvent] = []
    private var plans: [String: [String]] = [:]

    /// A running statement.
    private struct Run {
        let start: ContinuousClock.Instant
        var rowCount = 0
        var rows: [[SQLiteValue]] = []
    }

    package init(_ observer: StatementObserver, contextName: String?) {
        self.observer = observer
        self.contextName = contextName
    }

    /// Runs a closure, and notifies the observer of the statements that it ran on a connection.
    package func trace(_ connection: Connection, _ body: () throws -> Void) rethrows {
        var events = SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE
        events |= SQLITE_TRACE_ROW
        // The tracer outlives the registration, which ends before this returns.
        sqlite3_trace_v2(
            connection.database, UInt32(events),
            { event, tracer, statement, text in
                guard let tracer, let statement else { return 0 }
                Unmanaged<StatementTracer>.fromOpaque(tracer).takeUnretainedValue()
                    .note(Int32(event), OpaquePointer(statement), text)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        defer {
            sqlite3_trace_v2(connection.database, 0, nil, nil)
            addPlans(connection)
            tell()
        }
        try withExtendedLifetime(self) { try body() }
    }

    private func note(_ event: Int32, _ statement: OpaquePointer, _ text: UnsafeMutableRawPointer?) {
        switch event {
        case SQLITE_TRACE_STMT:
            // SQLite reports an action of a trigger as a comment; it belongs to the running statement.
            if running[statement] == nil { running[statement] = Run(start: clock.now) }
        case SQLITE_TRACE_ROW:
            guard var run = running.removeValue(forKey: statement) else { return }
            if observer.level >= .rows, run.rows.count < StatementEvent.maximumRows {
                run.rows.append(SQLiteValue.row(of: statement))
            }
            run.rowCount += 1
            running[statement] = run
        case SQLITE_TRACE_PROFILE:
            guard let run = running.removeValue(forKey: statement) else { return }
            finish(statement, run)
        default: break
        }
    }

    private func finish(_ statement: OpaquePointer, _ run: Run) {
        let duration = run.start.duration(to: clock.now)
        if let threshold = observer.threshold, duration < threshold { return }
        var event = StatementEvent(
            sql: sqlite3_sql(statement).map { String(cString: $0) } ?? "", duration: duration, rowCount: run.rowCount,
            rows: run.rows, contextName: contextName)
        if observer.level >= .values, let expanded = sqlite3_expanded_sql(statement) {
            event.expandedSQL = String(cString: expanded)
            sqlite3_free(expanded)
        }
        events.append(event)
        // A long save would otherwise collect all of its statements. Only plans must wait for its end.
        if events.count >= 1000, observer.level < .plan { tell() }
    }

    private func tell() {
        for event in events { observer.handler(event) }
        events = []
    }

    private func addPlans(_ connection: Connection) {
        guard observer.level >= .plan else { return }
        for index in events.indices { events[index].plan = plan(of: events[index].sql, connection) }
    }

    private func plan(of sql: String, _ connection: Connection) -> [String] {
        if let known = plans[sql] { return known }
        // `BEGIN`, pragmas and the like have no plan, which is not an error of the program.
        let steps = (try? connection.queryPlan(of: sql, [])) ?? []
        plans[sql] = steps
        return steps
    }
}

extension Connection {
    /// The steps of a statement's query plan.
    package func queryPlan(of sql: BoundStatement) throws -> [String] {
        do throws(SQLiteError) {
            return try queryPlan(of: sql.text, sql.values)
        } catch {
            guard error.isMissingIndex, let other = try sql.unplanned?() else { throw error }
            return try queryPlan(of: other.text, other.values)
        }
    }

    package func queryPlan(of sql: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [String] {
        // `prepare` would count it among the statements of the caller.
        let statement = try Statement("EXPLAIN QUERY PLAN " + sql, database: database, functions: functions)
        defer { statement.reset() }
        statement.bind(values)
        var steps: [String] = []
        while try statement.step() { steps.append(statement.text(3) ?? "") }
        return steps
    }
}
