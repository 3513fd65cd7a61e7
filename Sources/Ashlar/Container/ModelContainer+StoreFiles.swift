import AshlarSQLite
public import SystemFoundation

/// A store is its file and the folder of what is too large for it; while it is open, the files `-wal` and `-shm` too.
/// These functions take all of them together. They refuse a store that is open, in this process with
/// ``StoreError/storeInUse(_:)`` and in another with ``StoreError/locked(_:waited:doing:)``, and a file that is no store
/// of Ashlar's. A container that is suspended does not have its stores open; see ``suspend()``.
extension ModelContainer {
    /// Removes a store with all that belongs to it. There need be none. A damaged store can be destroyed too, also one that
    /// is no SQLite database any more, where it can be told that it was a store.
    ///
    /// A process that is killed meanwhile leaves the whole store or none; what else it leaves, destroying again removes.
    /// Core Data's `destroyPersistentStore(at:type:options:)`.
    ///
    /// - Throws: ``StoreError``.
    public static func destroyStore(at url: URL) throws {
        try ExclusiveStore(url, doing: "destroying the store").remove()
    }

    /// Puts a copy of a store in the place of another, or where there is none.
    ///
    /// The source may be in use; the copy is what was committed when it began. At any moment there is the whole old
    /// store or the whole new one, with its large values, whatever fails and whenever the process is killed. A damaged
    /// store can be replaced too. What a store left beside its file when the file was removed by other means goes. Large
    /// values that the source lacks, the copy lacks too. The copy has the source's identifier. Core Data's
    /// `replacePersistentStore(at:withPersistentStoreFrom:type:)`.
    ///
    /// - Throws: ``StoreError``.
    public static func replaceStore(at url: URL, withStoreFrom source: URL) throws {
        let target = try ExclusiveStore(url, doing: "replacing the store")
        try withExtendedLifetime(target) {
            try copy(StoreFile(url: source), to: target.file, nil, .replacement)
        }
    }

    /// Moves a store to another place, where there must be no file.
    ///
    /// A process that is killed meanwhile leaves the store in its old place, in its new one, or in both. Core Data's
    /// `migratePersistentStore(_:to:options:type:)`, without a change of type.
    ///
    /// - Throws: ``StoreError``, such as ``StoreError/fileExists(_:)``.
    public static func moveStore(from source: URL, to url: URL) throws {
        let old = try ExclusiveStore(source, doing: "moving the store")
        guard old.state == .store else { throw StoreError.missingFile(source) }
        let new = StoreFile(url: url)
        let (token, state) = try OpenStores.shared.useAlone(url) { try new.state() }
        guard state == .missing else { throw StoreError.fileExists(url) }
        guard new.hasWritableFolder else { throw StoreError.missingFolder(url) }
        try withExtendedLifetime(token) {
            try old.copy(to: new)
            try old.remove()
        }
    }

    /// Copies a store to another place, where there must be no file, while it may be in use.
    ///
    /// The copy is what was committed when it began, with all of its large values, and has the same identifier. It is
    /// cancelled with its task, and leaves nothing then.
    ///
    /// - Parameters:
    ///   - source: The store.
    ///   - url: Where the copy shall be.
    ///   - progress: Told after every 256 pages.
    /// - Throws: ``StoreError``, such as ``StoreError/incompleteExternalData(_:problems:)``; or `CancellationError`.
    public static func backUpStore(
        at source: URL, to url: URL, progress: ((StoreProgress) -> Void)? = nil
    ) throws {
        try copy(StoreFile(url: source), to: StoreFile(url: url), progress, .backup)
    }

    /// Copies the container's store, one in memory too, to a place where there must be no file.
    ///
    /// Others read and write meanwhile; the copy is what was committed when it began. It is cancelled with its task, and
    /// leaves nothing then.
    ///
    /// - Parameters:
    ///   - url: Where the copy shall be.
    ///   - progress: Told after every 256 pages. It must not use the container when its store is in memory.
    /// - Throws: ``StoreError``, such as ``StoreError/severalStores(doing:)`` and
    ///   ``StoreError/incompleteExternalData(_:problems:)``; or `CancellationError`.
    public func backUp(to url: URL, progress: ((StoreProgress) -> Void)? = nil) throws {
        guard stores.count == 1 else { throw StoreError.severalStores(doing: "backing up to a file") }
        try stores[0].backUp(to: url, progress: progress)
    }

    private static func copy(
        _ source: StoreFile, to target: StoreFile, _ progress: ((StoreProgress) -> Void)?,
        _ purpose: StoreCopier.Purpose
    ) throws {
        if purpose != .replacement, FileManager.default.fileExists(atPath: target.url.path) {
            throw StoreError.fileExists(target.url)
        }
        guard target.hasWritableFolder else { throw StoreError.missingFolder(target.url) }
        let (token, state) = try OpenStores.shared.use(source.url) { try source.state() }
        if let state, state != .store { throw StoreError.missingFile(source.url) }
        try withExtendedLifetime(token) {
            do {
                let connection = try source.connectToCopy()
                _ = try source.metadata(connection)
                try StoreCopier(source: source, target: target, purpose).copy(connection, progress)
            } catch let error as SQLiteError {
                throw StoreError(error, source.url, doing: "copying the store to \(target.url.path)")
            }
        }
    }
}

extension PersistentStore {
    /// Copies the store, one in memory too, to a place where there must be no file; see
    /// ``ModelContainer/backUp(to:progress:)``.
    ///
    /// - Throws: ``StoreError``, or `CancellationError`.
    public func backUp(to url: URL, progress: ((StoreProgress) -> Void)? = nil) throws {
        let target = StoreFile(url: url)
        guard try target.state() == .missing else { throw StoreError.fileExists(url) }
        guard target.hasWritableFolder else { throw StoreError.missingFolder(url) }
        let copier = StoreCopier(
            source: StoreFile(url: self.url), target: target, .backup, schemaName: schemaName)
        do {
            // A reader of the pool would be missed for as long as the copy takes.
            if let reader = try pool.makeReader() {
                defer { pool.close(reader) }
                do {
                    try copier.copy(reader, progress)
                } catch  where reader.ending.hasBegun {
                    throw pool.suspensionError(error, self.url) ?? error
                }
            } else {
                try pool.write { try copier.copy($0, progress) }
            }
        } catch let error as SQLiteError {
            throw StoreError(error, url, doing: "backing up \(self.url.path)")
        }
    }
}

extension ExclusiveStore {
    /// Copies the store that this object keeps others away from.
    func copy(to target: StoreFile) throws {
        guard let connection else { throw StoreError.unreadable(file.url, reason: "it is damaged") }
        do {
            try StoreCopier(source: file, target: target, .move).copy(connection, nil)
        } catch let error as SQLiteError {
            throw StoreError(error, file.url, doing: "copying the store to \(target.url.path)")
        }
    }
}
