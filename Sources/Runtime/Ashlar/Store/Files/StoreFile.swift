import AshlarSQLite
import SystemFoundation

/// The file of a store and what stands beside it, looked at without a model.
package struct StoreFile {
    package enum State {
        /// There is no file.
        case missing
        /// The file is empty, or a database in which nobody made a table: a store can be made in it.
        case unused
        /// The file is a store of ours, as its header says.
        case store
    }

    package let url: URL
    package let path: String

    package init(url: URL) {
        self.url = url
        path = url.path
    }

    /// The file that a link leads to, where there is one.
    package var resolved: StoreFile { StoreFile(url: URL(fileURLWithPath: FileSystem.canonicalPath(path))) }

    /// Whether the folder is there and can be written.
    var hasWritableFolder: Bool { FileSystem.isWritable(FileSystem.parts(of: path).folder) }

    var isWritable: Bool { FileSystem.isWritable(path) }

    /// The files that belong to the store while it is open, or after its process was killed.
    package var companions: [URL] { ["-wal", "-shm", "-journal"].map { URL(fileURLWithPath: path + $0) } }

    /// The folder of what is too large for the store's file, beside where links to it lead.
    var supportFolder: URL { ExternalDataFolder(storePath: path).support }

    /// Whether a process changes the file, or did when it was killed, with what was before in a rollback journal: so the
    /// file itself need not be a whole store.
    var hasRollbackJournal: Bool { FileSystem.exists(path + "-journal") }

    // MARK: Looking

    /// Refuses what is no file: SQLite, and this process, would wait for whoever is at the other end of a pipe.
    ///
    /// The process may wait for the answer, which needs no look into a file.
    ///
    /// - Throws: ``StoreError/notADatabase(_:)``, or ``StoreError/unreadable(_:reason:)`` where it is beside the store.
    private func requireFiles() throws(StoreError) {
        if try FileSystem.kind(ofFile: path) == .other { throw .notADatabase(url) }
        for suffix in ["-wal", "-shm", "-journal"] where try FileSystem.kind(ofFile: path + suffix) == .other {
            throw .unreadable(url, reason: "what is at \(path)\(suffix) is no file")
        }
    }

    /// Looks at the file without opening it in SQLite, which might write beside it.
    ///
    /// Nobody may have the file open in this process; see ``OpenStores``.
    package func state() throws -> State {
        try requireFiles()
        guard let header = try header() else { return .missing }
        if header.isEmpty {
            // SQLite deletes the log of an empty file, and with it what may be all that is left of a store.
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

    /// SQLite itself does not miss a part of the last page, which it would read as zeros.
    private func checkLength(_ database: DatabaseHeader, _ header: Data) throws {
        guard let expected = database.fileLength, let found = length, found < expected, isWhole else { return }
        // Another process may have written since the header was read.
        if try self.header() == header, isWhole, length == found {
            throw StoreError.truncated(url, length: found, expected: expected)
        }
    }

    /// Returns whether a file that is no database any more was a store of ours: its first bytes are damaged, or its
    /// first page.
    ///
    /// If the number of the program is another than ours, the whole file is searched for the names of a store's
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

    /// The first bytes of the file; nil when there is none.
    private func header() throws(StoreError) -> Data? {
        try FileSystem.beginning(ofFile: path, length: DatabaseHeader.length)
    }

    /// The length of the file in bytes; nil when there is none.
    private var length: UInt64? { FileSystem.length(ofFile: path).map(UInt64.init) }

    /// Whether the file alone is the store.
    var isWhole: Bool { WriteAheadLog(of: path).isEmpty && !hasRollbackJournal }

    // MARK: Connecting

    /// How a file is read that this process cannot, or should not, write.
    package enum ReadingAccess {
        /// With locks and the files that WAL needs beside it.
        case shared
        /// As one that never changes. Nothing is in its log.
        case immutable
        /// Without locks, the log's index in memory: nobody can write there, and the log has changes.
        case unlocked
    }

    /// The access that works where neither file nor folder can be written: on a read-only volume, say.
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

    /// Opens a connection for a long reading, which leaves nothing beside the file where it can help it: one that only
    /// reads makes the files that WAL needs, and cannot remove them.
    func connectToCopy() throws(SQLiteError) -> Connection {
        guard isWritable, hasWritableFolder else { return try connectToRead(readingAccess) }
        let connection = try Connection(path: path, flags: SQLITE_OPEN_READWRITE)
        try connection.execute("PRAGMA query_only = ON")
        return connection
    }

    /// The file with an option of SQLite's.
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

    /// Reads a file that nobody has open here. Without a log nothing is beside it, and SQLite need not put anything
    /// there to read it. Nil when another process changes the file, or was killed when it did.
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

    /// Undoes what a process was doing when it was killed, which a connection that only reads cannot.
    func rollBackJournal() throws(SQLiteError) {
        guard hasRollbackJournal, isWritable, hasWritableFolder else { return }
        _ = try Connection(path: path, flags: SQLITE_OPEN_READWRITE).integer("PRAGMA schema_version")
    }

    /// The metadata with the values of the program's own, of a store that need not be open.
    func readMetadata() throws -> StoreMetadata {
        try read("reading the metadata") { connection in
            var metadata = try metadata(connection)
            try metadata.readValues(connection)
            return metadata
        }
    }

    /// Checks that a connection is to a store of ours, of a format that this release knows.
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
