import Ashlar
import AshlarSQLite
import SystemFoundation

/// The store that an import fills: `NAME.importing` beside where `NAME` will be, until it is whole.
///
/// Whoever imports has it locked, so that others wait for it. One that nobody has locked was left by a process that was killed,
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

    /// Makes an empty one and locks it; nil where another process has imported the store by then.
    ///
    /// - Parameter isThere: Whether the store is there, for which this waits.
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
                    // Others may have it open by the name that it got, whom this would wait for; the log that it would have had
                    // is none of theirs.
                    if connection.hasMoved() { throw HasMoved() }
                    // New pages need no journal, so that next to nothing is kept; without one an index that cannot be made
                    // would leave a part of itself.
                    _ = try connection.rows("PRAGMA journal_mode = MEMORY")
                    try connection.lockForGood()
                }
            } catch is HasMoved {
                continue
            } catch let error as SQLiteError {
                // Who had it locked gave it its name, or took it away.
                if connection.hasMoved() { continue }
                guard error.code == SQLITE_NOTADB || error.code == SQLITE_CORRUPT else {
                    throw StoreError(error, target.url, doing: "waiting to import the store", waited: waitingTime)
                }
                // A part of a store, which nobody has locked: a lock is asked for first.
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

    /// Removes it with the large values that came with it, unless it has its name. What cannot be removed is for the next import.
    func remove() {
        if hasName { return }
        try? ImportedFolder(of: target).remove()
        try? Self.removeFiles(file)
    }

    private static func removeFiles(_ file: StoreFile) throws {
        for url in [file.url] + file.companions { try FileSystem.remove(url) }
    }
}
