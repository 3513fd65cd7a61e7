import AshlarSQLite
import Foundation
import IndexAdvice
import SQLQuoting

/// The rows of a statement that a person wrote.
@_spi(Studio) public struct QueryResult: Sendable {
    public var columns: [String]
    public var rows: [[BrowsedValue]]
    /// Whether the statement has more rows than are shown.
    public var hasMore: Bool
    /// The steps by which SQLite finds the rows; empty if the statement cannot be explained.
    public var plan: [String]
    /// The time that the statement took.
    public var seconds: Double
}

extension StoreBrowser {
    /// The number of rows that a statement shows, and of bytes in them.
    static let (resultLimit, resultBytes) = (500, 16 << 20)

    /// Runs one statement that only reads the file.
    ///
    /// The connection is open for reading only. A guard allows queries and pragmas that describe the schema; it refuses
    /// to attach other files, to load code and to change settings.
    ///
    /// - Throws: ``BrowsingError`` with SQLite's message, or if the statement takes too long.
    public func run(_ sql: String) throws(BrowsingError) -> QueryResult {
        try read(doing: "running the statement") { connection in
            let gate = StatementGuard(allows: Self.allows)
            return try connection.guarded(by: gate) {
                do {
                    return try Self.result(of: sql, connection)
                } catch let error as SQLiteError where error.code & 0xFF != SQLITE_INTERRUPT {
                    throw BrowsingError(
                        .invalid,
                        gate.forbidden.map { "This page only reads the store, so that '\($0)' is refused." }
                            ?? "SQLite refuses the statement: \(error.message)")
                }
            }
        }
    }

    /// The statement that selects the first rows of a list's table, to begin with.
    ///
    /// - Throws: ``BrowsingError``.
    public func selection(of subject: RowRequest.Subject) throws(BrowsingError) -> String {
        let table: String
        switch subject {
        case .table(let name): table = name
        case .entity(let name):
            table = try read(doing: "looking for the table of \(name)") { try version($0)?.table(of: name) ?? name }
        }
        return "SELECT * FROM \(SQLQuotation.identifier(table)) LIMIT 100"
    }

    private static func result(of sql: String, _ connection: Connection) throws -> QueryResult {
        let start = ContinuousClock.now
        let statement = try connection.prepare(sql)
        guard statement.isReadOnly, statement.columnCount > 0 else {
            throw BrowsingError(.invalid, "This page only reads the store. Write a SELECT statement.")
        }
        var result = QueryResult(
            columns: statement.columnNames, rows: [], hasMore: false, plan: [], seconds: 0)
        var bytes = 0
        while try statement.step() {
            if result.rows.count == resultLimit || bytes > resultBytes {
                result.hasMore = true
                break
            }
            let values = statement.values
            for value in values { bytes += size(of: value) }
            result.rows.append(values.map(value))
        }
        result.seconds = (ContinuousClock.now - start) / .seconds(1)
        if !Statement.isExplained(statement.handle) { result.plan = try plan(sql, [], connection).lines }
        statement.reset()
        return result
    }

    private static func size(of value: SQLiteValue) -> Int {
        switch value {
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        case .null, .integer, .real: 8
        }
    }

    private static func value(_ value: SQLiteValue) -> BrowsedValue {
        if case .text(let text) = value, text.count > BrowsedValue.shownLength {
            return .text(String(text.prefix(BrowsedValue.shownLength)), length: text.count)
        }
        return BrowsedValue(value, length: nil, type: nil, isModelled: false)
    }

    private static func allows(_ step: StatementGuard.Step) -> Bool {
        switch step.action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
        case SQLITE_FUNCTION: StatementGuard.staysWithin(step)
        // Virtual tables prepare such statements when they are opened, and run none of them to read. The connection
        // cannot write, and the statement itself has to be one that only reads.
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE: true
        case SQLITE_PRAGMA:
            describingPragmas.contains { StatementGuard.Step.isSame(step.first, $0) }
                || (step.second == nil && readPragmas.contains { StatementGuard.Step.isSame(step.first, $0) })
        default: false
        }
    }

    /// The pragmas whose argument is the name of a table or an index.
    private static let describingPragmas = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
    ]
    /// The pragmas that read a setting if they have no argument.
    private static let readPragmas = [
        "application_id", "collation_list", "compile_options", "data_version", "database_list", "encoding",
        "freelist_count", "function_list", "page_count", "page_size", "schema_version", "user_version",
    ]
}
