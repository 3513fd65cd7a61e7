public import SystemFoundation

extension ModelContainer {
    /// Opens one or several stores on a thread of its own, and reports the progress of migrations.
    ///
    /// Use it when a store may be large and the user should see progress. Cancelling the task stops the migration, even
    /// within a statement. The store stays as it was; stores that were opened before it are up to date.
    ///
    ///     let container = try await ModelContainer(opening: PhotoFeedModel.self, configurations: configuration) {
    ///         progress in Task { @MainActor in bar.value = progress.fractionCompleted }
    ///     }
    ///
    /// Core Data's counterpart is `loadPersistentStores` with `shouldAddStoreAsynchronously`.
    ///
    /// - Parameters:
    ///   - model: The model that the program is built with.
    ///   - configurations: The stores to open, as in ``init(for:configurations:)-(_,[ModelConfiguration])``.
    ///   - progress: Called on that thread at each new step, and about every millisecond of a long statement. It is not
    ///     called for a store that is up to date.
    /// - Throws: ``StoreError`` if a store cannot be opened, `CancellationError`, or `ImportError` if a configuration
    ///   imports a store that Core Data wrote.
    public convenience init(
        opening model: any ManagedObjectModel.Type, configurations: ModelConfiguration...,
        progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) async throws {
        let monitor = MigrationMonitor(report: progress)
        let description = model.modelDescription
        let opened = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A migration may take minutes, which would block one of the few threads of tasks.
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            try StoresOpener(model: description, configurations: configurations, monitor: monitor)
                                .open()
                        })
                }
            }
        } onCancel: {
            monitor.cancel()
        }
        self.init(opened, description)
    }

    /// Opens one or several stores, and reports the progress of migrations.
    ///
    /// Cancelling the current task stops the migration. ``init(opening:configurations:progress:)`` opens the stores
    /// without blocking the caller.
    ///
    ///     let container = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration) { progress in
    ///         print(progress.fractionCompleted)
    ///     }
    ///
    /// - Parameters:
    ///   - model: The model that the program is built with.
    ///   - configurations: The stores to open, as in ``init(for:configurations:)-(_,[ModelConfiguration])``.
    ///   - progress: Called on the caller's thread.
    /// - Throws: ``StoreError`` or `CancellationError`. Stores that were opened before the error are up to date; the
    ///   others are as they were.
    public convenience init(
        for model: any ManagedObjectModel.Type, configurations: ModelConfiguration...,
        progress: @escaping @Sendable (MigrationProgress) -> Void
    ) throws {
        let description = model.modelDescription
        let opener = StoresOpener(
            model: description, configurations: configurations, monitor: MigrationMonitor(report: progress))
        self.init(try opener.open(), description)
    }

    /// Returns the steps that opening a store would take to migrate it, without changing the file.
    ///
    /// The migration is tried on an empty copy of the store's schema, so it finds all problems that do not depend on
    /// rows. If a configuration gave the store only some entities, only these are migrated.
    ///
    ///     let planned = try ModelContainer.plannedMigration(ofStoreAt: url, for: PhotoFeedModel.self)
    ///     print(planned)
    ///
    /// Core Data's counterparts are `isConfiguration(withName:compatibleWithStoreMetadata:)` and
    /// `NSMappingModel.inferredMappingModel`.
    ///
    /// - Parameters:
    ///   - url: The store's file.
    ///   - model: The model that the program is built with.
    ///   - options: The options of the migration.
    /// - Throws: The ``StoreError`` that opening the store would throw, such as
    ///   ``StoreError/newerVersion(_:version:current:differences:)`` or ``StoreError/alteredSchema(_:differences:)``.
    public static func plannedMigration(
        ofStoreAt url: URL, for model: any ManagedObjectModel.Type, options: MigrationOptions = MigrationOptions()
    ) throws -> PlannedMigration {
        try plannedMigration(ofStoreAt: url, for: model.modelDescription, options: options)
    }

    /// Returns the steps that opening a store would take to migrate it.
    package static func plannedMigration(
        ofStoreAt url: URL, for model: ModelDescription, options: MigrationOptions
    ) throws -> PlannedMigration {
        let file = StoreFile(url: url)
        return try file.read("planning the migration") { connection in
            let metadata = try file.metadata(connection)
            if metadata.modelName != model.name {
                throw StoreError.otherModel(url, found: metadata.modelName, expected: model.name)
            }
            let content = try StoreContent(heldBy: metadata, at: url, of: model)
            let part = try content.model(for: metadata, at: url, isWritable: true)
            let migrator = StoreMigrator(model: part, url: url, isWritable: false, options: options)
            return try migrator.plan(connection, metadata)
        }
    }

    /// Migrates an existing store to the model's current version, without opening a container.
    ///
    /// If a configuration gave the store only some entities, only these are migrated. Tables of new entities are
    /// created when a container opens the store.
    ///
    ///     try ModelContainer.migrateStore(at: url, for: PhotoFeedModel.self)
    ///
    /// - Parameters:
    ///   - url: The store's file, which must exist.
    ///   - model: The model that the program is built with.
    ///   - options: The options of the migration.
    ///   - progress: Called on the caller's thread at each new step, and about every millisecond of a long statement.
    /// - Throws: ``StoreError``, or `CancellationError` if the current task was cancelled. The file is as it was then.
    public static func migrateStore(
        at url: URL, for model: any ManagedObjectModel.Type, options: MigrationOptions = MigrationOptions(),
        progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) throws {
        try migrateStore(at: url, for: model.modelDescription, options: options, progress: progress)
    }

    /// Migrates a store as opening it does.
    package static func migrateStore(
        at url: URL, for model: ModelDescription, options: MigrationOptions,
        progress: (@Sendable (MigrationProgress) -> Void)?
    ) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { throw StoreError.missingFile(url) }
        let file = StoreFile(url: url)
        let (metadata, isTracked) = try file.read("looking for a history") { connection in
            (try file.metadata(connection), try HistoryTracker.isTracked(connection))
        }
        // The triggers of the history depend on the entities, which only a program has.
        if model.entitySchemas.isEmpty, isTracked { throw StoreError.recordsHistory(url) }
        var configuration = ModelConfiguration(url: url)
        configuration.migration = options
        configuration.migration.isAutomatic = true
        let monitor = MigrationMonitor(report: progress)
        let content = try StoreContent(heldBy: metadata, at: url, of: model)
        _ = try StoreOpener(content, configuration, monitor: monitor).open()
    }

    // MARK: The ledger

    /// Returns the migrations of the store's schema since its creation, the oldest first.
    ///
    /// If the container has several stores, the method returns those of the first.
    ///
    ///     for record in try container.migrationHistory() { print(record) }
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func migrationHistory() throws -> [MigrationRecord] { try stores[0].migrationHistory() }

    /// Returns the migrations of a store's schema since its creation, without opening it in a container.
    ///
    ///     for record in try ModelContainer.migrationHistory(ofStoreAt: url) { print(record) }
    ///
    /// - Parameter url: The store's file. It is never changed.
    /// - Throws: ``StoreError`` if the file cannot be read or is not a store.
    public static func migrationHistory(ofStoreAt url: URL) throws -> [MigrationRecord] {
        let file = StoreFile(url: url)
        return try file.read("reading the ledger of migrations") { connection in
            _ = try file.metadata(connection)
            return try MigrationLedger.records(connection)
        }
    }
}

extension PersistentStore {
    /// Returns the migrations of the store's schema since its creation, the oldest first.
    ///
    ///     for record in try store.migrationHistory() { print(record) }
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func migrationHistory() throws -> [MigrationRecord] {
        try read("reading the ledger of migrations") { try MigrationLedger.records($0, in: schemaName) }
    }
}
