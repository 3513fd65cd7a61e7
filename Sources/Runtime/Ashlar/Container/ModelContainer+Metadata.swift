import AshlarSQLite
public import SystemFoundation

extension ModelContainer {
    /// Returns the store's metadata, including the values that the program keeps in it.
    ///
    /// If the container has several stores, the method returns that of the first. Core Data's counterpart is
    /// `metadata(for:)`.
    ///
    ///     let metadata = try container.metadata()
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func metadata() throws -> StoreMetadata { try stores[0].metadata() }

    /// Stores a value of the program in the store's metadata, in a transaction of its own.
    ///
    /// If the container has several stores, the value is stored in the first. Core Data's counterpart is
    /// `setMetadata(_:for:)`, which replaces all values and waits for a save.
    ///
    ///     try container.setMetadata("2026-01", forKey: "dataset")
    ///
    /// - Parameters:
    ///   - value: The value, or nil to remove it.
    ///   - key: The name of the value.
    /// - Throws: ``StoreError`` if the store cannot be written.
    public func setMetadata(_ value: StoreMetadataValue?, forKey key: String) throws {
        try stores[0].setMetadata(value, forKey: key)
    }

    /// Returns the metadata of a store without opening it in a container.
    ///
    /// The store is not migrated, and its model need not be known. Core Data's counterpart is
    /// `metadataForPersistentStore(ofType:at:)`.
    ///
    ///     let metadata = try ModelContainer.metadata(ofStoreAt: url)
    ///     if metadata.isCurrent(for: PhotoFeedModel.self) { print("up to date") }
    ///
    /// - Parameter url: The store's file. It is never changed.
    /// - Throws: ``StoreError`` if the file cannot be read or is not a store.
    public static func metadata(ofStoreAt url: URL) throws -> StoreMetadata {
        try StoreFile(url: url).readMetadata()
    }

    /// Stores a value of the program in a store's metadata without opening it in a container.
    ///
    ///     try ModelContainer.setMetadata("2026-01", forKey: "dataset", ofStoreAt: url)
    ///
    /// - Parameters:
    ///   - value: The value, or nil to remove it.
    ///   - key: The name of the value.
    ///   - url: The store's file.
    /// - Throws: ``StoreError`` if the store cannot be written.
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

extension PersistentStore {
    /// Returns the store's metadata, including the values that the program keeps in it.
    ///
    ///     let metadata = try store.metadata()
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func metadata() throws -> StoreMetadata {
        try read("reading the metadata") { connection in
            guard var metadata = try StoreMetadata(connection, in: schemaName) else {
                throw StoreError.foreignDatabase(url)
            }
            try metadata.readValues(connection, in: schemaName)
            return metadata
        }
    }

    /// Stores a value of the program in this store's metadata, in a transaction of its own.
    ///
    ///     try store.setMetadata("2026-01", forKey: "dataset")
    ///
    /// - Parameters:
    ///   - value: The value, or nil to remove it.
    ///   - key: The name of the value.
    /// - Throws: ``StoreError`` if the store cannot be written.
    public func setMetadata(_ value: StoreMetadataValue?, forKey key: String) throws {
        try write("setting metadata") { connection in
            try connection.transaction(writing: self) {
                try StoreMetadata.set(value, forKey: key, connection, in: schemaName)
            }
        }
    }
}

extension StoreMetadata {
    /// Returns whether a container of a model could open the store, as it is or after a migration.
    ///
    /// Core Data's `isConfiguration(withName:compatibleWithStoreMetadata:)` corresponds to ``isCurrent(for:)`` instead.
    ///
    ///     let metadata = try ModelContainer.metadata(ofStoreAt: url)
    ///     guard metadata.canBeOpened(for: PhotoFeedModel.self) else { return }
    ///
    /// - Parameter model: The model that the program is built with.
    public func canBeOpened(for model: any ManagedObjectModel.Type) -> Bool {
        modelName == model.modelDescription.name
            && StoreContent(allOf: model.modelDescription).position(of: self) != nil
    }

    /// Returns whether a container of a model would open the store without a migration.
    ///
    /// Core Data's counterpart is `isConfiguration(withName:compatibleWithStoreMetadata:)`.
    ///
    ///     let needsMigration = try !ModelContainer.metadata(ofStoreAt: url).isCurrent(for: PhotoFeedModel.self)
    ///
    /// - Parameter model: The model that the program is built with.
    public func isCurrent(for model: any ManagedObjectModel.Type) -> Bool {
        modelName == model.modelDescription.name
            && model.modelDescription.currentVersion?.versionHash == versionHash
    }
}
