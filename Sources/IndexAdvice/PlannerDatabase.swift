import Foundation
import RelationalSchema

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// What SQLite says of a statement that it does not take.
struct PlannerFailure: Error {
    var message: String
}

/// An empty database in memory on which statements are explained, and never run.
///
/// Statements may come from a file that anybody wrote. Only one that reads or changes rows is looked at; an authorizer
/// refuses all else, because some pragmas take effect while they are prepared.
final class PlannerDatabase {
    let connection: OpaquePointer
    private let gate = Gate()

    init() throws(PlannerFailure) {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(":memory:", &connection, flags, nil)
        guard result == SQLITE_OK, let connection else {
            sqlite3_close(connection)
            throw PlannerFailure(message: String(cString: sqlite3_errstr(result)))
        }
        self.connection = connection
        limitStatements()
        // The order does not matter where there are no rows.
        sqlite3_collation_needed(connection, nil) { _, connection, encoding, name in
            sqlite3_create_collation_v2(connection, name, encoding, nil, { _, _, _, _, _ in 0 }, nil)
        }
        sqlite3_set_authorizer(
            connection,
            { gate, action, _, _, _, _ in
                guard let gate, Unmanaged<Gate>.fromOpaque(gate).takeUnretainedValue().isClosed else {
                    return SQLITE_OK
                }
                return PlannerDatabase.permittedActions.contains(action) ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(gate).toOpaque())
    }

    deinit {
        sqlite3_close(connection)
    }

    /// Whether a statement from elsewhere is being prepared.
    private final class Gate {
        var isClosed = false
    }

    private static let permittedActions: Set<Int32> = [
        SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_INSERT,
    ]

    /// Statements that would keep the planner busy for ever are refused.
    private func limitStatements() {
        sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, Int32(Self.maximumLength))
        sqlite3_limit(connection, SQLITE_LIMIT_COMPOUND_SELECT, 50)
        sqlite3_limit(connection, SQLITE_LIMIT_EXPR_DEPTH, 500)
        sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
    }

    /// The greatest length of a statement, in bytes.
    static let maximumLength = 1_000_000

    /// Runs a statement of our own.
    func run(_ sql: String) throws(PlannerFailure) {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    /// Runs a statement of our own, and gives the first column of its rows.
    func integers(_ sql: String) throws(PlannerFailure) -> [Int] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
        var result: [Int] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: result.append(Int(sqlite3_column_int64(statement, 0)))
            case SQLITE_DONE: return result
            default: throw failure
            }
        }
    }

    /// The plan of a statement that somebody else wrote.
    func plan(of sql: String) throws(PlannerFailure) -> QueryPlan {
        let statement = try prepare("EXPLAIN QUERY PLAN " + sql, of: sql)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_stmt_isexplain(statement) == 2 else { throw PlannerFailure(message: "it cannot be explained") }
        var steps: [QueryPlan.Step] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                steps.append(
                    QueryPlan.Step(
                        identifier: Int(sqlite3_column_int(statement, 0)),
                        parent: Int(sqlite3_column_int(statement, 1)),
                        detail: sqlite3_column_text(statement, 3).map { String(cString: $0) } ?? ""))
            case SQLITE_DONE: return QueryPlan(steps: steps)
            default: throw failure
            }
        }
    }

    /// Prepares a statement that somebody else wrote, for what its tables are asked meanwhile.
    func probe(_ sql: String) throws(PlannerFailure) {
        sqlite3_finalize(try prepare("EXPLAIN " + sql, of: sql))
    }

    private func prepare(_ text: String, of sql: String) throws(PlannerFailure) -> OpaquePointer? {
        guard StatementText.isQueryOrChange(sql) else {
            throw PlannerFailure(message: "it is no SELECT, INSERT, UPDATE or DELETE")
        }
        guard sql.utf8.count < Self.maximumLength else { throw PlannerFailure(message: "it is too long") }
        gate.isClosed = true
        defer { gate.isClosed = false }
        // Functions of a program's are not known here, and what they do does not matter to the plan.
        for _ in 0..<100 {
            var statement: OpaquePointer?
            var isWhole = true
            let result = text.withCString { start in
                var tail: UnsafePointer<CChar>?
                let result = sqlite3_prepare_v2(connection, start, -1, &statement, &tail)
                isWhole = tail.map { StatementText.isBlank(String(cString: $0)) } ?? true
                return result
            }
            if result == SQLITE_OK {
                if isWhole, statement != nil { return statement }
                sqlite3_finalize(statement)
                throw PlannerFailure(message: "it is not one statement")
            }
            let failure = failure
            guard let name = Self.missingFunction(failure.message) else { throw failure }
            define(name)
        }
        throw PlannerFailure(message: "it calls too many functions that are not known")
    }

    private static func missingFunction(_ message: String) -> String? {
        let start = "no such function: "
        return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : nil
    }

    /// Defines a function as one of values, or of the rows of a group where its name says so.
    private func define(_ name: String) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        if name.hasPrefix("ashlar_sum") || name.hasPrefix("ashlar_average") {
            sqlite3_create_function_v2(
                connection, name, -1, flags, nil, nil, { _, _, _ in }, { sqlite3_result_null($0) }, nil)
        } else {
            sqlite3_create_function_v2(
                connection, name, -1, flags, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
        }
    }

    private var failure: PlannerFailure { PlannerFailure(message: String(cString: sqlite3_errmsg(connection))) }
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
