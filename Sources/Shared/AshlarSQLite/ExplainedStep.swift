/// One step of a query plan, as SQLite reports it.
package struct ExplainedStep: Sendable, Hashable {
    /// The number of the step.
    package var identifier: Int
    /// The number of the enclosing step; 0 for a step of the statement itself.
    package var parent: Int
    /// SQLite's description of the step.
    package var detail: String
}

extension Connection {
    /// The steps of a statement's query plan. The statement is neither run nor counted.
    package func explanation(of sql: String) throws(SQLiteError) -> [ExplainedStep] {
        let statement = try Statement("EXPLAIN QUERY PLAN " + sql, database: database, functions: functions)
        defer { statement.reset() }
        var steps: [ExplainedStep] = []
        while try statement.step() {
            steps.append(
                ExplainedStep(
                    identifier: Int(statement.int64(0) ?? 0), parent: Int(statement.int64(1) ?? 0),
                    detail: statement.text(3) ?? ""))
        }
        return steps
    }
}
