import CSQLiteSettings

extension Connection {
    /// Makes SQLite refuse operations that only serve to damage a database: writing its schema or the shadow tables of
    /// virtual tables, and turning off the journal.
    package func setDefensive(_ isDefensive: Bool) throws(SQLiteError) {
        try set(SQLITE_DBCONFIG_DEFENSIVE, isDefensive)
    }

    /// Sets whether functions that the file's triggers, views and expressions call are trusted, even with side effects.
    package func setTrustsSchema(_ trusts: Bool) throws(SQLiteError) {
        try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, trusts)
    }

    private func set(_ setting: Int32, _ isOn: Bool) throws(SQLiteError) {
        let code = CSQLiteSet(UnsafeMutableRawPointer(database), setting, isOn ? 1 : 0)
        if code != SQLITE_OK { throw SQLiteError(code, connection: database) }
    }

    /// Whether a name belongs to no table: it is missing, or a view, which may compute without end.
    ///
    /// Call it after a statement about the table was prepared, which reads the schema again if another process changed
    /// it.
    package func isNoTable(_ name: String, in schemaName: String = "main") -> Bool {
        sqlite3_table_column_metadata(database, schemaName, name, nil, nil, nil, nil, nil, nil) & 0xFF == SQLITE_ERROR
    }

    /// Makes SQLite check each page that it reads, and accept no more than a store needs.
    package func distrustFile() throws(SQLiteError) {
        try execute("PRAGMA cell_size_check = ON")
        // This also limits the texts of the schema.
        sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 16 << 20)
        sqlite3_limit(database, SQLITE_LIMIT_VDBE_OP, 5_000_000)
    }
}

extension Connection {
    /// Keeps the write-ahead log when the connection closes. As the last connection, it would otherwise copy the log
    /// into the file.
    package func keepWriteAheadLog() throws(SQLiteError) { try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }

    /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
    package var changedRowCount: Int64 { sqlite3_changes64(database) }

    /// The byte of the statement that the last error concerns; nil if SQLite does not report it.
    package var errorOffset: Int? {
        let offset = sqlite3_error_offset(database)
        return offset < 0 ? nil : Int(offset)
    }
}
