import SystemFoundation

/// Reads columns of the current row, for small values that are not read often.
extension Statement {
    /// The integer in a column; nil for NULL.
    package func int64(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
    }

    /// The integer in a column; 0 for NULL. For columns that are never NULL, and for loops over many rows.
    @inlinable @inline(__always)
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The bytes of the blob in a column, which are valid until the statement advances; empty for NULL.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        // The address first, because SQLite may have to convert the value for it.
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    /// Advances a statement, and returns SQLite's code. For loops over rows as plain values, which have only the
    /// address of the statement.
    @inlinable @inline(__always)
    package static func advance(_ handle: OpaquePointer) -> Int32 { sqlite3_step(handle) }

    /// The number of rows that the statement looked at without an index, since it was prepared.
    package var scannedRowCount: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0)) }

    /// Whether a compiled statement is an `EXPLAIN`.
    package static func isExplained(_ handle: OpaquePointer) -> Bool { sqlite3_stmt_isexplain(handle) != 0 }

    /// The text in a column; nil for NULL.
    package func text(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Whether the statement is an `EXPLAIN QUERY PLAN`.
    package var isQueryPlan: Bool { sqlite3_stmt_isexplain(handle) == 2 }

    /// The number of columns in each row.
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    /// The names of the columns.
    package var columnNames: [String] {
        (0..<columnCount).map { column in sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "" }
    }

    /// True if the statement changes no database. It is also true of statements that begin or end a transaction.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// The values of all columns.
    package var values: [SQLiteValue] { SQLiteValue.row(of: handle) }

    /// The value of a column in SQLite's memory, for callers that copy it at once. Text may not be UTF-8.
    package func lent(_ column: Int32) -> LentValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            .text(
                UnsafeBufferPointer(
                    start: sqlite3_column_text(handle, column), count: Int(sqlite3_column_bytes(handle, column))))
        case SQLITE_BLOB: .blob(bytes(column))
        default: .null
        }
    }
}

/// A value in SQLite's memory, which is valid until the statement advances.
package enum LentValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeBufferPointer<UInt8>)
    case blob(UnsafeRawBufferPointer)
}

extension SQLiteValue {
    /// The value of a column in the current row of a statement.
    package init(_ column: Int32, of statement: OpaquePointer) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            let bytes = UnsafeBufferPointer(
                start: sqlite3_column_text(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
            self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            self = .blob(sqlite3_column_blob(statement, column).map { Data(bytes: $0, count: count) } ?? Data())
        default: self = .null
        }
    }

    /// The values of the current row of a statement.
    static func row(of statement: OpaquePointer) -> [SQLiteValue] {
        (0..<sqlite3_column_count(statement)).map { SQLiteValue($0, of: statement) }
    }
}
