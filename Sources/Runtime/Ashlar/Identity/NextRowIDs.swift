import AshlarSQLite

/// The numbers of new rows: those after the last that a table ever used.
enum NextRowIDs {
    /// How many numbers are left alone before the greatest that there is.
    static let reserve: Int64 = 1 << 40

    /// The number after another. Throws what SQLite says of a table whose numbers are used up: whoever wrote the file, or
    /// sent a changeset, may have used the greatest that there is.
    static func number(after last: Int64, _ count: Int64 = 1) throws(SQLiteError) -> Int64 {
        let (next, isFull) = max(0, last).addingReportingOverflow(count)
        if isFull { throw SQLiteError(fullTable: last) }
        return next
    }
}

extension SQLiteError {
    fileprivate init(fullTable last: Int64) {
        self.init(
            code: SQLITE_FULL, extendedCode: SQLITE_FULL,
            message: "the table has used the number \(last) for a row, and there is none after it", sql: "")
    }
}
