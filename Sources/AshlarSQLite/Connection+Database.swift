/// What SQLite tells of a connection's databases, and does with whole ones.
extension Connection {
    /// Whether nothing can be written to a database, whatever the permissions of its file say.
    package func isReadOnly(_ schemaName: String = "main") -> Bool { sqlite3_db_readonly(database, schemaName) != 0 }

    /// Whether the file of a database was moved away, or another was put in its place. False where the system cannot tell,
    /// and for a database in memory.
    package func hasMoved(_ schemaName: String = "main") -> Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(database, schemaName, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    /// A number that changes with each commit to a database by another connection. Asking for it reads nothing.
    package func dataVersion(_ schemaName: String) throws(SQLiteError) -> UInt32 {
        var version: UInt32 = 0
        try check(sqlite3_file_control(database, schemaName, SQLITE_FCNTL_DATA_VERSION, &version))
        return version
    }

    /// Writes the pages of a write-ahead log to their file.
    ///
    /// - Parameter mode: one of `SQLITE_CHECKPOINT_…`.
    /// - Returns: How many pages the log had, and how many of them are in the file now; -1 for a database without a log.
    @discardableResult
    package func checkpoint(
        _ schemaName: String = "main", mode: Int32
    ) throws(SQLiteError) -> (logged: Int, done: Int) {
        var (logged, done): (Int32, Int32) = (0, 0)
        try check(sqlite3_wal_checkpoint_v2(database, schemaName, mode, &logged, &done))
        return (Int(logged), Int(done))
    }

    /// Whether rows refer to others that are not there, which a commit would not take.
    package func hasUnmetReferences() throws(SQLiteError) -> Bool {
        var (current, highest): (Int32, Int32) = (0, 0)
        try check(sqlite3_db_status(database, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0))
        return current != 0
    }

    /// How much SQLite allows, of one of `SQLITE_LIMIT_…`.
    package func limit(_ limit: Int32) -> Int { Int(sqlite3_limit(database, limit, -1)) }

    /// The rowid that the last insertion gave.
    package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(database) }

    /// How many rows statements inserted, changed or deleted since the connection was opened.
    package var totalChanges: Int { Int(sqlite3_total_changes64(database)) }

    /// Copies a database of this connection into one of another, which must be empty.
    ///
    /// - Parameters:
    ///   - pages: How many pages are copied at once; nil for all.
    ///   - proceeds: Is asked after each step, with how many pages are left and how many there are in all. Once it gives
    ///     false no more are copied.
    /// - Returns: Whether all pages were copied.
    package func copy(
        _ schemaName: String = "main", to other: Connection, _ otherName: String = "main", pages: Int32? = nil,
        proceeds: (_ remaining: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) -> Bool {
        guard let backup = sqlite3_backup_init(other.database, otherName, database, schemaName) else {
            throw SQLiteError(sqlite3_errcode(other.database), connection: other.database)
        }
        var code = SQLITE_OK
        var isToProceed = true
        while code == SQLITE_OK, isToProceed {
            code = sqlite3_backup_step(backup, pages ?? -1)
            isToProceed = proceeds(Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
        }
        let end = sqlite3_backup_finish(backup)
        if code == SQLITE_OK { return false }
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(code == SQLITE_DONE ? end : code, connection: other.database)
        }
        return true
    }

    /// Runs a closure. Between so many operations of SQLite another is asked whether to go on with the statement that
    /// runs; where it gives false, the statement ends with `SQLITE_INTERRUPT`.
    package func asking<Result>(
        every operations: Int32, whetherToProceed proceeds: () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        try withoutActuallyEscaping(proceeds) { proceeds in
            let question = Question(proceeds)
            return try withExtendedLifetime(question) {
                sqlite3_progress_handler(
                    database, operations,
                    { question in
                        guard let question else { return 0 }
                        return Unmanaged<Question>.fromOpaque(question).takeUnretainedValue().proceeds() ? 0 : 1
                    }, Unmanaged.passUnretained(question).toOpaque())
                defer { sqlite3_progress_handler(database, 0, nil, nil) }
                return try body()
            }
        }
    }

    private final class Question {
        let proceeds: () -> Bool

        init(_ proceeds: @escaping () -> Bool) { self.proceeds = proceeds }
    }
}

/// A connection as SQLite has it, for who has a statement's or a function's and not the connection itself.
package struct DatabaseHandle {
    package let pointer: OpaquePointer

    package init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// The connection of a statement.
    package init?(of statement: OpaquePointer) {
        guard let pointer = sqlite3_db_handle(statement) else { return nil }
        self.pointer = pointer
    }

    /// The path of a database's file, with all links followed; nil for one in memory.
    package func path(of schemaName: String = "main") -> String? {
        guard let path = sqlite3_db_filename(pointer, schemaName), path.pointee != 0 else { return nil }
        return String(cString: path)
    }

    /// The names of the databases that are attached, in the order of their attachment.
    package var attachedNames: [String] {
        var names: [String] = []
        // The first two are "main" and "temp".
        while let name = sqlite3_db_name(pointer, Int32(names.count + 2)) { names.append(String(cString: name)) }
        return names
    }
}

/// The release of SQLite that the program runs with.
package enum SQLiteLibrary {
    /// 3.44.2 is 3,044,002.
    package static var versionNumber: Int32 { sqlite3_libversion_number() }
    /// Such as `3.44.2`.
    package static var version: String { String(cString: sqlite3_libversion()) }
}
