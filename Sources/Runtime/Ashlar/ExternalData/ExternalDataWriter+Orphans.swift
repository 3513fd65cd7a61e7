import AshlarSQLite
import SystemFoundation

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
    fileprivate func begin(writing schemaName: String, waiting: Bool) throws -> Bool {
        do {
            try self.waiting(waiting) { try begin(writing: schemaName) }
            return true
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            return false
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
    private func waiting<Result, Failure: Error>(
        _ isWaiting: Bool, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        isWaiting ? try body() : try waiting(atMost: 0, body)
    }

    /// The names of the files that blobs refer to, whatever the model says of their columns.
    fileprivate func externalFileNames(in schemaName: String) throws -> Set<String> {
        var names: Set<String> = []
        try forEachExternalReference(in: schemaName) { names.insert($0.reference.name) }
        return names
    }

    /// Calls a closure with all files that blobs refer to, whatever the model says of their columns.
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
    /// Nil in a table without `id$`, which is none of Ashlar's.
    var rowID: Int64?
    var reference: TaggedBlob.Reference
}

extension Statement {
    /// The file that the blob in a column refers to; nil when it refers to none.
    func externalReference(_ column: Int32) -> TaggedBlob.Reference? {
        TaggedBlob.reference(bytes(column))
    }

    /// The name of the file that the blob in a column refers to; nil when it refers to none.
    func externalFileName(_ column: Int32) -> String? { externalReference(column)?.name }
}
