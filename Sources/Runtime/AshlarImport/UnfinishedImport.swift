import Ashlar
import AshlarSQLite
import SystemFoundation

/// The store that an import fills: `NAME.importing` beside the future `NAME`, until it is complete.
///
/// The importing process has it locked, so that others wait for it. A file without a lock was left by a killed process,
/// and the import begins anew.
final class UnfinishedImport {
    static let suffix = ".importing"

    let connection: Connection
    /// Whether the store has its name, so that it is there whatever goes wrong afterwards.
    private(set) var hasName = false
    private let file: StoreFile
    private let target: StoreFile

    private init(_ connection: Connection, _ file: StoreFile, _ target: StoreFile) {
        (self.connection, self.file, self.target) = (connection, file, target)
    }

    /// Creates an empty store and locks it; nil if another process has imported the store by then.
    ///
    /// - Parameter isThere: Whether the store that this waits for exists.
    static func begin(
        for target: StoreFile, _ monitor: MigrationMonitor, waitingTime: Duration, unless isThere: () throws -> Bool
    ) throws -> UnfinishedImport? {
        let file = StoreFile(url: URL(fileURLWithPath: target.path + suffix))
        while true {
            try monitor.checkCancellation()
            let connection = try Connection(
                path: file.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, busyTimeout: 0)
            do {
                try connection.patiently(monitor, atMost: waitingTime) {
                    // The file may have its final name by now. This would then wait for the processes that have it
                    // open, and a log beside the old name would not be theirs.
                    if connection.hasMoved() { throw HasMoved() }
                    // New pages need no journal, so almost nothing is kept in memory. Without a journal, an index that
                    // cannot be created would leave a part of itself.
                    _ = try connection.rows("PRAGMA journal_mode = MEMORY")
                    try connection.lockForGood()
                }
            } catch is HasMoved {
                continue
            } catch let error as SQLiteError {
                // The process that had it locked gave it its name, or removed it.
                if connection.hasMoved() { continue }
                guard error.code == SQLITE_NOTADB || error.code == SQLITE_CORRUPT else {
                    throw StoreError(error, target.url, doing: "waiting to import the store", waited: waitingTime)
                }
                // An incomplete store that no process has locked: the lock is requested first.
                try removeFiles(file)
                continue
            }
            if connection.hasMoved() { continue }
            if try isThere() {
                try removeFiles(file)
                return nil
            }
            // The lock has SQLite write the first page.
            if try connection.integer("PRAGMA page_count") ?? 0 <= 1,
                try connection.schema().objects.isEmpty
            {
                return UnfinishedImport(connection, file, target)
            }
            try removeFiles(file)
        }
    }

    /// The file has its name by now, or is gone.
    private struct HasMoved: Error {}

    /// Gives the store its name, once the disk has all of it.
    func finish() throws {
        // In this mode SQLite leaves an empty journal.
        for url in target.companions + file.companions where FileSystem.exists(url.path) { try FileSystem.remove(url) }
        try FileSystem.rename(file.url, to: target.url)
        hasName = true
        try FileSystem.synchronize(target.url.deletingLastPathComponent())
    }

    /// Removes it with its large values, unless it has its name. Files that cannot be removed are left to the next
    /// import.
    func remove() {
        if hasName { return }
        try? ImportedFolder(of: target).remove()
        try? Self.removeFiles(file)
    }

    private static func removeFiles(_ file: StoreFile) throws {
        for url in [file.url] + file.companions { try FileSystem.remove(url) }
    }
}
