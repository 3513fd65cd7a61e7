#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// What SQLite answered when a statement failed, with the statement.
public struct SQLiteError: Error, Sendable, Hashable {
    /// The primary result code, such as 11 for a corrupt file.
    public var code: Int32
    /// The extended result code, such as 787 for a foreign key that points nowhere.
    public var extendedCode: Int32
    /// SQLite's own message.
    public var message: String
    /// The statement that failed; empty when the failure was not a statement's.
    public var sql: String

    init(code: Int32, extendedCode: Int32, message: String, sql: String) {
        self.code = code
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    init(_ code: Int32, connection: OpaquePointer?, sql: String = "") {
        let extendedCode = connection.map { sqlite3_extended_errcode($0) } ?? code
        let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(
            code: code & 0xFF, extendedCode: extendedCode,
            message: text.map { String(cString: $0) } ?? "error \(code)", sql: sql)
    }
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        let statement = sql.isEmpty ? "" : " in: \(sql)"
        return "SQLite error \(extendedCode): \(message)\(statement)"
    }
}
