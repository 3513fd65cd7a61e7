public import Ashlar
import AshlarSQLite
import CoreDataStore
public import SystemFoundation

/// The old stores that stores of ours were imported from, as long as they exist.
extension ModelContainer {
    /// Returns the place of the old store if an import put a new store in its place.
    ///
    /// The old store is kept in the folder `NAME.coredata` beside `NAME`, under its original file names. To return to
    /// it, remove the store at `url` with ``destroyStore(at:)``, and move all files of the folder to its place.
    ///
    ///     if let kept = ModelContainer.originalStore(at: url) { print(kept.path) }
    ///
    /// - Parameter url: The place of the new store.
    /// - Returns: Nil if no old store is kept.
    public static func originalStore(at url: URL) -> URL? {
        let kept = KeptStore(besideStoreAt: url)
        return kept.exists ? kept.url : nil
    }

    /// Removes the store that a configuration imported, with its write-ahead log and large values.
    ///
    /// Call it when the old store is no longer needed. The new store must exist; the old one need not. If the new store
    /// took the place of the old one, the method removes the folder of ``originalStore(at:)``.
    ///
    ///     try ModelContainer.removeImportedStore(for: configuration)
    ///
    /// - Parameter configuration: The configuration with ``ModelConfiguration/importing``.
    /// - Throws: ``StoreError/missingFile(_:)`` if the new store is missing, ``StoreError/locked(_:waited:doing:)`` if
    ///   another program has the old store open, or ``/AshlarImport/ImportError`` if the old store cannot be read.
    public static func removeImportedStore(for configuration: ModelConfiguration) throws {
        guard let old = configuration.importing else { return }
        // Without the new one, the old store is all there is.
        let metadata = try metadata(ofStoreAt: configuration.url)
        if OpenStores.path(old.url) == OpenStores.path(configuration.url) {
            let kept = KeptStore(besideStoreAt: configuration.url)
            if FileSystem.exists(kept.folder.path) { try kept.remove() }
            return
        }
        let file = StoreFile(url: old.url).resolved
        guard FileSystem.exists(file.path) else { return }
        guard try isCoreDataStore(at: old.url) else { throw StoreError.foreignDatabase(old.url) }
        try requireOrigin(of: metadata, at: file)
        for url in [file.url] + file.companions + [CoreDataSource.supportFolder(of: file.url)] {
            try FileSystem.remove(url)
        }
        try FileSystem.synchronize(file.url.deletingLastPathComponent())
    }

    /// Throws unless a store of ours was imported from the one in a file, which no other process may have open.
    private static func requireOrigin(of metadata: StoreMetadata, at file: StoreFile) throws {
        do {
            let connection = try Connection(path: file.path, flags: SQLITE_OPEN_READWRITE, busyTimeout: 1000)
            try connection.keepWriteAheadLog()
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            try connection.execute("BEGIN EXCLUSIVE")
            let old = try CoreDataMetadata(connection)
            try connection.execute("COMMIT")
            if old.storeIdentifier != metadata.storeIdentifier {
                throw StoreError.otherModel(
                    file.url, found: "the store \(old.storeIdentifier)", expected: "\(metadata.storeIdentifier)")
            }
        } catch let error as SQLiteError {
            throw StoreError(error, file.url, doing: "removing the imported store", waited: .seconds(1))
        } catch {
            throw ImportError.reading(file.url, error)
        }
    }
}
