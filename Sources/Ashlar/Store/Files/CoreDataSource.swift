import AshlarSQLite
import CoreDataStore
import SystemFoundation

/// The file of a store that Core Data wrote, read so that nothing of it changes, whoever else has it open.
///
/// A connection that only reads still writes: the index of a write-ahead log, or the log itself where there is none. So each
/// state that a file may be in is read in the way that leaves it alone.
final class CoreDataSource {
    /// The file as the caller calls it.
    let url: URL
    /// The folder of the files with large values, `.NAME_SUPPORT/_EXTERNAL_DATA` for `NAME.sqlite`.
    let externalDataFolder: URL
    private let file: StoreFile
    /// Where a copy is that this object removes; nil mostly.
    private var copy: URL?
    /// How the file was before it was read without locks; nil where there are locks.
    private var stamp: Stamp?
    /// What a connection attaches.
    private(set) var uri: String
    /// Whether the file is read as one that nobody else has open.
    private var isAlone = false
    /// Whether there was a write-ahead log before the file was opened.
    let hasLog: Bool

    /// What tells that nobody wrote a file meanwhile.
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
    init(_ url: URL, copyingInto folder: URL, isReplaced: Bool = false) throws {
        self.url = url
        file = StoreFile(url: url).resolved
        externalDataFolder = Self.supportFolder(of: file.url).appendingPathComponent(
            "_EXTERNAL_DATA", isDirectory: true)
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

    /// The hidden folder of a store of Core Data's, which is called by the file's name without its extension.
    static func supportFolder(of url: URL) -> URL {
        let name = url.deletingPathExtension().lastPathComponent
        return url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
    }

    /// Whether the file's header says that changes go to a write-ahead log.
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
        try requireUnchanged()
        stamp = nil
        uri = StoreFile(url: target).path(with: "mode", "rw")
    }

    /// Attaches the file to a connection, under the name that the copy's statements know.
    func attach(to connection: Connection) throws {
        // So the index of a log is in memory where none is beside the file, and nobody else comes in where none may.
        try connection.execute("PRAGMA locking_mode = \(isAlone ? "EXCLUSIVE" : "NORMAL")")
        try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE")
        let statement = try connection.statement("ATTACH DATABASE ?1 AS \(CoreDataCopy.sourceName)")
        statement.bind(uri, 1)
        try statement.run()
    }

    /// Throws where somebody wrote the file while it was read without locks.
    func requireUnchanged() throws {
        guard let stamp, try Stamp(file) != stamp else { return }
        throw StoreError.locked(
            url, waited: .zero, doing: "reading the store to import, which another program began to write")
    }

    /// Whether the file is a store of Core Data's. It may be anybody's, and in use: nothing is locked, nor is the index of a log
    /// touched, for which the names of tables are not worth it.
    static func isCoreDataStore(_ file: StoreFile) throws(SQLiteError) -> Bool {
        let hasLog = FileSystem.length(ofFile: file.path + "-wal") ?? 0 > 0
        let connection = try file.connectToRead(hasLog ? .unlocked : .immutable)
        return try CoreDataSchema.isCoreDataStore(connection)
    }

    /// The bytes of the file, and of the log beside it.
    var byteCount: Int64 {
        ["", "-wal"].reduce(0) { $0 + (FileSystem.length(ofFile: file.path + $1) ?? 0) }
    }
}
