public import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

extension ModelContainer {
    /// What the store says of itself, with the values that the program keeps in it.
    ///
    /// - Throws: ``StoreError``.
    public func metadata() throws -> StoreMetadata {
        try read("reading the metadata") { connection in
            guard var metadata = try StoreMetadata(connection) else {
                throw StoreError.foreignDatabase(configuration.url)
            }
            try metadata.readValues(connection)
            return metadata
        }
    }

    /// Keeps a value of the program's own in the store, in a transaction of its own; nil removes it.
    ///
    /// Core Data's `setMetadata(_:for:)`, by key and at once.
    ///
    /// - Throws: ``StoreError``.
    public func setMetadata(_ value: StoreMetadataValue?, forKey key: String) throws {
        if isReadOnly { throw StoreError.readOnly(configuration.url, reason: "the container does not allow saving") }
        do {
            try pool.write { connection in
                try connection.transaction { try StoreMetadata.set(value, forKey: key, connection) }
            }
        } catch let error as SQLiteError {
            throw StoreError(error, configuration.url, doing: "setting metadata")
        }
    }

    /// What a store says of itself, without opening it: neither is it migrated, nor need its model be known.
    ///
    /// Core Data's `metadataForPersistentStore(ofType:at:)`.
    ///
    /// - Throws: ``StoreError``. The file is as it was in any case.
    public static func metadata(ofStoreAt url: URL) throws -> StoreMetadata {
        let file = StoreFile(url: url)
        return try file.read("reading the metadata") { connection in
            var metadata = try file.metadata(connection)
            try metadata.readValues(connection)
            return metadata
        }
    }

    /// Keeps a value of the program's own in a store, without opening it as a container does; nil removes it.
    ///
    /// - Throws: ``StoreError``.
    public static func setMetadata(_ value: StoreMetadataValue?, forKey key: String, ofStoreAt url: URL) throws {
        _ = try metadata(ofStoreAt: url)
        let (token, _) = try OpenStores.shared.use(url) {}
        try withExtendedLifetime(token) {
            do {
                let connection = try Connection(path: url.path, flags: SQLITE_OPEN_READWRITE)
                try connection.transaction { try StoreMetadata.set(value, forKey: key, connection) }
            } catch let error as SQLiteError {
                throw StoreError(error, url, doing: "setting metadata")
            }
        }
    }
}

extension StoreMetadata {
    /// Whether a container of a model would open the store as it is, or after bringing it up to date. Core Data's
    /// `isConfiguration(withName:compatibleWithStoreMetadata:)` says the first only; see ``isCurrent(for:)``.
    public func canBeOpened(for model: any ManagedObjectModel.Type) -> Bool {
        modelName == model.modelDescription.name
            && model.modelDescription.versions.contains { $0.versionHash == versionHash }
    }

    /// Whether a container of a model would open the store without a migration.
    public func isCurrent(for model: any ManagedObjectModel.Type) -> Bool {
        modelName == model.modelDescription.name
            && model.modelDescription.currentVersion?.versionHash == versionHash
    }
}
