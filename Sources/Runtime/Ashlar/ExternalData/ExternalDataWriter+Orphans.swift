import AshlarSQLite
import SystemFoundation

extension ExternalDataWriter {
    /// Creates the writer of a store that was just opened, and deletes the leftovers of a crash or a migration unless
    /// others use the store. Nil for a store in memory.
    convenience init?(of connection: Connection, threshold: Int, isMigrated: Bool) {
        guard let folder = ExternalDataFolder(of: connection.database) else { return nil }
        self.init(folder: folder, threshold: threshold)
        // Unused files do not prevent opening a store; the markers stay for the next time.
        if isMigrated || hasMarkers { _ = try? removeOrphans(connection, waiting: false) }
    }

    /// Deletes the files that no row refers to.
    ///
    /// The lock excludes other writers, whose files are written before the commit.
    ///
    /// - Returns: The number of deleted files; nil if nothing could be deleted, because another process writes or a
    ///   reader uses an older state.
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
    /// Takes the lock for writing. Returns false if another process has it.
    fileprivate func begin(writing schemaName: String, waiting: Bool) throws -> Bool {
        do {
            try self.waiting(waiting) { try begin(writing: schemaName) }
            return true
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            return false
        }
    }

    /// Copies the write-ahead log into the file and onto the disk. Returns false while readers use an older state.
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

    /// Runs a closure whose statements wait for locks as usual, or not at all.
    private func waiting<Result, Failure: Error>(
        _ isWaiting: Bool, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        isWaiting ? try body() : try waiting(atMost: 0, body)
    }

    /// Returns the names of the files that blobs of any column refer to.
    fileprivate func externalFileNames(in schemaName: String) throws -> Set<String> {
        var names: Set<String> = []
        try forEachExternalReference(in: schemaName) { names.insert($0.reference.name) }
        return names
    }

    /// Calls a closure with each file that a blob of any column refers to.
    func forEachExternalReference(
        in schemaName: String, _ body: (ExternalReference) throws -> Void
    ) throws {
        let schema = try schema(of: schemaName)
        var columns: [(table: String, column: String, rowID: String)] = []
        for table in schema.objects(.table).filter({ !$0.isVirtualTable }).map(\.name).sorted() {
            let found = try schema.columns(of: table).filter(\.isOrdinary)
            let rowID = found.contains { $0.name == "id$" } ? "\"id$\"" : "NULL"
            columns += found.filter { $0.type == "BLOB" }.map { (table, $0.name, rowID) }
        }
        for (table, column, rowID) in columns {
            let name = column.quotedIdentifier
            let statement = try statement(
                "SELECT \(name), \(rowID) FROM \(schemaName).\(table.quotedIdentifier) "
                    + "WHERE \(TaggedBlob.lengthCondition(name)) AND substr(\(name), 1, ?1) = ?2")
            defer { statement.reset() }
            statement.bind(Int64(TaggedBlob.fileTag.count), 1)
            statement.bind(Data(TaggedBlob.fileTag), 2)
            while try statement.step() {
                guard let reference = statement.externalReference(0) else { continue }
                let rowID = statement.int64(1)
                try body(ExternalReference(table: table, column: column, rowID: rowID, reference: reference))
            }
        }
    }
}

/// A row that refers to a file beside the store.
struct ExternalReference {
    var table: String
    var column: String
    /// Nil in a table without `id$`, which does not belong to Ashlar.
    var rowID: Int64?
    var reference: TaggedBlob.Reference
}

extension Statement {
    /// Returns the file that the blob in a column refers to; nil if it refers to none.
    func externalReference(_ column: Int32) -> TaggedBlob.Reference? {
        TaggedBlob.reference(bytes(column))
    }

    /// Returns the name of the file that the blob in a column refers to; nil if it refers to none.
    func externalFileName(_ column: Int32) -> String? { externalReference(column)?.name }
}
