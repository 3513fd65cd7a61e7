import AshlarSQLite

/// The numbers of new rows: those after the last number that a table ever used.
enum NextRowIDs {
    /// The number of rowids below the greatest possible one that a table must leave unused.
    static let reserve: Int64 = 1 << 40

    /// Returns the number that follows another. Throws SQLite's error for a full table if the numbers are used up:
    /// another program, or the sender of a changeset, may have used the greatest rowid.
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
