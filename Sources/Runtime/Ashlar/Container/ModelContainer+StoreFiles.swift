import AshlarSQLite
public import SystemFoundation

/// Functions for the files of a store: its main file, the folder of large values, and, while it is open, the files
/// `-wal` and `-shm`.
///
/// They refuse a store that is open: in this process with ``StoreError/storeInUse(_:)``, and in another with
/// ``StoreError/locked(_:waited:doing:)``. They also refuse a file that is not a store of Ashlar. A suspended container
/// does not have its stores open; see ``suspend()``.
extension ModelContainer {
    /// Removes a store with all files that belong to it.
    ///
    /// It does nothing if there is no store. It also removes damaged stores, even a file that is not an SQLite database
    /// any more, if it is recognizable as a former store. If the process is killed meanwhile, the entire store remains
    /// or none of it; another call removes any other files. Core Data's counterpart is
    /// `destroyPersistentStore(at:type:options:)`.
    ///
    ///     try ModelContainer.destroyStore(at: url)
    ///
    /// - Parameter url: The store's file.
    /// - Throws: ``StoreError`` if the store is in use or cannot be removed.
    public static func destroyStore(at url: URL) throws {
        try ExclusiveStore(url, doing: "destroying the store").remove()
    }

    /// Replaces a store with a copy of another one, or creates the copy if there is no store.
    ///
    /// The source may be in use; the copy contains the state that was committed when the copy began, and has the
    /// source's identifier. Even after a failure, either the entire old store or the entire new one exists, with its
    /// large values.
    ///
    ///     try ModelContainer.replaceStore(at: url, withStoreFrom: oldURL)
    ///
    /// A damaged store can be replaced too. Leftover files of a store whose main file was removed are deleted. Core
    /// Data's counterpart is `replacePersistentStore(at:withPersistentStoreFrom:type:)`.
    ///
    /// - Parameters:
    ///   - url: The place of the store to replace.
    ///   - source: The store to copy. The folder with its large values must be beside it.
    ///   - allowingMissingLargeValues: Whether the source may lack large values. The copy then lacks them too, unless the
    ///     replaced store has them, and a warning lists them.
    /// - Throws: ``StoreError/incompleteExternalData(_:problems:)`` if large values are missing. Another ``StoreError``
    ///   if either store cannot be used.
    public static func replaceStore(
        at url: URL, withStoreFrom source: URL, allowingMissingLargeValues: Bool = false
    ) throws {
        let target = try ExclusiveStore(url, doing: "replacing the store")
        try withExtendedLifetime(target) {
            try copy(
                StoreFile(url: source), to: target.file, nil,
                allowingMissingLargeValues ? .incompleteReplacement : .replacement)
        }
    }

    /// Moves a store to another place, where no file may exist.
    ///
    /// If the process is killed meanwhile, the store is in its old place, in its new one, or in both. A warning lists
    /// large values that the store lacks. Core Data's counterpart is `migratePersistentStore(_:to:options:type:)`,
    /// without a change of type.
    ///
    ///     try ModelContainer.moveStore(from: oldURL, to: url)
    ///
    /// - Parameters:
    ///   - source: The store's present file.
    ///   - url: The store's new file.
    /// - Throws: ``StoreError``, for example ``StoreError/fileExists(_:)`` if a file exists at `url`.
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

    /// Copies a store to another place, where no file may exist.
    ///
    /// The store may be in use. The copy contains the state that was committed when the copy began, with all large
    /// values, and has the same identifier. Cancelling the current task stops the copy and removes it.
    ///
    ///     try ModelContainer.backUpStore(at: url, to: directory.appendingPathComponent("Backup.store"))
    ///
    /// - Parameters:
    ///   - source: The store to copy.
    ///   - url: The place of the copy.
    ///   - progress: Called after every 256 pages.
    /// - Throws: ``StoreError``, for example ``StoreError/incompleteExternalData(_:problems:)`` if large values are
    ///   missing; or `CancellationError`.
    public static func backUpStore(
        at source: URL, to url: URL, progress: ((StoreProgress) -> Void)? = nil
    ) throws {
        try copy(StoreFile(url: source), to: StoreFile(url: url), progress, .backup)
    }

    /// Copies the container's store to a place where no file may exist; a store in memory can be copied too.
    ///
    /// Others can read and write meanwhile. The copy contains the state that was committed when it began. The call blocks
    /// its thread; cancelling the current task stops the copy and removes it.
    ///
    ///     try container.backUp(to: directory.appendingPathComponent("Backup.store"))
    ///
    /// - Parameters:
    ///   - url: The place of the copy.
    ///   - progress: Called after every 256 pages. It must not use the container if its store is in memory.
    /// - Throws: ``StoreError/singleStoreRequired(doing:)`` if the container has several stores,
    ///   ``StoreError/incompleteExternalData(_:problems:)`` if large values are missing, another ``StoreError``, or
    ///   `CancellationError`.
    public func backUp(to url: URL, progress: ((StoreProgress) -> Void)? = nil) throws {
        guard stores.count == 1 else { throw StoreError.singleStoreRequired(doing: "backing up to a file") }
        try stores[0].backUp(to: url, progress: progress)
    }

    private static func copy(
        _ source: StoreFile, to target: StoreFile, _ progress: ((StoreProgress) -> Void)?,
        _ purpose: StoreCopier.Purpose
    ) throws {
        if !purpose.isReplacement, FileManager.default.fileExists(atPath: target.url.path) {
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
    /// Copies this store to a place where no file may exist; a store in memory can be copied too.
    ///
    /// See ``ModelContainer/backUp(to:progress:)``.
    ///
    ///     try store.backUp(to: directory.appendingPathComponent("Backup.store"))
    ///
    /// - Parameters:
    ///   - url: The place of the copy.
    ///   - progress: Called after every 256 pages. It must not use the container if its store is in memory.
    /// - Throws: ``StoreError``, or `CancellationError` if the current task was cancelled.
    public func backUp(to url: URL, progress: ((StoreProgress) -> Void)? = nil) throws {
        let target = StoreFile(url: url)
        guard try target.state() == .missing else { throw StoreError.fileExists(url) }
        guard target.hasWritableFolder else { throw StoreError.missingFolder(url) }
        let copier = StoreCopier(
            source: StoreFile(url: self.url), target: target, .backup, schemaName: schemaName)
        do {
            // A reader of the pool would be unavailable for as long as the copy takes.
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
    /// Copies the exclusively used store.
    func copy(to target: StoreFile) throws {
        guard let connection else { throw StoreError.unreadable(file.url, reason: "it is damaged") }
        do {
            try StoreCopier(source: file, target: target, .move).copy(connection, nil)
        } catch let error as SQLiteError {
            throw StoreError(error, file.url, doing: "copying the store to \(target.url.path)")
        }
    }
}
