/// An error that SQLite returned, with the statement that failed.
///
/// Errors of Ashlar have it as their `sqliteError`.
///
///     do {
///         try context.save()
///     } catch let error as any AshlarError {
///         if let error = error.sqliteError { print(error.code, error.message, error.sql) }
///     }
public struct SQLiteError: Error, Sendable, Hashable {
    /// The primary result code, such as 11 for a corrupt file.
    public var code: Int32
    /// The extended result code, such as 787 for a violated foreign key.
    public var extendedCode: Int32
    /// SQLite's message.
    public var message: String
    /// The statement that failed; empty if the error does not concern a statement.
    public var sql: String

    package init(code: Int32, extendedCode: Int32, message: String, sql: String) {
        self.code = code
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    package init(_ code: Int32, connection: OpaquePointer?, sql: String = "") {
        let extendedCode = connection.map { sqlite3_extended_errcode($0) } ?? code
        let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(
            code: code & 0xFF, extendedCode: extendedCode,
            message: text.map { String(cString: $0) } ?? "error \(code)", sql: sql)
    }

    /// The error for a text that is refused, although SQLite would run it.
    package init(refused sql: String, _ reason: String) {
        self.init(code: SQLITE_MISUSE, extendedCode: SQLITE_MISUSE, message: reason, sql: sql)
    }

    /// The error for a statement that a closing connection does not begin or commit.
    package init(ended sql: String) {
        self.init(code: SQLITE_INTERRUPT, extendedCode: SQLITE_INTERRUPT, message: "interrupted", sql: sql)
    }

    /// The error that a commit would report for a foreign key.
    package init(unmet reason: String) {
        self.init(
            code: SQLITE_CONSTRAINT, extendedCode: SQLITE_CONSTRAINT | (3 << 8), message: reason, sql: "")
    }

    /// Whether a text was refused, although SQLite would have run it.
    package var isRefusal: Bool { code == SQLITE_MISUSE }
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        let statement = sql.isEmpty ? "" : " in: \(sql)"
        return "SQLite error \(extendedCode): \(message)\(statement)\(advice.map { ". \($0)" } ?? "")"
    }

    /// The advice for the reader of the message.
    private var advice: String? {
        switch code {
        case SQLITE_FULL where message == "database or disk is full": "Free space on the volume and try again."
        case SQLITE_BUSY: "Another connection holds the store; try again when it is done."
        case SQLITE_CORRUPT, SQLITE_NOTADB: "The store is damaged: put a backup in its place."
        case SQLITE_READONLY: "Check the permissions of the file and of its folder."
        case SQLITE_IOERR: "Check the volume and the permissions of the store's files."
        case SQLITE_ERROR where isTooDeep:
            "The condition is nested more deeply than this release of SQLite reads: join terms by one operator, as in "
                + "a && b && c, and look for one of many values with isIn(_:)."
        default: nil
        }
    }
}

extension SQLiteError {
    /// Whether parentheses are nested too deeply. Releases before 3.46 keep a hundred unfinished parts of a statement,
    /// and each nested operator takes three.
    package var isTooDeep: Bool { message == "parser stack overflow" }
    /// Whether a table is missing, such as an R-tree that another program dropped.
    package var isMissingTable: Bool { code == SQLITE_ERROR && message.hasPrefix("no such table") }
    /// Whether an index or an R-tree is missing.
    package var isMissingIndex: Bool { isMissingTable || code == SQLITE_ERROR && message.hasPrefix("no such index") }
    /// Whether a statement names an index that cannot find its rows.
    package var isUnusableIndex: Bool { code == SQLITE_ERROR && message.hasPrefix("no query solution") }
}
