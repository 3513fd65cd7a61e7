import AshlarSQLite
import SystemFoundation

/// The file of a store and the files beside it, inspected without a model.
package struct StoreFile {
    package enum State {
        /// There is no file.
        case missing
        /// The file is empty, or a database without tables: a store can be made in it.
        case unused
        /// The file is a store of Ashlar, according to its header.
        case store
    }

    package let url: URL
    package let path: String

    package init(url: URL) {
        self.url = url
        path = url.path
    }

    /// The file at the destination of a link; the same file if there is no link.
    package var resolved: StoreFile { StoreFile(url: URL(fileURLWithPath: FileSystem.canonicalPath(path))) }

    /// Whether the folder exists and can be written.
    var hasWritableFolder: Bool { FileSystem.isWritable(FileSystem.parts(of: path).folder) }

    var isWritable: Bool { FileSystem.isWritable(path) }

    /// The files that belong to the store while it is open, or after its process was killed.
    package var companions: [URL] { ["-wal", "-shm", "-journal"].map { URL(fileURLWithPath: path + $0) } }

    /// The folder of values that are too large for the store's file. If the path is a link, it is beside the link's
    /// destination.
    var supportFolder: URL { ExternalDataFolder(storePath: path).support }

    /// Whether a process is changing the file, or was killed while it did, with the earlier pages in a rollback
    /// journal. The file alone need not be a whole store then.
    var hasRollbackJournal: Bool { FileSystem.exists(path + "-journal") }

    // MARK: Looking

    /// Checks that no pipe or other special file is at the paths. SQLite, and this process, would wait for the process
    /// at the other end of a pipe.
    ///
    /// It does not read the files, so that it cannot block.
    ///
    /// - Throws: ``StoreError/notADatabase(_:)``; ``StoreError/unreadable(_:reason:)`` for a file beside the store.
    private func requireFiles() throws(StoreError) {
        if try FileSystem.kind(ofFile: path) == .other { throw .notADatabase(url) }
        for suffix in ["-wal", "-shm", "-journal"] where try FileSystem.kind(ofFile: path + suffix) == .other {
            throw .unreadable(url, reason: "\(path)\(suffix) is not a file")
        }
    }

    /// Determines the state of the file without opening it in SQLite, which might write beside it.
    ///
    /// The file must not be open in this process; see ``OpenStores``.
    package func state() throws -> State {
        try requireFiles()
        guard let header = try header() else { return .missing }
        if header.isEmpty {
            // SQLite deletes the log of an empty file, which may hold the entire store.
            if let length = try? WriteAheadLog(of: path).storeLength() {
                throw StoreError.truncated(url, length: 0, expected: length)
            }
            return .unused
        }
        guard let database = DatabaseHeader(header) else { throw StoreError.notADatabase(url) }
        if database.applicationIdentifier == StoreMetadata.applicationIdentifier {
            try checkLength(database, header)
            return .store
        }
        // A store that was made and then lost power may have its first page in the write-ahead log alone.
        if let page = try? WriteAheadLog(of: path).firstPage() {
            let isOurs = DatabaseHeader(page)?.applicationIdentifier == StoreMetadata.applicationIdentifier
            guard isOurs else { throw foreignDatabase }
            return .store
        }
        guard database.isUnused else { throw foreignDatabase }
        return .unused
    }

    /// The error for another program's database; those of Core Data are recognized by their tables.
    private var foreignDatabase: StoreError {
        (try? resolved.isCoreDataStore()) == true ? .coreDataStore(url) : .foreignDatabase(url)
    }

    /// Returns whether the file, which may be in use, is a store of Core Data. It locks nothing and leaves the index of
    /// a log alone, for which the names of tables are not worth it.
    private func isCoreDataStore() throws(SQLiteError) -> Bool {
        let hasLog = FileSystem.length(ofFile: path + "-wal") ?? 0 > 0
        return try connectToRead(hasLog ? .unlocked : .immutable).isCoreDataStore()
    }

    /// SQLite does not report that a part of the last page is missing, and would read it as zeros.
    private func checkLength(_ database: DatabaseHeader, _ header: Data) throws {
        guard let expected = database.fileLength, let found = length, found < expected, isWhole else { return }
        // Another process may have written since the header was read.
        if try self.header() == header, isWhole, length == found {
            throw StoreError.truncated(url, length: found, expected: expected)
        }
    }

    /// Returns whether a file that is no longer a database was a store of Ashlar: its first bytes are damaged, or its
    /// first page is.
    ///
    /// If the application identifier differs from Ashlar's, the whole file is searched for the names of a store's
    /// metadata. They are few, and no text has zero bytes between them.
    func wasStore() throws -> Bool {
        guard let header = try header(), DatabaseHeader(header) == nil else { return false }
        if header.count >= 72, header.dropFirst(68).prefix(4).elementsEqual(DatabaseHeader.applicationIdentifierBytes) {
            return true
        }
        if let page = try? WriteAheadLog(of: path).firstPage(),
            DatabaseHeader(page)?.applicationIdentifier == StoreMetadata.applicationIdentifier
        {
            return true
        }
        guard let length, length > 0, length % 512 == 0, let handle = FileHandle(forReadingAtPath: path) else {
            return false
        }
        defer { try? handle.close() }
        var missing = ["storeIdentifier", "versionHash", "schemaHash"].map { Data($0.utf8) }
        var hasZero = false
        var end = Data()
        while !missing.isEmpty || !hasZero, let bytes = try handle.read(upToCount: 1 << 20), !bytes.isEmpty {
            hasZero = hasZero || bytes.contains(0)
            let window = end + bytes
            missing.removeAll { window.firstRange(of: $0) != nil }
            end = Data(window.suffix(32))
        }
        return missing.isEmpty && hasZero
    }

    /// Returns the first bytes of the file; nil if there is none.
    private func header() throws(StoreError) -> Data? {
        try FileSystem.beginning(ofFile: path, length: DatabaseHeader.length)
    }

    /// The length of the file in bytes; nil when there is none.
    private var length: UInt64? { FileSystem.length(ofFile: path).map(UInt64.init) }

    /// Whether the file alone is the store.
    var isWhole: Bool { WriteAheadLog(of: path).isEmpty && !hasRollbackJournal }

    // MARK: Connecting

    /// The way to read a file that this process cannot, or should not, write.
    package enum ReadingAccess {
        /// With locks and the files that WAL needs beside it.
        case shared
        /// As a file that never changes. Its log is empty.
        case immutable
        /// Without locks, and with the log's index in memory. No process can write the file, and the log has changes.
        case unlocked
    }

    /// The access that works if neither the file nor the folder can be written, for example on a read-only volume.
    ///
    /// A log's index beside the file, or a journal, shows that a process with more rights may have the store open.
    var readingAccess: ReadingAccess {
        let isShared = hasRollbackJournal || FileSystem.exists(path + "-shm")
        if isShared || hasWritableFolder { return .shared }
        return WriteAheadLog(of: path).isEmpty ? .immutable : .unlocked
    }

    /// Opens a connection that reads.
    package func connectToRead(_ access: ReadingAccess, busyTimeout: Int32 = 5000) throws(SQLiteError) -> Connection {
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        switch access {
        case .shared: return try Connection(path: path, flags: flags, busyTimeout: busyTimeout)
        case .immutable: return try Connection(path: path(with: "immutable", "1"), flags: flags)
        case .unlocked:
            let connection = try Connection(path: path(with: "vfs", "unix-none"), flags: flags)
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            return connection
        }
    }

    /// Opens a connection for a long read that leaves no files beside the store if possible. A connection that only
    /// reads creates the files that WAL needs, and cannot remove them.
    func connectToCopy() throws(SQLiteError) -> Connection {
        guard isWritable, hasWritableFolder else { return try connectToRead(readingAccess) }
        let connection = try Connection(path: path, flags: SQLITE_OPEN_READWRITE)
        try connection.execute("PRAGMA query_only = ON")
        return connection
    }

    /// Returns the file as a URI with an option of SQLite.
    package func path(with name: String, _ value: String) -> String {
        var components = URLComponents()
        components.scheme = "file"
        components.path = path
        components.queryItems = [URLQueryItem(name: name, value: value)]
        return components.string ?? path
    }

    /// Lets a closure read a store that no container need have open, and leaves nothing beside it.
    func read<Result>(_ doing: String, _ body: (Connection) throws -> Result) throws -> Result {
        do {
            let (token, result) = try OpenStores.shared.use(url) { () throws -> Result? in
                guard try state() == .store else { throw StoreError.missingFile(url) }
                return try readUnchanged(body)
            }
            if let result, let result { return result }
            return try withExtendedLifetime(token) {
                try rollBackJournal()
                return try body(connectToRead(.shared))
            }
        } catch let error as SQLiteError {
            throw StoreError(error, url, doing: doing)
        }
    }

    /// Reads a file that is not open in this process. If there is no log, SQLite need not create files beside it.
    /// Returns nil if another process changes the file, or was killed while it did.
    func readUnchanged<Result>(_ body: (Connection) throws -> Result) throws -> Result? {
        if hasRollbackJournal { return nil }
        guard WriteAheadLog(of: path).isEmpty else { return try body(connectToRead(readingAccess)) }
        do {
            let result = try body(connectToRead(.immutable))
            return isWhole ? result : nil
        } catch {
            if isWhole { throw error }
            return nil
        }
    }

    /// Rolls back the transaction of a killed process, which a connection that only reads cannot do.
    func rollBackJournal() throws(SQLiteError) {
        guard hasRollbackJournal, isWritable, hasWritableFolder else { return }
        _ = try Connection(path: path, flags: SQLITE_OPEN_READWRITE).integer("PRAGMA schema_version")
    }

    /// Returns the metadata, including the program's own values, of a store that need not be open.
    func readMetadata() throws -> StoreMetadata {
        try read("reading the metadata") { connection in
            var metadata = try metadata(connection)
            try metadata.readValues(connection)
            return metadata
        }
    }

    /// Checks that a connection is to a store of Ashlar, in a format that this release supports.
    func metadata(_ connection: Connection) throws -> StoreMetadata {
        guard try connection.integer("PRAGMA application_id") == Int64(StoreMetadata.applicationIdentifier),
            let metadata = try StoreMetadata(connection)
        else { throw StoreError.foreignDatabase(url) }
        if metadata.format > StoreMetadata.format {
            throw StoreError.newerFormat(url, found: metadata.format, supported: StoreMetadata.format)
        }
        return metadata
    }
}
