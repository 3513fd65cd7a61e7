import AshlarSQLite
import SystemFoundation

/// A store's file that is not open elsewhere, in this process or another, while this object lives.
///
/// The write-ahead log is copied into the file first, so that the file alone is the store.
final class ExclusiveStore {
    let file: StoreFile
    /// The file's state. No process can have ``StoreFile/State/missing`` and ``StoreFile/State/unused`` files open as
    /// stores.
    let state: StoreFile.State
    private let token: OpenStores.Token
    /// Nil if the file is not a store, or if it is so damaged that it cannot be locked.
    private(set) var connection: Connection?

    /// The operations in errors for such a store, which waits for others for a time of its own.
    static let doings = ["destroying the store", "replacing the store", "moving the store"]

    /// - Throws: ``StoreError/storeInUse(_:)``, or ``StoreError/locked(_:waited:doing:)`` if another process has the
    ///   store open. A damaged store cannot be locked, but it can be removed all the same.
    init(_ url: URL, doing: String) throws {
        file = StoreFile(url: url).resolved
        let file = file
        var isEmpty = false
        (token, state) = try OpenStores.shared.useAlone(url) {
            do {
                return try file.state()
            } catch StoreError.truncated(_, let length, _) {
                isEmpty = length == 0
                return .store
            } catch StoreError.notADatabase(let url) {
                guard try file.wasStore() else { throw StoreError.notADatabase(url) }
                return .store
            }
        }
        // The log of an empty file may hold the entire store, and SQLite would delete it.
        guard state == .store, !isEmpty else { return }
        do {
            connection = try Self.lock(file)
        } catch {
            switch error.code {
            case SQLITE_CORRUPT, SQLITE_NOTADB: connection = nil
            case SQLITE_READONLY, SQLITE_CANTOPEN: throw StoreError.readOnly(url, reason: error.message)
            default: throw StoreError(error, url, doing: doing, waited: .seconds(1))
            }
        }
    }

    /// Leaves WAL mode, which only the sole connection can, and keeps others out.
    private static func lock(_ file: StoreFile) throws(SQLiteError) -> Connection {
        let connection = try Connection(path: file.url.path, flags: SQLITE_OPEN_READWRITE, busyTimeout: 1000)
        var attempts = 0
        while true {
            do {
                try connection.execute("PRAGMA journal_mode = DELETE")
                // The lock stays when the transaction ends, so that the connection can be read for a copy.
                try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                try connection.execute(["BEGIN EXCLUSIVE", "COMMIT"])
                return connection
            } catch {
                if !connection.isInAutocommit { try connection.execute("ROLLBACK") }
                attempts += 1
                guard error.code == SQLITE_BUSY, attempts < 100 else { throw error }
                usleep(10_000)
            }
        }
    }

    /// Removes the store, its file first, so that the remaining files are not a store if the process is killed.
    func remove() throws {
        UnfinishedCopy.removeAll(besideStoreAt: file.path)
        for url in [file.url] + file.companions + [file.supportFolder] { try FileSystem.remove(url) }
        try FollowedCopy(of: file).remove()
        try FileSystem.synchronize(file.url.deletingLastPathComponent())
    }
}
