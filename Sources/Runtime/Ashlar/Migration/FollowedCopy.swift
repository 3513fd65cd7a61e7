import AshlarSQLite
import SystemFoundation

/// The copy of a store that follows a log, made before the store is migrated. It shows afterwards which changes of the
/// store the log does not have, independently of the migration and of the entries that the log still keeps.
///
/// It stays beside the store until the store follows the log's newer version.
struct FollowedCopy {
    let file: StoreFile
    private let store: StoreFile

    init(of store: StoreFile) {
        self.store = store
        file = StoreFile(url: URL(fileURLWithPath: store.resolved.path + "-followed"))
    }

    /// Returns whether the store follows a log and still has the version in which it last followed it. Otherwise, the
    /// copy of an earlier version is kept.
    static func isNeeded(_ connection: Connection, _ metadata: StoreMetadata) throws(SQLiteError) -> Bool {
        guard try connection.schema().hasTable("ashlar$sync") else { return false }
        let found = try connection.rows(
            "SELECT 1 FROM \"ashlar$sync\" WHERE \"head\" IS NOT NULL AND \"modelHash\" = ?1",
            [.text(metadata.versionHash)])
        return !found.isEmpty
    }

    /// Makes the copy. The store is locked by the connection that migrates it.
    func make(_ storeIdentifier: String, _ monitor: MigrationMonitor) throws {
        try MigrationBackup(source: store, target: file, storeIdentifier: storeIdentifier).make(monitor)
    }

    func remove() throws {
        for url in [file.url, file.supportFolder] + file.companions where FileSystem.exists(url.path) {
            try FileSystem.remove(url)
        }
    }
}
