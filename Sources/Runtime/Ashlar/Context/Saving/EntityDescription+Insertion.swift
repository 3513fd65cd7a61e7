import AshlarSQLite

extension EntityDescription {
    /// The number of rows that one statement inserts, if there are enough. More rows gain nothing, because the
    /// statement's own cost is then a small part of the total.
    var rowsPerInsertion: Int { max(1, min(32, 1000 / max(1, insertedColumnCount))) }

    /// Returns the statement that inserts one row, or several rows; if one is refused, all are undone.
    func insertStatement(rows: Int) -> String { "INSERT INTO " + insertedValues(rows: rows) }

    /// Returns the statement that inserts several rows.
    ///
    /// If one is refused, the rows before it remain, and `Connection.changes` is their number. SQLite then need not
    /// keep a copy of each page that the statement writes, which takes as long as everything else once the indexes
    /// exceed the cache. Triggers apply this behavior to their own statements. If the table has other triggers than
    /// those of the history, none of the rows remains.
    func insertStatement(
        rows: Int, on connection: Connection, in container: ModelContainer
    ) throws(SQLiteError) -> String {
        let schemaName = container.schemaName(of: number.root)
        if try connection.hasOtherTriggers(on: tableName, in: schemaName) { return insertStatement(rows: rows) }
        return "INSERT OR FAIL INTO " + insertedValues(rows: rows)
    }

    private func insertedValues(rows: Int) -> String {
        let row = "(" + Array(repeating: "?", count: insertedColumnCount).joined(separator: ", ") + ")"
        return insertedColumns + Array(repeating: row, count: rows).joined(separator: ", ")
    }
}

extension Connection {
    /// Returns whether a table has triggers other than those of the history, including temporary ones.
    fileprivate func hasOtherTriggers(on table: String, in schemaName: String) throws(SQLiteError) -> Bool {
        let triggers = try schema(of: schemaName).triggers(of: table)
        if triggers.contains(where: { !$0.name.hasPrefix(HistoryTables.triggerPrefix) }) { return true }
        return try !schema(of: "temp").triggers(of: table).isEmpty
    }
}
