import Ashlar
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

    /// Attaches the file to a connection, under the name in the copy's statements.
    func attach(to connection: Connection) throws {
        // So the index of a log is in memory if there is none beside the file, and no other process gets access if none
        // may.
        try connection.execute("PRAGMA locking_mode = \(file.isAlone ? "EXCLUSIVE" : "NORMAL")")
        try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE")
        let statement = try connection.statement("ATTACH DATABASE ?1 AS \(CoreDataCopy.sourceName)")
        statement.bind(uri, 1)
        try statement.run()
    }

    /// Throws if another process wrote the file while it was read without locks.
    func requireUnchanged() throws { try file.requireUnchanged(doing: "reading the store to import") }

    /// The bytes of the file, and of the log beside it.
    var byteCount: Int64 { (file.byteCount() ?? 0) + (file.byteCount(of: "-wal") ?? 0) }
}

extension UnchangedFile {
    /// The folder of the files with large values of a store that Core Data wrote, and the names of the files.
    package func coreDataExternalDataFiles() throws -> (folder: URL, names: Set<String>) {
        let folder = CoreDataSource.supportFolder(of: file.url).appendingPathComponent(
            "_EXTERNAL_DATA", isDirectory: true)
        guard FileSystem.exists(folder.path) else { return (folder, []) }
        return (folder, Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)))
    }
}
