import AshlarSQLite
public import SystemFoundation

extension ModelContainer {
    /// What the store says of itself, with the values that the program keeps in it; of several stores, the first.
    ///
    /// - Throws: ``StoreError``.
    public func metadata() throws -> StoreMetadata { try stores[0].metadata() }

    /// Keeps a value of the program's own in the store, of several in the first, in a transaction of its own; nil removes
    /// it.
    ///
    /// Core Data's `setMetadata(_:for:)`, by key and at once.
    ///
    /// - Throws: ``StoreError``.
    public func setMetadata(_ value: StoreMetadataValue?, forKey key: String) throws {
        try stores[0].setMetadata(value, forKey: key)
    }

    /// What a store says of itself, without opening it: neither is it migrated, nor need its model be known.
    ///
    /// Core Data's `metadataForPersistentStore(ofType:at:)`.
    ///
    /// - Throws: ``StoreError``. The file is as it was in any case.
    public static func metadata(ofStoreAt url: URL) throws -> StoreMetadata {
        try StoreFile(url: url).readMetadata()
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

extension PersistentStore {
    /// What the store says of itself, with the values that the program keeps in it.
    ///
    /// - Throws: ``StoreError``.
    public func metadata() throws -> StoreMetadata {
        try read("reading the metadata") { connection in
            guard var metadata = try StoreMetadata(connection, in: schemaName) else {
                throw StoreError.foreignDatabase(url)
            }
            try metadata.readValues(connection, in: schemaName)
            return metadata
        }
    }

    /// Keeps a value of the program's own in the store, in a transaction of its own; nil removes it.
    ///
    /// - Throws: ``StoreError``.
    public func setMetadata(_ value: StoreMetadataValue?, forKey key: String) throws {
        try write("setting metadata") { connection in
            try connection.transaction(writing: self) {
                try StoreMetadata.set(value, forKey: key, connection, in: schemaName)
            }
        }
    }
}

extension StoreMetadata {
    /// Whether a container of a model would open the store as it is, or after bringing it up to date. Core Data's
    /// `isConfiguration(withName:compatibleWithStoreMetadata:)` says the first only; see ``isCurrent(for:)``.
    public func canBeOpened(for model: any ManagedObjectModel.Type) -> Bool {
        modelName == model.modelDescription.name
            && StoreContent(allOf: model.modelDescription).position(of: self) != nil
    }

    /// Whether a container of a model would open the store without a migration.
    public func isCurrent(for model: any ManagedObjectModel.Type) -> Bool {
        modelName == model.modelDescription.name
            && model.modelDescription.currentVersion?.versionHash == versionHash
    }
}
