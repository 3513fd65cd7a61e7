import AshlarSQLite
import SystemFoundation

/// The copy that is made of a store before a tool changes it.
package enum StoreBackup {
    /// Copies a store page by page, even if it is damaged, with the large values that it refers to.
    ///
    /// Another connection of the caller may hold the lock for writing, to keep the store unchanged meanwhile.
    ///
    /// - Parameter room: The number of bytes that are needed afterwards beside the store itself.
    /// - Throws: ``StoreError/fileExists(_:)`` if there is already a file;
    ///   ``StoreError/insufficientSpace(_:needed:available:)`` before anything is written;
    ///   ``StoreError/missingFolder(_:)``.
    package static func make(of url: URL, at target: URL, room: Int64) throws {
        let (source, copy) = (StoreFile(url: url).resolved, StoreFile(url: target))
        guard copy.hasWritableFolder else { throw StoreError.missingFolder(target) }
        if FileSystem.exists(copy.path) { throw StoreError.fileExists(target) }
        let folder = ExternalDataFolder(storePath: source.path)
        var bytes = FileSystem.length(ofFile: source.path) ?? 0
        bytes += FileSystem.length(ofFile: source.path + "-wal") ?? 0
        for name in try folder.names() { bytes += FileSystem.length(ofFile: folder.file(name).path) ?? 0 }
        try FreeSpace.system.require([
            (target.deletingLastPathComponent(), bytes), (url.deletingLastPathComponent(), room),
        ])
        let reader = try Connection(path: source.path, flags: SQLITE_OPEN_READWRITE)
        try StoreCopier(source: source, target: copy, .incompleteReplacement).copy(reader, nil)
    }
}
