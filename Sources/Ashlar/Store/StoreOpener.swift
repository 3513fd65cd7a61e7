import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// Opens a store's file, or makes or migrates it, without touching what is none of ours.
struct StoreOpener {
    let model: ModelDescription
    let configuration: ModelConfiguration

    static let neededSQLiteVersion: Int32 = 3_040_001

    /// Opens the store. Throws a ``StoreError``, and leaves the file as it was then.
    func open() throws -> (pool: ConnectionPool, storeIdentifier: String) {
        try Self.checkLibrary(number: sqlite3_libversion_number(), version: String(cString: sqlite3_libversion()))
        guard let url = configuration.url else { return try openInMemory() }
        let isNew = try inspect(url)
        do {
            return try openFile(url, isNew: isNew)
        } catch let error as SQLiteError {
            if error.code == SQLITE_NOTADB { throw StoreError.notADatabase(url) }
            throw StoreError.sqlite(error, doing: "opening \(url.path)")
        }
    }

    /// Throws when the SQLite library is one that Ashlar cannot use.
    static func checkLibrary(number: Int32, version: String) throws(StoreError) {
        if number < neededSQLiteVersion { throw .sqliteTooOld(found: version, needed: "3.40.1") }
    }

    private func openInMemory() throws -> (pool: ConnectionPool, storeIdentifier: String) {
        do {
            let connection = try Connection(
                path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
            try connection.execute("PRAGMA foreign_keys = ON")
            let metadata = try create(connection, nil)
            return (
                ConnectionPool(writer: connection, isReadOnly: !configuration.allowsSave, openReader: nil),
                metadata.storeIdentifier
            )
        } catch let error as SQLiteError {
            throw StoreError.sqlite(error, doing: "making a store in memory")
        }
    }

    // MARK: Files

    /// Looks at the file without opening it in SQLite, which might write beside it. True when there is no store yet.
    private func inspect(_ url: URL) throws -> Bool {
        let manager = FileManager.default
        var isDirectory: ObjCBool = false
        guard manager.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            if !configuration.allowsSave { throw StoreError.missingFile(url) }
            let folder = url.deletingLastPathComponent().path
            guard manager.fileExists(atPath: folder), manager.isWritableFile(atPath: folder) else {
                throw StoreError.missingFolder(url)
            }
            return true
        }
        if isDirectory.boolValue { throw StoreError.notADatabase(url) }
        let header: Data
        do {
            let handle = try FileHandle(forReadingFrom: url)
            defer { try? handle.close() }
            header = try handle.read(upToCount: DatabaseHeader.length) ?? Data()
        } catch {
            throw StoreError.unreadable(url, reason: error.localizedDescription)
        }
        if header.isEmpty { return try isUnused(url) }
        guard let database = DatabaseHeader(header) else { throw StoreError.notADatabase(url) }
        if database.applicationIdentifier == StoreMetadata.applicationIdentifier {
            try checkLength(url, database)
            return false
        }
        // A store that was made and then lost power may have its first page in the write-ahead log alone.
        if let page = try? WriteAheadLog(of: url).firstPage() {
            let isOurs = DatabaseHeader(page)?.applicationIdentifier == StoreMetadata.applicationIdentifier
            guard isOurs else { throw StoreError.foreignDatabase(url) }
            return false
        }
        guard database.isUnused else { throw StoreError.foreignDatabase(url) }
        return try isUnused(url)
    }

    /// SQLite itself does not miss a part of the last page, which it would read as zeros.
    private func checkLength(_ url: URL, _ header: DatabaseHeader) throws {
        guard WriteAheadLog(of: url).isEmpty, let expected = header.fileLength,
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            let found = (attributes[.size] as? NSNumber)?.uint64Value, found < expected
        else { return }
        // Another process may have begun to write since the header was read.
        if WriteAheadLog(of: url).isEmpty { throw StoreError.truncated(url, length: found, expected: expected) }
    }

    /// True for a file in which a store can be made.
    private func isUnused(_ url: URL) throws -> Bool {
        if !configuration.allowsSave { throw StoreError.missingFile(url) }
        guard FileManager.default.isWritableFile(atPath: url.path) else {
            throw StoreError.readOnly(url, reason: "the file is empty and cannot be written")
        }
        return true
    }

    /// Refuses a store that is none of ours before a connection is made that may write.
    private func check(_ url: URL) throws {
        let log = WriteAheadLog(of: url)
        // Without a log nothing is beside the file, and SQLite need not put anything there to read it.
        let path = log.isEmpty ? immutablePath(url) : url.path
        do {
            let connection = try Connection(path: path, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            let metadata = try existingMetadata(connection, url)
            _ = try StoreMigrator(model: model, url: url, isWritable: false).position(of: metadata)
        } catch let error as SQLiteError where log.isEmpty && !WriteAheadLog(of: url).isEmpty {
            // Another process began to write while this one looked: what follows asks again.
            _ = error
        }
    }

    private func openFile(_ url: URL, isNew: Bool) throws -> (pool: ConnectionPool, storeIdentifier: String) {
        let manager = FileManager.default
        let isWritable =
            configuration.allowsSave
            && (isNew || manager.isWritableFile(atPath: url.path))
            && manager.isWritableFile(atPath: url.deletingLastPathComponent().path)
        if !isNew { try check(url) }
        let flags = isWritable ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        let path = isWritable ? url.path : try readOnlyPath(url)
        let connection = try Connection(path: path, flags: flags | SQLITE_OPEN_URI)
        try prepare(connection)
        let metadata: StoreMetadata
        if isWritable {
            // The file system may forbid what the permissions allow, and SQLite then opens the file for reading.
            if sqlite3_db_readonly(connection.database, "main") != 0 {
                throw StoreError.readOnly(url, reason: "the file cannot be opened for writing")
            }
            if !isNew { _ = try existingMetadata(connection, url) }
            try Self.enableWriteAheadLog(connection)
            try connection.execute("PRAGMA foreign_keys = ON")
            metadata = isNew ? try create(connection, url) : try existingMetadata(connection, url)
        } else {
            metadata = try existingMetadata(connection, url)
        }
        let current = try StoreMigrator(model: model, url: url, isWritable: isWritable)
            .bringUpToDate(connection, metadata)
        let prepare = prepare
        return (
            ConnectionPool(writer: connection, isReadOnly: !isWritable) { () throws(SQLiteError) in
                let reader = try Connection(path: path, flags: (flags & ~SQLITE_OPEN_CREATE) | SQLITE_OPEN_URI)
                try prepare(reader)
                try reader.execute("PRAGMA query_only = ON")
                return reader
            }, current.storeIdentifier
        )
    }

    /// A file in a folder that cannot be written has no room for the files that WAL needs beside it; as nobody can
    /// write it either, it is read as one that never changes.
    private func readOnlyPath(_ url: URL) throws -> String {
        let folder = url.deletingLastPathComponent().path
        if FileManager.default.isWritableFile(atPath: folder) { return url.path }
        if !WriteAheadLog(of: url).isEmpty { return url.path }
        return immutablePath(url)
    }

    private func immutablePath(_ url: URL) -> String {
        var components = URLComponents()
        components.scheme = "file"
        components.path = url.path
        components.queryItems = [URLQueryItem(name: "immutable", value: "1")]
        return components.string ?? url.path
    }

    /// Two processes that make the same store meet here, and SQLite does not wait for the other by itself.
    private static func enableWriteAheadLog(_ connection: Connection) throws(SQLiteError) {
        for _ in 0..<500 {
            do {
                return try connection.execute("PRAGMA journal_mode = WAL")
            } catch {
                guard error.code == SQLITE_BUSY else { throw error }
                usleep(10_000)
            }
        }
        try connection.execute("PRAGMA journal_mode = WAL")
    }

    private var prepare: @Sendable (Connection) throws(SQLiteError) -> Void {
        let synchronous = configuration.isFullySynchronous ? "FULL" : "NORMAL"
        return { (connection) throws(SQLiteError) in
            try connection.execute("PRAGMA synchronous = \(synchronous)")
            try connection.execute("PRAGMA cache_size = -16384")
            // The triggers that keep an R-tree are refused otherwise by SQLite before 3.44.
            try connection.execute("PRAGMA trusted_schema = ON")
        }
    }

    private func existingMetadata(_ connection: Connection, _ url: URL) throws -> StoreMetadata {
        guard try connection.integer("PRAGMA application_id") == Int64(StoreMetadata.applicationIdentifier),
            try connection.integer(
                "SELECT 1 FROM \"sqlite_master\" WHERE \"name\" = 'ashlar$metadata' AND \"type\" = 'table'") != nil,
            let metadata = try StoreMetadata(connection)
        else { throw StoreError.foreignDatabase(url) }
        if metadata.format > StoreMetadata.format {
            throw StoreError.newerFormat(url, found: metadata.format, supported: StoreMetadata.format)
        }
        if metadata.modelName != model.name {
            throw StoreError.otherModel(url, found: metadata.modelName, expected: model.name)
        }
        return metadata
    }

    // MARK: New stores

    /// Makes an empty store, unless another process made it meanwhile.
    private func create(_ connection: Connection, _ url: URL?) throws -> StoreMetadata {
        guard let version = model.currentVersion else {
            throw StoreError.sqlite(
                SQLiteError(code: SQLITE_MISUSE, extendedCode: SQLITE_MISUSE, message: "no version", sql: ""),
                doing: "making a store of the model \(model.name)")
        }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            if let url,
                try connection.integer("PRAGMA application_id") == Int64(StoreMetadata.applicationIdentifier)
            {
                let metadata = try existingMetadata(connection, url)
                try connection.execute("COMMIT")
                return metadata
            }
            if let url, try connection.integer("SELECT 1 FROM \"sqlite_master\"") != nil {
                throw StoreError.foreignDatabase(url)
            }
            try connection.execute("PRAGMA application_id = \(StoreMetadata.applicationIdentifier)")
            for statement in model.schema { try connection.execute(statement) }
            let metadata = StoreMetadata(model: model, version: version)
            try metadata.write(to: connection)
            try connection.execute("COMMIT")
            return metadata
        } catch {
            if sqlite3_get_autocommit(connection.database) == 0 { try connection.execute("ROLLBACK") }
            throw error
        }
    }
}
