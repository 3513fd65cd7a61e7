import AshlarSQLite

extension EntityDescription {
    /// How many rows one statement inserts, where there are as many. More win nothing: what a statement costs is then a
    /// small part of the whole.
    var rowsPerInsertion: Int { max(1, min(32, 1000 / max(1, insertedColumnCount))) }

    /// The statement that inserts one row, or several of which none stays when one is refused.
    func insertStatement(rows: Int) -> String { "INSERT INTO " + insertedValues(rows: rows) }

    /// The statement that inserts several rows.
    ///
    /// When one is refused, those before it stay, as many as `Connection.changes` then tells: SQLite need not keep a copy of
    /// each page that the statement writes, which takes as long as all else once the indexes are larger than the cache.
    /// Triggers take this over for what they do, so that with others than those of the history none of the rows stays.
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
    /// Whether a table has triggers but those of the history, temporary ones too, whoever made them.
    fileprivate func hasOtherTriggers(on table: String, in schemaName: String) throws(SQLiteError) -> Bool {
        let triggers = try schema(of: schemaName).triggers(of: table)
        if triggers.contains(where: { !$0.name.hasPrefix(HistoryTables.triggerPrefix) }) { return true }
        return try !schema(of: "temp").triggers(of: table).isEmpty
    }
}
