import AshlarSQLite
public import SystemFoundation

extension ModelContainer {
    /// Deletes files beside the stores that no row refers to any more, and returns how many there were.
    ///
    /// A save deletes the files of the values that it replaces, and what a crash leaves is deleted when the store is
    /// opened again. Rows that were deleted or changed in SQL leave their files; this finds them. It reads all columns
    /// of blobs, in time that grows with the number of rows.
    ///
    /// - Throws: ``StoreError/externalDataInUse(_:)`` when others read or write the store for longer than the busy timeout;
    ///   ``StoreError/pinnedQueryGenerations(_:since:doing:)`` when contexts of this container do;
    ///   ``StoreError/sqlite(_:doing:)`` when the store cannot be read; an error of Foundation when a file cannot be
    ///   deleted. Nothing is lost then.
    @discardableResult
    public func removeOrphanedExternalData() throws -> Int {
        try maintainedStores.reduce(0) { try $0 + $1.removeOrphanedExternalData() }
    }
}

extension PersistentStore {
    /// Deletes files beside the store that no row refers to any more; see
    /// ``ModelContainer/removeOrphanedExternalData()``.
    ///
    /// - Throws: ``StoreError``, or an error of Foundation when a file cannot be deleted. Nothing is lost then.
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
    /// The hidden folder beside the store that holds large values of attributes with external storage; nil for a store
    /// in memory. It belongs to the store: copy, move and delete it with the store's file. It need not exist.
    public var externalDataFolder: URL? {
        isStoredInMemoryOnly ? nil : StoreFile(url: url).supportFolder
    }
}
