import Foundation

#if canImport(SQLite3)
    import SQLite3
#elseif StaticSQLite
    import CSQLiteStatic
#else
    import CSQLite
#endif

/// A database that tests run statements on, without the runtime.
package final class Database {
    package struct Failure: Error {
        package var message: String
    }

    private var connection: OpaquePointer?

    /// Opens a database in memory, or that of a file.
    ///
    /// - Parameter foreignKeys: Whether references are checked, which they are not where a migration runs.
    package init(_ url: URL? = nil, foreignKeys: Bool = false) throws {
        guard sqlite3_open(url?.path ?? ":memory:", &connection) == SQLITE_OK else { throw failure("opening") }
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
        try run("PRAGMA foreign_keys = \(foreignKeys ? "ON" : "OFF")")
    }

    deinit { sqlite3_close(connection) }

    /// Runs statements, and returns the rows of the last as texts; NULL is nil.
    @discardableResult
    package func run(_ statements: String...) throws -> [[String?]] {
        var rows: [[String?]] = []
        for sql in statements { rows = try self.rows(sql) }
        return rows
    }

    package func run(_ statements: [String]) throws {
        for sql in statements { _ = try rows(sql) }
    }

    /// The rows of a statement with numbers for its parameters.
    package func rows(_ sql: String, _ values: [Int] = []) throws -> [[String?]] {
        try steps(of: sql, values) { statement in
            (0..<sqlite3_column_count(statement)).map { index in
                sqlite3_column_text(statement, index).map { String(cString: $0) }
            }
        }
    }

    package func column(_ sql: String) throws -> [String?] { try rows(sql).map { $0[0] } }

    /// The rows of a query, each with its values separated by bars; NULL is `-`.
    package func lines(_ sql: String) throws -> [String] {
        try rows(sql).map { row in row.map { $0 ?? "-" }.joined(separator: "|") }
    }

    /// The number in the first column of the first row, with all its digits.
    package func number(_ sql: String) throws -> Double {
        guard let number = try steps(of: sql, [], { sqlite3_column_double($0, 0) }).first else {
            throw Failure(message: "no row: \(sql)")
        }
        return number
    }

    private func steps<Result>(of sql: String, _ values: [Int], _ row: (OpaquePointer?) -> Result) throws -> [Result] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
        for (index, value) in values.enumerated() { sqlite3_bind_int64(statement, Int32(index + 1), Int64(value)) }
        var results: [Result] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: results.append(row(statement))
            case SQLITE_DONE: return results
            default: throw failure(sql)
            }
        }
    }

    private func failure(_ sql: String) -> Failure {
        Failure(message: "\(String(cString: sqlite3_errmsg(connection))): \(sql)")
    }
}
