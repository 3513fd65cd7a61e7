import Foundation
import RelationalSchema

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// A real database, for what statements give.
final class TestDatabase {
    struct Failure: Error {
        var message: String
    }

    private let connection: OpaquePointer

    init(_ url: URL? = nil) throws {
        var connection: OpaquePointer?
        guard sqlite3_open(url?.path ?? ":memory:", &connection) == SQLITE_OK, let connection else {
            throw Failure(message: "cannot open")
        }
        self.connection = connection
        sqlite3_create_collation_v2(
            connection, decimalCollation, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                let first = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let second = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                return first.lexicographicallyPrecedes(second) ? -1 : second.lexicographicallyPrecedes(first) ? 1 : 0
            }, nil)
    }

    deinit { sqlite3_close(connection) }

    /// Runs a statement with values for its parameters, and gives its rows as texts.
    @discardableResult
    func run(_ sql: String, _ values: [Int] = []) throws -> [[String]] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
        for (index, value) in values.enumerated() { sqlite3_bind_int64(statement, Int32(index + 1), Int64(value)) }
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { column in
                        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
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
