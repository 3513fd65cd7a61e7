import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

extension Connection {
    /// Opens a file to read and write it.
    package convenience init(toWrite url: URL) throws(SQLiteError) {
        try self.init(path: url.path, flags: SQLITE_OPEN_READWRITE)
    }

    /// All rows of a query, for the few that are small and not read often.
    package func rows(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> [[SQLiteValue]] {
        let statement = try statement(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() { statement.bind(value, Int32(index + 1)) }
        var rows: [[SQLiteValue]] = []
        while try statement.step() {
            rows.append((0..<sqlite3_column_count(statement.handle)).map { Self.value(statement.handle, $0) })
        }
        return rows
    }

    private static func value(_ statement: OpaquePointer, _ column: Int32) -> SQLiteValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: return .text(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            return .blob(sqlite3_column_blob(statement, column).map { Data(bytes: $0, count: count) } ?? Data())
        default: return .null
        }
    }

    /// Runs a closure in a transaction that writes: all of it is committed, or nothing.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        return try finishTransaction {
            try checkBeforeWriting()
            return try body()
        }
    }

    /// Runs a closure in a transaction that has begun, and commits all of it, or nothing.
    func finishTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // The error to tell is the first.
            try? rollBack()
            throw error
        }
    }
}
