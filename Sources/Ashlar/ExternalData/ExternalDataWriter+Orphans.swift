import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

extension ExternalDataWriter {
    /// The writer of a store that was just opened: what a crash or a migration left is deleted first, unless others use
    /// the store. Nil for a store in memory.
    convenience init?(of connection: Connection, threshold: Int, isMigrated: Bool) {
        guard let folder = ExternalDataFolder(of: connection.database) else { return nil }
        self.init(folder: folder, threshold: threshold)
        // Files too many are no reason to refuse a store; its markers stay for the next time.
        if isMigrated || hasMarkers { _ = try? removeOrphans(connection, waiting: false) }
    }

    /// Deletes the files that no row refers to, and returns how many there were; nil when another process writes, or
    /// somebody reads an older state, so that nothing could be deleted.
    ///
    /// The lock keeps those out whose files are written and not yet committed.
    func removeOrphans(_ connection: Connection, waiting: Bool) throws -> Int? {
        let markers = markers
        guard try connection.begin(writing: schemaName, waiting: waiting) else { return nil }
        let orphans: Set<String>
        do {
            let names = try folder.names()
            orphans = names.isEmpty ? [] : names.subtracting(try connection.externalFileNames(in: schemaName))
            try connection.execute("COMMIT")
        } catch {
            try connection.rollBack()
            throw error
        }
        if !orphans.isEmpty {
            guard try connection.restartWriteAheadLog(of: schemaName, waiting: waiting) else { return nil }
            for name in orphans.sorted() { try folder.remove(name) }
        }
        for marker in markers { try? FileManager.default.removeItem(at: marker) }
        return orphans.count
    }
}

extension Connection {
    /// Takes the lock for writing; false when another process has it.
    fileprivate func begin(writing schemaName: String, waiting: Bool) throws(SQLiteError) -> Bool {
        do throws(SQLiteError) {
            try self.waiting(waiting) { () throws(SQLiteError) in try begin(writing: schemaName) }
            return true
        } catch {
            if error.code == SQLITE_BUSY { return false }
            throw error
        }
    }

    /// Moves the log into the file and onto the disk; true when nobody reads what was before. False while somebody does.
    func restartWriteAheadLog(of schemaName: String, waiting: Bool) throws(SQLiteError) -> Bool {
        do throws(SQLiteError) {
            return try self.waiting(waiting) { () throws(SQLiteError) in
                try integer("PRAGMA \(schemaName).wal_checkpoint(RESTART)") == 0
            }
        } catch {
            if error.code == SQLITE_BUSY || error.code == SQLITE_LOCKED { return false }
            throw error
        }
    }

    /// Runs a closure whose statements wait for others as they do otherwise, or not at all.
    private func waiting<Result>(
        _ isWaiting: Bool, _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        isWaiting ? try body() : try waiting(atMost: 0, body)
    }

    /// The names of the files that blobs refer to, whatever the model says of their columns.
    fileprivate func externalFileNames(in schemaName: String) throws -> Set<String> {
        let columns = try statement(
            "SELECT \"table\".\"name\", \"column\".\"name\" FROM \(schemaName).\"sqlite_schema\" AS \"table\" "
                + "JOIN pragma_table_info(\"table\".\"name\", '\(schemaName)') AS \"column\" "
                + "WHERE \"table\".\"type\" = 'table' AND \"column\".\"type\" = 'BLOB' "
                + "AND \"table\".\"sql\" NOT LIKE 'CREATE VIRTUAL%'")
        defer { columns.reset() }
        let column = Row(statement: columns.handle, store: 0)
        var names: Set<String> = []
        while try columns.step() {
            let name = (column.optionalString(1) ?? "").quotedIdentifier
            let references = try statement(
                "SELECT \(name) FROM \(schemaName).\((column.optionalString(0) ?? "").quotedIdentifier) "
                    + "WHERE length(\(name)) = ?1 AND substr(\(name), 1, ?2) = ?3")
            defer { references.reset() }
            references.bind(Int64(TaggedBlob.referenceLength), 1)
            references.bind(Int64(TaggedBlob.fileTag.count), 2)
            references.bind(Data(TaggedBlob.fileTag), 3)
            let reference = Row(statement: references.handle, store: 0)
            while try references.step() {
                if let name = reference.externalFileName(0) { names.insert(name) }
            }
        }
        return names
    }
}

extension Row {
    /// The name of the file that the blob in a column refers to; nil when it refers to none.
    func externalFileName(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_blob(statement, column) else { return nil }
        return TaggedBlob.fileName(
            UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
