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
        if sqlite3_libversion_number() < Self.neededSQLiteVersion {
            throw StoreError.sqliteTooOld(found: String(cString: sqlite3_libversion()), needed: "3.40.1")
        }
        guard let url = configuration.url else { return try openInMemory() }
        let isNew = try inspect(url)
        do {
            return try openFile(url, isNew: isNew)
        } catch let error as SQLiteError {
            if error.code == SQLITE_NOTADB { throw StoreError.notADatabase(url) }
            throw StoreError.sqlite(error, doing: "opening \(url.path)")
        }
    }

    private func openInMemory() throws -> (pool: ConnectionPool, storeIdentifier: String) {
        do {
            let connection = try Connection(
                path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
            try connection.execute("PRAGMA foreign_keys = ON")
            let metadata = try create(connection)
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
            header = try handle.read(upToCount: 100) ?? Data()
        } catch {
            throw StoreError.readOnly(url, reason: "the file cannot be read (\(error.localizedDescription))")
        }
        if header.isEmpty { return true }
        guard header.count == 100, header.starts(with: Data("SQLite format 3\0".utf8)) else {
            throw StoreError.notADatabase(url)
        }
        let identifier = header[68..<72].reduce(Int32(0)) { $0 << 8 | Int32($1) }
        // A store that was made and then lost power may have its header in the write-ahead log alone.
        if identifier != StoreMetadata.applicationIdentifier, !manager.fileExists(atPath: url.path + "-wal") {
            throw StoreError.foreignDatabase(url)
        }
        return false
    }

    private func openFile(_ url: URL, isNew: Bool) throws -> (pool: ConnectionPool, storeIdentifier: String) {
        let manager = FileManager.default
        let isWritable =
            configuration.allowsSave
            && (isNew || manager.isWritableFile(atPath: url.path))
            && manager.isWritableFile(atPath: url.deletingLastPathComponent().path)
        let flags = isWritable ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        let path = isWritable ? url.path : try readOnlyPath(url)
        let connection = try Connection(path: path, flags: flags | SQLITE_OPEN_URI)
        if !isNew, try connection.integer("PRAGMA application_id") != Int64(StoreMetadata.applicationIdentifier) {
            throw StoreError.foreignDatabase(url)
        }
        try prepare(connection)
        let metadata: StoreMetadata
        if isWritable {
            try connection.execute("PRAGMA journal_mode = WAL")
            try connection.execute("PRAGMA foreign_keys = ON")
            metadata = isNew ? try create(connection) : try existingMetadata(connection, url)
        } else {
            metadata = try existingMetadata(connection, url)
        }
        let current = try StoreMigrator(model: model, url: url, isWritable: isWritable)
            .bringUpToDate(connection, metadata)
        let prepare = prepare
        return (
            ConnectionPool(writer: connection, isReadOnly: !isWritable) { () throws(SQLiteError) in
                let reader = try Connection(path: path, flags: flags | SQLITE_OPEN_URI)
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
        if FileManager.default.fileExists(atPath: url.path + "-wal") { return url.path }
        var components = URLComponents()
        components.scheme = "file"
        components.path = url.path
        components.queryItems = [URLQueryItem(name: "immutable", value: "1")]
        return components.string ?? url.path
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
        guard let metadata = try StoreMetadata(connection) else { throw StoreError.foreignDatabase(url) }
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
    private func create(_ connection: Connection) throws -> StoreMetadata {
        guard let version = model.currentVersion else {
            throw StoreError.sqlite(
                SQLiteError(code: SQLITE_MISUSE, extendedCode: SQLITE_MISUSE, message: "no version", sql: ""),
                doing: "making a store of the model \(model.name)")
        }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            if try connection.integer("PRAGMA application_id") == Int64(StoreMetadata.applicationIdentifier),
                let metadata = try StoreMetadata(connection)
            {
                try connection.execute("COMMIT")
                return metadata
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
