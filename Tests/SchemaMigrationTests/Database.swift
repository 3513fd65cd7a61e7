#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// A database in memory that the tests run statements on.
final class Database {
    struct Failure: Error {
        var message: String
    }

    private var connection: OpaquePointer?

    /// Opens a database as a migration finds it, with foreign keys off.
    init() throws {
        guard sqlite3_open(":memory:", &connection) == SQLITE_OK else { throw Failure(message: "cannot open") }
        sqlite3_create_collation_v2(
            connection, "ashlar_decimal", SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                func number(_ bytes: UnsafeRawPointer?, _ count: Int32) -> Double {
                    let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(count))
                    return Double(String(decoding: bytes, as: UTF8.self)) ?? 0
                }
                let (left, right) = (number(left, leftCount), number(right, rightCount))
                return left < right ? -1 : left > right ? 1 : 0
            }, nil)
        try run("PRAGMA foreign_keys = OFF")
    }

    deinit { sqlite3_close(connection) }

    /// Runs statements, and gives the rows of the last as texts; NULL is nil.
    @discardableResult
    func run(_ statements: String...) throws -> [[String?]] {
        var rows: [[String?]] = []
        for sql in statements { rows = try rowsOf(sql) }
        return rows
    }

    func run(_ statements: [String]) throws {
        for sql in statements { _ = try rowsOf(sql) }
    }

    func column(_ sql: String) throws -> [String?] { try rowsOf(sql).map { $0[0] } }

    /// The rows of a query, each with its values separated by bars; NULL is `-`.
    func lines(_ sql: String) throws -> [String] {
        try rowsOf(sql).map { row in row.map { $0 ?? "-" }.joined(separator: "|") }
    }

    private func rowsOf(_ sql: String) throws -> [[String?]] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
        var rows: [[String?]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { index in
                        sqlite3_column_text(statement, index).map { String(cString: $0) }
                    })
            case SQLITE_DONE: return rows
            default: throw failure(sql)
            }
        }
    }

    private func failure(_ sql: String) -> Failure {
        Failure(message: "\(String(cString: sqlite3_errmsg(connection))): \(sql)")
    }
}
