import AshlarSQLite
import Foundation
import RelationalSchema

/// SQLite's message about a statement that it rejected.
struct PlannerFailure: Error {
    var message: String
}

/// Runs a closure, whose errors are failures.
func planning<Result>(_ body: () throws(SQLiteError) -> Result) throws(PlannerFailure) -> Result {
    do {
        return try body()
    } catch {
        throw PlannerFailure(message: error.message)
    }
}

/// An empty database in memory on which statements are explained, and never run.
///
/// Statements may come from an untrusted file. Only statements that read or change rows are explained. An authorizer
/// refuses all others, because some pragmas take effect while they are prepared.
final class PlannerDatabase {
    let connection: Connection

    init() throws(PlannerFailure) {
        connection = try planning { () throws(SQLiteError) in
            let connection = try Connection(
                opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
            // The order does not matter, because there are no rows.
            try connection.addMissingCollations { _, _, _, _, _ in 0 }
            return connection
        }
        limitStatements()
    }

    /// Explains statements on a given database, which they do not change; its limits are lowered.
    init(over connection: Connection) {
        self.connection = connection
        limitStatements()
    }

    /// The guard that checks statements of others while they are prepared.
    private let gate = StatementGuard { PlannerDatabase.permittedActions.contains($0.action) }

    private static let permittedActions: Set<Int32> = [
        SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_INSERT,
    ]

    /// Statements that would keep the planner busy forever are refused.
    private func limitStatements() {
        connection.limit(SQLITE_LIMIT_SQL_LENGTH, Int32(Self.maximumLength))
        connection.limit(SQLITE_LIMIT_COMPOUND_SELECT, 50)
        connection.limit(SQLITE_LIMIT_EXPR_DEPTH, 500)
        connection.limit(SQLITE_LIMIT_ATTACHED, 0)
    }

    /// The greatest length of a statement, in bytes.
    static let maximumLength = 1_000_000

    /// Runs a statement of our own.
    func run(_ sql: String) throws(PlannerFailure) {
        try planning { () throws(SQLiteError) in try connection.execute(sql) }
    }

    /// Runs a statement of our own, and gives the first column of its rows.
    func integers(_ sql: String) throws(PlannerFailure) -> [Int] {
        try planning { () throws(SQLiteError) in
            let statement = try connection.prepare(sql)
            var result: [Int] = []
            while try statement.step() { result.append(Int(statement.int64(0) ?? 0)) }
            return result
        }
    }

    /// The plan of a statement from another source.
    func plan(of sql: String) throws(PlannerFailure) -> QueryPlan {
        let statement = try prepare("EXPLAIN QUERY PLAN " + sql, of: sql)
        guard statement.isQueryPlan else { throw PlannerFailure(message: "it cannot be explained") }
        return try planning { () throws(SQLiteError) in
            var steps: [QueryPlan.Step] = []
            while try statement.step() {
                steps.append(
                    QueryPlan.Step(
                        identifier: Int(statement.int64(0) ?? 0), parent: Int(statement.int64(1) ?? 0),
                        detail: statement.text(3) ?? ""))
            }
            return QueryPlan(steps: steps)
        }
    }

    /// Prepares a statement from another source, to collect the planner's questions to its tables.
    func probe(_ sql: String) throws(PlannerFailure) { _ = try prepare("EXPLAIN " + sql, of: sql) }

    private func prepare(_ text: String, of sql: String) throws(PlannerFailure) -> Statement {
        guard StatementText.isQueryOrChange(sql) else {
            throw PlannerFailure(message: "it is not a SELECT, INSERT, UPDATE or DELETE")
        }
        guard sql.utf8.count < Self.maximumLength else { throw PlannerFailure(message: "it is too long") }
        // A program's own functions are not defined here; their results do not affect the plan.
        for _ in 0..<100 {
            do throws(SQLiteError) {
                return try connection.guarded(by: gate) { () throws(SQLiteError) in try connection.prepare(text) }
            } catch {
                if error.isRefusal { throw PlannerFailure(message: "it is not one statement") }
                guard let name = Self.missingFunction(error.message) else {
                    throw PlannerFailure(message: error.message)
                }
                try planning { () throws(SQLiteError) in try define(name) }
            }
        }
        throw PlannerFailure(message: "it calls too many functions that are not known")
    }

    private static func missingFunction(_ message: String) -> String? {
        let start = "no such function: "
        return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : nil
    }

    /// Defines a function of values, or of the rows of a group if its name says so.
    private func define(_ name: String) throws(SQLiteError) {
        let isAggregate = name.hasPrefix("ashlar_sum") || name.hasPrefix("ashlar_average")
        try connection.addEmptyFunction(name, isAggregate: isAggregate)
    }
}

extension PlannerDatabase {
    /// Creates the tables and indexes of a schema, without its triggers, which no plan shows.
    func create(_ schema: Schema) throws(PlannerFailure) {
        try run("BEGIN")
        for table in schema.tables { try run(table.definition) }
        for table in schema.letterTables { try run(table.definition) }
        for index in schema.indexes { try run(index.definition) }
        for rtree in schema.rtrees { try run(rtree.definition) }
        for table in schema.fullTextTables { try run(table.definition) }
        try run("COMMIT")
    }
}
