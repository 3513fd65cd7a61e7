/// One step of a query plan, as SQLite tells it.
package struct ExplainedStep: Sendable, Hashable {
    /// The number by which steps within this one name it.
    package var identifier: Int
    /// The number of the step that this one is in; 0 for one of the statement itself.
    package var parent: Int
    /// What is done.
    package var detail: String
}

extension Connection {
    /// The steps of a statement's query plan, each with the one that it is in. The statement is not run, and none is counted.
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
