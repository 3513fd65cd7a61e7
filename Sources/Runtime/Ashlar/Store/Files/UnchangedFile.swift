import AshlarSQLite
import SystemFoundation

/// A database's file, of Ashlar or another program, that is read without changing anything, even if others have it
/// open.
///
/// Even a connection that only reads writes: the index of a write-ahead log, or the log itself if there is none. So
/// each state of a file is read in the way that leaves it unchanged.
package final class UnchangedFile {
    /// The file as the caller calls it.
    package let url: URL
    package let file: StoreFile
    /// The copy that this object removes; mostly nil.
    private var copy: URL?
    /// The state of the file before it was read without locks; nil if there are locks.
    private var stamp: Stamp?
    /// The URI that a connection opens or attaches.
    package private(set) var uri: String
    /// Whether the file is read as if no other process had it open.
    package private(set) var isAlone = false
    /// Whether there was a write-ahead log before the file was opened.
    package let hasLog: Bool

    /// The attributes of a file that show whether it was written meanwhile.
    private struct Stamp: Equatable {
        var identity: FileSystem.Identity?
        var length: Int64?
        /// SQLite's count of changes, among others.
        var header: Data?
        var log: Int64?
        var hasIndex: Bool

        init(_ file: StoreFile) throws {
            identity = FileSystem.identity(ofFile: file.path)
            length = FileSystem.length(ofFile: file.path)
            header = try FileSystem.beginning(ofFile: file.path, length: DatabaseHeader.length)
            log = FileSystem.length(ofFile: file.path + "-wal")
            hasIndex = FileSystem.exists(file.path + "-shm")
        }
    }

    /// Finds the way to read a file.
    ///
    /// - Parameters:
    ///   - folder: The folder for a copy, if there is no other way.
    ///   - isReplaced: Whether the file is to be replaced. It is then read as one that no other process may have open.
    /// - Throws: ``StoreError`` if there is no such file, or if it cannot be read.
    package init(_ url: URL, copyingInto folder: URL, isReplaced: Bool = false) throws {
        self.url = url
        file = StoreFile(url: url).resolved
        uri = ""
        let path = file.path
        hasLog = FileSystem.exists(path + "-wal")
        guard try FileSystem.kind(ofFile: path) == .file else {
            if FileSystem.exists(path) { throw StoreError.notADatabase(url) }
            throw StoreError.missingFile(url)
        }
        if isReplaced {
            uri = file.path(with: "mode", "rw")
            isAlone = true
            return
        }
        let log = FileSystem.length(ofFile: path + "-wal")
        let hasIndex = FileSystem.exists(path + "-shm")
        if FileSystem.length(ofFile: path + "-journal") ?? 0 > 0 {
            // The changes of a killed process have to be rolled back first, which writes.
            try makeCopy(in: folder)
        } else if log != nil, hasIndex {
            uri = file.path(with: "mode", "ro") + "&readonly_shm=1"
        } else if log ?? 0 > 0 {
            // An open log has its index beside it, so that this log is not open. The index is made in memory.
            stamp = try Stamp(file)
            uri = file.path(with: "vfs", "unix-none") + "&mode=ro"
            isAlone = true
        } else if try Self.usesLog(path) {
            // There is no log, and a connection would make one.
            stamp = try Stamp(file)
            uri = file.path(with: "immutable", "1") + "&mode=ro"
        } else {
            uri = file.path(with: "mode", "ro")
        }
    }

    deinit { if let copy { try? FileSystem.remove(copy) } }

    /// Returns whether the file's header says that changes go to a write-ahead log.
    private static func usesLog(_ path: String) throws -> Bool {
        guard let header = try FileSystem.beginning(ofFile: path, length: 20), header.count == 20 else { return false }
        return header[header.startIndex + 18] == 2 || header[header.startIndex + 19] == 2
    }

    private func makeCopy(in folder: URL) throws {
        let copy = folder.appendingPathComponent(
            ".\(file.url.lastPathComponent).\(UUID().uuidString)", isDirectory: true)
        self.copy = copy
        try FileSystem.createFolder(copy)
        let target = copy.appendingPathComponent("store.sqlite")
        stamp = try Stamp(file)
        for suffix in ["", "-wal", "-journal"] where FileSystem.exists(file.path + suffix) {
            let part = URL(fileURLWithPath: target.path + suffix)
            try FileSystem.copy(
                URL(fileURLWithPath: file.path + suffix), to: part, by: copy.appendingPathComponent("part"))
            try FileSystem.makeWritable(part)
        }
        try requireUnchanged(doing: "copying the store to read it")
        stamp = nil
        uri = StoreFile(url: target).path(with: "mode", "rw")
    }

    /// Opens a connection that only reads, with Ashlar's functions and collations, and that does not trust the file's
    /// schema.
    ///
    /// This object must live as long as the connection.
    package func connect() throws(SQLiteError) -> Connection {
        // A copy may be repaired.
        let access = copy == nil ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let connection = try Connection(path: uri, flags: access | SQLITE_OPEN_URI)
        if isAlone { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
        try connection.setTrustsSchema(false)
        try connection.setDefensive(true)
        try connection.distrustFile()
        try connection.execute("PRAGMA query_only = ON")
        return connection
    }

    /// Throws if another program wrote the file while it was read without locks.
    package func requireUnchanged(doing: String) throws {
        guard let stamp, try Stamp(file) != stamp else { return }
        throw StoreError.locked(url, waited: .zero, doing: "\(doing), which another program began to write")
    }

    /// Throws if the file is truncated, which SQLite only reports as damage.
    package func requireWhole() throws {
        guard let header = try FileSystem.beginning(ofFile: file.path, length: DatabaseHeader.length),
            let expected = DatabaseHeader(header)?.fileLength, let found = FileSystem.length(ofFile: file.path),
            found < expected, file.isWhole
        else { return }
        throw StoreError.truncated(url, length: UInt64(max(0, found)), expected: expected)
    }

    /// Returns whether the file's header says that changes go to a write-ahead log.
    package func usesWriteAheadLog() throws -> Bool { try Self.usesLog(file.path) }

    /// Returns the length in bytes of the file, or of the file beside it with a suffix; nil if there is none.
    package func byteCount(of suffix: String = "") -> Int64? { FileSystem.length(ofFile: file.path + suffix) }

    /// Returns the folder of the files with large values of a store of Ashlar, which need not exist, and the names of
    /// the files.
    package func externalDataFiles() throws -> (folder: URL, names: Set<String>) {
        let folder = ExternalDataFolder(storePath: file.path)
        return (folder.url, try folder.names())
    }

    /// Returns the file with the bytes that a blob of a store of Ashlar refers to; nil if it refers to none. The file
    /// of a value that is in the log that the store follows may be missing.
    package func externalFile(of blob: Data) -> URL? {
        if let hash = TaggedBlob.loggedHash(blob) { return LoggedValues(storePath: file.path).file(hash) }
        guard let reference = blob.withUnsafeBytes(TaggedBlob.reference) else { return nil }
        return ExternalDataFolder(storePath: file.path).file(reference.name)
    }
}
