public import SystemFoundation

extension ModelContainer {
    /// Opens a store as a configuration says, or several, on a thread of its own, and tells how far a migration is.
    ///
    ///     let container = try await ModelContainer(opening: PhotoFeedModel.self, configurations: configuration) {
    ///         progress in Task { @MainActor in bar.value = progress.fractionCompleted }
    ///     }
    ///
    /// It is cancelled with its task, in the middle of a statement too, and leaves the store as it was then; stores that
    /// were opened before that one are up to date. Core Data's `loadPersistentStores` with
    /// `shouldAddStoreAsynchronously`.
    ///
    /// - Parameters:
    ///   - model: The model that the program is built with.
    ///   - configurations: As ``init(for:configurations:)-(_,[ModelConfiguration])`` takes them.
    ///   - progress: Called on that thread when something else is done, and each millisecond or so of a long statement;
    ///     never for a store that is up to date.
    /// - Throws: ``StoreError``, `CancellationError`, or ``ImportError`` where a configuration imports a store that Core Data
    ///   wrote.
    public convenience init(
        opening model: any ManagedObjectModel.Type, configurations: ModelConfiguration...,
        progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) async throws {
        let monitor = MigrationMonitor(report: progress)
        let description = model.modelDescription
        let opened = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A migration may take minutes, for which none of the few threads of tasks should be held.
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

    /// Opens a store as a configuration says, or several, and tells how far a migration is.
    ///
    /// It is cancelled with the task that it is called in, if any.
    ///
    /// - Parameters:
    ///   - model: The model that the program is built with.
    ///   - configurations: As ``init(for:configurations:)-(_,[ModelConfiguration])`` takes them.
    ///   - progress: Called on the caller's thread.
    /// - Throws: ``StoreError``, or `CancellationError`. A store that was opened before is then up to date; the others are
    ///   as they were.
    public convenience init(
        for model: any ManagedObjectModel.Type, configurations: ModelConfiguration...,
        progress: @escaping @Sendable (MigrationProgress) -> Void
    ) throws {
        let description = model.modelDescription
        let opener = StoresOpener(
            model: description, configurations: configurations, monitor: MigrationMonitor(report: progress))
        self.init(try opener.open(), description)
    }

    /// What opening a store would do to bring it up to date, without doing it. The file is as it was in any case.
    ///
    /// The migration is tried on an empty copy of the store's schema, so that all is told that does not depend on rows.
    /// Of a store that a configuration of the model gave some entities only, these are migrated.
    ///
    /// Core Data's `isConfiguration(withName:compatibleWithStoreMetadata:)` and
    /// `NSMappingModel.inferredMappingModel`.
    ///
    /// - Throws: The ``StoreError`` that opening the store would throw, such as
    ///   ``StoreError/newerVersion(_:version:current:differences:)`` or ``StoreError/alteredSchema(_:differences:)``.
    public static func plannedMigration(
        ofStoreAt url: URL, for model: any ManagedObjectModel.Type, options: MigrationOptions = MigrationOptions()
    ) throws -> PlannedMigration {
        try plannedMigration(ofStoreAt: url, for: model.modelDescription, options: options)
    }

    /// What opening a store would do to bring it up to date.
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

    /// Brings a store up to date as opening it would, without a container. There must be one.
    ///
    /// Of a store that a configuration of the model gave some entities only, these are migrated. The tables of entities
    /// that are new in the model, and which the store is to have, are made when a container opens it.
    ///
    /// - Throws: ``StoreError``, or `CancellationError` when the task that it is called in is cancelled. The file is as
    ///   it was then.
    public static func migrateStore(
        at url: URL, for model: any ManagedObjectModel.Type, options: MigrationOptions = MigrationOptions(),
        progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) throws {
        try migrateStore(at: url, for: model.modelDescription, options: options, progress: progress)
    }

    /// Brings a store up to date as opening it would.
    package static func migrateStore(
        at url: URL, for model: ModelDescription, options: MigrationOptions,
        progress: (@Sendable (MigrationProgress) -> Void)?
    ) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { throw StoreError.missingFile(url) }
        let file = StoreFile(url: url)
        let (metadata, isTracked) = try file.read("looking for a history") { connection in
            (try file.metadata(connection), try HistoryTracker.isTracked(connection))
        }
        // What the triggers of the history note is decided by the entities, which only a program has.
        if model.entitySchemas.isEmpty, isTracked { throw StoreError.recordsHistory(url) }
        var configuration = ModelConfiguration(url: url)
        configuration.migration = options
        configuration.migration.isAutomatic = true
        let monitor = MigrationMonitor(report: progress)
        let content = try StoreContent(heldBy: metadata, at: url, of: model)
        _ = try StoreOpener(content, configuration, monitor: monitor).open()
    }

    // MARK: The ledger

    /// What was done to the store's schema since it was made, the oldest first; see ``MigrationRecord``. Of several
    /// stores, the first.
    ///
    /// - Throws: ``StoreError``.
    public func migrationHistory() throws -> [MigrationRecord] { try stores[0].migrationHistory() }

    /// What was done to the schema of a store since it was made, without opening it as a container does.
    ///
    /// - Throws: ``StoreError``. The file is as it was in any case.
    public static func migrationHistory(ofStoreAt url: URL) throws -> [MigrationRecord] {
        let file = StoreFile(url: url)
        return try file.read("reading the ledger of migrations") { connection in
            _ = try file.metadata(connection)
            return try MigrationLedger.records(connection)
        }
    }
}

extension PersistentStore {
    /// What was done to the store's schema since it was made, the oldest first; see ``MigrationRecord``.
    ///
    /// - Throws: ``StoreError``.
    public func migrationHistory() throws -> [MigrationRecord] {
        try read("reading the ledger of migrations") { try MigrationLedger.records($0, in: schemaName) }
    }
}
