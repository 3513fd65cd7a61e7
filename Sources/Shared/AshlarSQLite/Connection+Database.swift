/// Properties of a connection's databases, and operations on whole databases.
extension Connection {
    /// Whether a database is read-only, whatever the permissions of its file.
    package func isReadOnly(_ schemaName: String = "main") -> Bool { sqlite3_db_readonly(database, schemaName) != 0 }

    /// Whether the file of a database was moved, or another file is in its place. False if the system cannot determine
    /// it, and for a database in memory.
    package func hasMoved(_ schemaName: String = "main") -> Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(database, schemaName, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    /// A number that changes with each commit to a database by another connection. The call reads nothing.
    package func dataVersion(_ schemaName: String) throws(SQLiteError) -> UInt32 {
        var version: UInt32 = 0
        try check(sqlite3_file_control(database, schemaName, SQLITE_FCNTL_DATA_VERSION, &version))
        return version
    }

    /// Writes the pages of a write-ahead log into the database file.
    ///
    /// - Parameter mode: One of `SQLITE_CHECKPOINT_…`.
    /// - Returns: The number of pages in the log, and the number of them in the file now; -1 for a database without a
    ///   log.
    @discardableResult
    package func checkpoint(
        _ schemaName: String = "main", mode: Int32
    ) throws(SQLiteError) -> (logged: Int, done: Int) {
        var (logged, done): (Int32, Int32) = (0, 0)
        try check(sqlite3_wal_checkpoint_v2(database, schemaName, mode, &logged, &done))
        return (Int(logged), Int(done))
    }

    /// Whether rows refer to missing rows, so that a commit would fail.
    package func hasUnmetReferences() throws(SQLiteError) -> Bool {
        var (current, highest): (Int32, Int32) = (0, 0)
        try check(sqlite3_db_status(database, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0))
        return current != 0
    }

    /// The present value of one of `SQLITE_LIMIT_…`.
    package func limit(_ limit: Int32) -> Int { Int(sqlite3_limit(database, limit, -1)) }

    /// The rowid of the last insertion.
    package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(database) }

    /// The number of rows that statements inserted, changed or deleted since the connection was opened.
    package var totalChanges: Int { Int(sqlite3_total_changes64(database)) }

    /// Copies a database of this connection into an empty one of another connection.
    ///
    /// - Parameters:
    ///   - pages: The number of pages for each step; nil for all.
    ///   - proceeds: Called after each step with the number of remaining pages and of all pages. The copy ends if
    ///     it returns false.
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

    /// Runs a closure, and calls another one at regular intervals of virtual machine steps. If that one returns false,
    /// the running statement ends with `SQLITE_INTERRUPT`.
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

/// A connection as SQLite represents it, for callers that have a statement or a function call only.
package struct DatabaseHandle {
    package let pointer: OpaquePointer

    package init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// The connection of a statement.
    package init?(of statement: OpaquePointer) {
        guard let pointer = sqlite3_db_handle(statement) else { return nil }
        self.pointer = pointer
    }

    /// The path of a database's file, with all links resolved; nil for a database in memory.
    package func path(of schemaName: String = "main") -> String? {
        guard let path = sqlite3_db_filename(pointer, schemaName), path.pointee != 0 else { return nil }
        return String(cString: path)
    }

    /// The names of the attached databases, in the order of their attachment.
    package var attachedNames: [String] {
        var names: [String] = []
        // The first two are "main" and "temp".
        while let name = sqlite3_db_name(pointer, Int32(names.count + 2)) { names.append(String(cString: name)) }
        return names
    }
}

/// The version of SQLite that the program runs with.
package enum SQLiteLibrary {
    /// The version number: 3.44.2 is 3,044,002.
    package static var versionNumber: Int32 { sqlite3_libversion_number() }
    /// The version, such as `3.44.2`.
    package static var version: String { String(cString: sqlite3_libversion()) }
}
