import AshlarSQLite
public import SystemFoundation

extension ModelContainer {
    /// Deletes files of external data that no row refers to any more.
    ///
    /// Saves delete the files of values that they replace, and opening a store deletes the files that a crash left.
    /// Call this method after rows were deleted or changed with SQL, because that leaves files behind.
    ///
    ///     let count = try container.removeOrphanedExternalData()
    ///
    /// - Returns: The number of deleted files.
    /// - Throws: ``StoreError/externalDataInUse(_:)`` if others use the store for longer than the busy timeout.
    ///   ``StoreError/pinnedQueryGenerations(_:since:doing:)`` if contexts of this container hold an older state.
    ///   ``StoreError/sqlite(_:doing:)`` if the store cannot be read, or an error of Foundation if a file cannot be
    ///   deleted. No referenced file is lost in any of these cases.
    /// - Complexity: O(*n*) in the number of rows, because all columns of blobs are read.
    @discardableResult
    public func removeOrphanedExternalData() throws -> Int {
        try maintainedStores.reduce(0) { try $0 + $1.removeOrphanedExternalData() }
    }
}

extension PersistentStore {
    /// Deletes files of external data beside this store that no row refers to any more.
    ///
    /// Use it if only one of several stores matters. See ``ModelContainer/removeOrphanedExternalData()``.
    ///
    ///     let count = try store.removeOrphanedExternalData()
    ///
    /// - Returns: The number of deleted files.
    /// - Throws: ``StoreError`` if the store is in use or cannot be read, or an error of Foundation if a file cannot be
    ///   deleted.
    @discardableResult
    public func removeOrphanedExternalData() throws -> Int {
        if configuration.isStoredInMemoryOnly { return 0 }
        if isReadOnly { throw StoreError.readOnly(url, reason: "the configuration or the file forbids it") }
        do {
            let count = try pool.write(to: url) { connection in
                guard
                    let externalData = connection.state.externalData
                        ?? connection.state.externalDataOfStores[schemaName]
                else {
                    return 0 as Int?
                }
                return try externalData.removeOrphans(connection, waiting: true)
            }
            return try blamingOwnContexts("looking for orphaned files") {
                guard let count else { throw StoreError.externalDataInUse(url) }
                return count
            }
        } catch let error as SQLiteError {
            throw StoreError.sqlite(error, doing: "looking for orphaned files")
        }
    }
}

extension ModelConfiguration {
    /// The hidden folder beside the store that holds large values of attributes with external storage.
    ///
    /// The folder belongs to the store: copy, move and delete it together with the store's file. It exists only if the
    /// store has had such values. The property is nil for a store in memory.
    ///
    ///     if let folder = configuration.externalDataFolder { print(folder.path) }
    public var externalDataFolder: URL? {
        isStoredInMemoryOnly ? nil : StoreFile(url: url).supportFolder
    }
}
