import CLoops
import Foundation

/// The files of a run's stores, in a folder of their own, on disk or under names of files in memory.
package final class StoreFolder {
    package let url: URL
    private let isInMemory: Bool
    /// A store in memory lasts as long as a connection to it.
    private var kept: [URL: HandWrittenConnection] = [:]
    private var copies = 0

    package init(_ name: String, in parent: URL, isInMemory: Bool = false) throws {
        self.isInMemory = isInMemory
        url = parent.appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        if isInMemory {
            // From now on, each opened file is a database in memory with the file's name, for Ashlar and GRDB too.
            guard sqlite3_vfs_register(sqlite3_vfs_find("memdb"), 1) == SQLITE_OK else {
                throw LoopError(description: "this SQLite has no databases in memory that connections share")
            }
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Makes a store in memory last; the store is created afterwards.
    package func keep(_ store: URL) throws {
        if isInMemory { kept[store] = try HandWrittenConnection(store) }
    }

    /// A store of its own for one round of one contestant.
    package func copy(of store: URL) throws -> URL {
        let copy = newFile()
        try self.copy(store, to: copy)
        return copy
    }

    /// The path for another store.
    package func newFile() -> URL {
        copies += 1
        return url.appending(path: "copy-\(copies).store")
    }

    package func copy(_ store: URL, to copy: URL) throws {
        guard isInMemory else { return try FileManager.default.copyItem(at: store, to: copy) }
        let (source, target) = (try HandWrittenConnection(store), try HandWrittenConnection(copy))
        let backup = sqlite3_backup_init(target.database, "main", source.database, "main")
        sqlite3_backup_step(backup, -1)
        guard sqlite3_backup_finish(backup) == SQLITE_OK else {
            throw LoopError(description: "cannot copy the store in memory")
        }
        kept[copy] = target
    }

    package func remove(_ copy: URL) {
        kept[copy] = nil
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy.path + suffix) }
    }
}
