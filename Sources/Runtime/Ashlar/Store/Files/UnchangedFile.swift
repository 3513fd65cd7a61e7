import AshlarSQLite
import SystemFoundation

/// A database's file, anybody's, read so that nothing of it changes, whoever else has it open.
///
/// A connection that only reads still writes: the index of a write-ahead log, or the log itself where there is none. So each
/// state that a file may be in is read in the way that leaves it alone.
package final class UnchangedFile {
    /// The file as the caller calls it.
    package let url: URL
    package let file: StoreFile
    /// Where a copy is that this object removes; nil mostly.
    private var copy: URL?
    /// How the file was before it was read without locks; nil where there are locks.
    private var stamp: Stamp?
    /// The URI that a connection opens or attaches.
    package private(set) var uri: String
    /// Whether the file is read as one that nobody else has open.
    package private(set) var isAlone = false
    /// Whether there was a write-ahead log before the file was opened.
    package let hasLog: Bool

    /// The attributes of a file that show that no one wrote it meanwhile.
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
    ///   - folder: Where a copy may be made, should there be no other way.
    ///   - isReplaced: Whether the file is to be replaced, so that it is read as one that nobody else may have open.
    /// - Throws: ``StoreError`` where there is no such file, or one that cannot be read.
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
            // What a process left that was killed has to be put right first, which writes.
            try makeCopy(in: folder)
        } else if log != nil, hasIndex {
            uri = file.path(with: "mode", "ro") + "&readonly_shm=1"
        } else if log ?? 0 > 0 {
            // Whoever has a log open has its index beside it, so that nobody has: it is made in memory.
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

    /// Opens a connection that only reads, with Ashlar's functions and orders of texts, and trusts nothing that the file
    /// says.
    ///
    /// This object must live as long as the connection.
    package func connect() throws(SQLiteError) -> Connection {
        // A copy is ours to put right.
        let access = copy == nil ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let connection = try Connection(path: uri, flags: access | SQLITE_OPEN_URI)
        if isAlone { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
        try connection.setTrustsSchema(false)
        try connection.setDefensive(true)
        try connection.distrustFile()
        try connection.execute("PRAGMA query_only = ON")
        return connection
    }

    /// Throws where somebody wrote the file while it was read without locks.
    package func requireUnchanged(doing: String) throws {
        guard let stamp, try Stamp(file) != stamp else { return }
        throw StoreError.locked(url, waited: .zero, doing: "\(doing), which another program began to write")
    }

    /// Throws where the file ends too early, which SQLite only calls damaged.
    package func requireWhole() throws {
        guard let header = try FileSystem.beginning(ofFile: file.path, length: DatabaseHeader.length),
            let expected = DatabaseHeader(header)?.fileLength, let found = FileSystem.length(ofFile: file.path),
            found < expected, file.isWhole
        else { return }
        throw StoreError.truncated(url, length: UInt64(max(0, found)), expected: expected)
    }

    /// Returns whether the file's header says that changes go to a write-ahead log.
    package func usesWriteAheadLog() throws -> Bool { try Self.usesLog(file.path) }

    /// The bytes of the file and of what may be beside it; nil for what is not there.
    package func byteCount(of suffix: String = "") -> Int64? { FileSystem.length(ofFile: file.path + suffix) }

    /// The folder of the files with large values of a store of ours, which need not exist, and the names of the files.
    package func externalDataFiles() throws -> (folder: URL, names: Set<String>) {
        let folder = ExternalDataFolder(storePath: file.path)
        return (folder.url, try folder.names())
    }

    /// The file with the bytes that a blob of a store of ours refers to; nil for one that refers to none. The file of a value
    /// that is with the log which the store follows may be missing.
    package func externalFile(of blob: Data) -> URL? {
        if let hash = TaggedBlob.loggedHash(blob) { return LoggedValues(storePath: file.path).file(hash) }
        guard let reference = blob.withUnsafeBytes(TaggedBlob.reference) else { return nil }
        return ExternalDataFolder(storePath: file.path).file(reference.name)
    }
}
