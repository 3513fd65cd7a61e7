import DataModel
import Foundation
import RelationalSchema

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// A database in memory on which migrations are proven.
final class ProofDatabase {
    /// What SQLite says, with the statement that it says it of.
    struct Failure: Error {
        var message: String
        var sql: String
        /// Whether a row is not as the schema demands.
        var isConstraint = false
        /// Where the author wrote the statement; nil for one that was planned.
        var location: SourceLocation?
    }

    private let connection: OpaquePointer

    init() throws(Failure) {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(":memory:", &connection, flags, nil)
        guard result == SQLITE_OK, let connection else {
            sqlite3_close(connection)
            throw Failure(message: String(cString: sqlite3_errstr(result)), sql: "")
        }
        self.connection = connection
        sqlite3_create_collation_v2(
            connection, decimalCollation, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                ProofDatabase.compare(
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
            }, nil)
        try run("PRAGMA foreign_keys = OFF")
        // Nothing is rolled back: a database on which something failed is thrown away.
        try run("PRAGMA journal_mode = OFF")
    }

    deinit {
        sqlite3_close(connection)
    }

    private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        func number(_ bytes: UnsafeRawBufferPointer) -> Decimal {
            Decimal(string: String(decoding: bytes, as: UTF8.self), locale: Locale(identifier: "en_US_POSIX")) ?? 0
        }
        let (left, right) = (number(left), number(right))
        return left < right ? -1 : left > right ? 1 : 0
    }

    /// Runs a statement and gives its rows as texts.
    @discardableResult
    func run(_ sql: String) throws(Failure) -> [[String?]] {
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

    /// The collation of a column, and whether it is a rowid that is never used twice, which no pragma tells.
    func metadata(ofColumn column: String, in table: String) -> (collation: String, isAutoincrement: Bool) {
        var collation: UnsafePointer<CChar>?
        var isAutoincrement: Int32 = 0
        sqlite3_table_column_metadata(connection, nil, table, column, nil, &collation, nil, nil, &isAutoincrement)
        return (collation.map { String(cString: $0) } ?? "", isAutoincrement != 0)
    }

    private func failure(_ sql: String) -> Failure {
        Failure(
            message: String(cString: sqlite3_errmsg(connection)), sql: sql,
            isConstraint: sqlite3_errcode(connection) == SQLITE_CONSTRAINT)
    }
}
