import AshlarSQLite
import SystemFoundation

/// The copy of a store that follows a log, made before it is migrated: with it, it is found out afterwards what the store had changed
/// that the log does not have, whatever the migration does, and whatever the log still keeps.
///
/// It stands beside the store until the store follows the log's newer version.
struct FollowedCopy {
    let file: StoreFile
    private let store: StoreFile

    init(of store: StoreFile) {
        self.store = store
        file = StoreFile(url: URL(fileURLWithPath: store.resolved.path + "-followed"))
    }

    /// Returns whether the store follows a log, and is of the version that it last followed it in: a copy of an earlier
    /// one is kept.
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
