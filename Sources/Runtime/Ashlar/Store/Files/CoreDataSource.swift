import AshlarSQLite
import CoreDataStore
import SystemFoundation

/// The file of a store that Core Data wrote, attached so that nothing of it changes.
final class CoreDataSource {
    /// The folder of the files with large values, `.NAME_SUPPORT/_EXTERNAL_DATA` for `NAME.sqlite`.
    let externalDataFolder: URL
    private let file: UnchangedFile

    /// The file as the caller calls it.
    var url: URL { file.url }
    /// The URI that a connection attaches.
    var uri: String { file.uri }
    /// Whether there was a write-ahead log before the file was opened.
    var hasLog: Bool { file.hasLog }

    /// Finds the way to read a file; see ``UnchangedFile``.
    init(_ url: URL, copyingInto folder: URL, isReplaced: Bool = false) throws {
        file = try UnchangedFile(url, copyingInto: folder, isReplaced: isReplaced)
        externalDataFolder = Self.supportFolder(of: StoreFile(url: url).resolved.url).appendingPathComponent(
            "_EXTERNAL_DATA", isDirectory: true)
    }

    /// The hidden folder of a store of Core Data's, which is called by the file's name without its extension.
    static func supportFolder(of url: URL) -> URL {
        let name = url.deletingPathExtension().lastPathComponent
        return url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
    }

    /// Attaches the file to a connection, under the name that the copy's statements know.
    func attach(to connection: Connection) throws {
        // So the index of a log is in memory where none is beside the file, and nobody else comes in where none may.
        try connection.execute("PRAGMA locking_mode = \(file.isAlone ? "EXCLUSIVE" : "NORMAL")")
        try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE")
        let statement = try connection.statement("ATTACH DATABASE ?1 AS \(CoreDataCopy.sourceName)")
        statement.bind(uri, 1)
        try statement.run()
    }

    /// Throws where somebody wrote the file while it was read without locks.
    func requireUnchanged() throws { try file.requireUnchanged(doing: "reading the store to import") }

    /// Returns whether the file is a store of Core Data's. It may be anybody's, and in use: nothing is locked, nor is
    /// the index of a log touched, for which the names of tables are not worth it.
    static func isCoreDataStore(_ file: StoreFile) throws(SQLiteError) -> Bool {
        let hasLog = FileSystem.length(ofFile: file.path + "-wal") ?? 0 > 0
        let connection = try file.connectToRead(hasLog ? .unlocked : .immutable)
        return try CoreDataSchema.isCoreDataStore(connection)
    }

    /// The bytes of the file, and of the log beside it.
    var byteCount: Int64 { (file.byteCount() ?? 0) + (file.byteCount(of: "-wal") ?? 0) }
}
