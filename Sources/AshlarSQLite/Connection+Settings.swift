import CSQLiteSettings

extension Connection {
    /// Has SQLite refuse what only a program does that means to damage a database: to write its schema, or the tables that
    /// virtual tables keep for themselves, as if they were others, or to go without a journal.
    package func setDefensive(_ isDefensive: Bool) throws(SQLiteError) {
        try set(SQLITE_DBCONFIG_DEFENSIVE, isDefensive)
    }

    /// Whether what the file's triggers, views and expressions call is trusted, side effects or not.
    package func setTrustsSchema(_ trusts: Bool) throws(SQLiteError) {
        try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, trusts)
    }

    private func set(_ setting: Int32, _ isOn: Bool) throws(SQLiteError) {
        let code = CSQLiteSet(UnsafeMutableRawPointer(database), setting, isOn ? 1 : 0)
        if code != SQLITE_OK { throw SQLiteError(code, connection: database) }
    }

    /// Whether a name is of no table: there is nothing, or a view, which may compute without end what it shows.
    ///
    /// It is asked after a statement about the table was prepared, which reads the schema anew where another process
    /// changed it.
    package func isNoTable(_ name: String, in schemaName: String = "main") -> Bool {
        sqlite3_table_column_metadata(database, schemaName, name, nil, nil, nil, nil, nil, nil) & 0xFF == SQLITE_ERROR
    }

    /// Has SQLite look closely at each page that it reads, and accept no more than a store needs.
    package func distrustFile() throws(SQLiteError) {
        try execute("PRAGMA cell_size_check = ON")
        // A text of the schema counts too.
        sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 16 << 20)
        sqlite3_limit(database, SQLITE_LIMIT_VDBE_OP, 5_000_000)
    }
}

extension Connection {
    /// Has the connection leave what it reads as it is when it is closed, also where nobody else has it open: else SQLite moves
    /// the write-ahead log into the file then.
    package func keepWriteAheadLog() throws(SQLiteError) { try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }

    /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
    package var changedRowCount: Int64 { sqlite3_changes64(database) }
}
