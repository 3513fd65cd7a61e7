public import SystemFoundation

/// Stores that Core Data and SwiftData wrote become stores of ours when a container opens them; see
/// ``ModelConfiguration/importing``.
extension ModelContainer {
    /// Makes a store of one that Core Data or SwiftData wrote, as opening a container with
    /// ``ModelConfiguration/importing`` does, without a container.
    ///
    ///     let report = try ModelContainer.importStore(StoreImport(url: oldURL), to: url, for: PhotoFeedModel.self)
    ///     for finding in report.findings { print(finding) }
    ///
    /// - Parameters:
    ///   - old: The old store and how it is imported. Nothing of it is changed.
    ///   - url: Where the new store will be; there must be no file.
    ///   - model: The model that the program is built with.
    ///   - migration: How the new store is brought to the model's current version.
    ///   - progress: Called on the caller's thread when something else is done, and each millisecond or so of a long statement.
    /// - Throws: ``ImportError``, ``StoreError``, or `CancellationError` when the task that it is called in is cancelled. There is
    ///   no new store then.
    @discardableResult
    public static func importStore(
        _ old: StoreImport, to url: URL, for model: any ManagedObjectModel.Type,
        migration: MigrationOptions = MigrationOptions(), progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) throws -> ImportReport {
        try importStore(old, to: url, for: model.modelDescription, migration: migration, progress: progress)
    }

    /// Makes a store of one that Core Data or SwiftData wrote.
    package static func importStore(
        _ old: StoreImport, to url: URL, for model: ModelDescription, migration: MigrationOptions,
        isTrial: Bool = false, progress: (@Sendable (MigrationProgress) -> Void)?
    ) throws -> ImportReport {
        var configuration = ModelConfiguration(url: url)
        configuration.importing = old
        configuration.migration = migration
        guard try FileSystem.kind(ofFile: old.url.path) == .file else { throw StoreError.missingFile(old.url) }
        let importer = StoreImporter(
            content: StoreContent(allOf: model), configuration: configuration, source: old,
            monitor: MigrationMonitor(report: progress), isTrial: isTrial)
        guard let report = try importer.importIfNeeded() else { throw StoreError.fileExists(url) }
        return report
    }

    /// What importing a store would bring, and what of it the model does not allow, without importing it. Nothing is changed.
    ///
    /// The store is copied into a temporary one, which takes as long and as much room as importing it does. With
    /// ``StoreImport/repairsData`` what does not fit is in the report; else it is an ``ImportError``. Custom stages of a migration are
    /// not run; ``ImportReport/missingStage`` names the first.
    ///
    /// - Throws: What ``importStore(_:to:for:migration:progress:)`` throws.
    public static func plannedImport(
        of old: StoreImport, for model: any ManagedObjectModel.Type
    ) throws -> ImportReport {
        try plannedImport(of: old, for: model.modelDescription, progress: nil)
    }

    /// What importing a store would bring.
    package static func plannedImport(
        of old: StoreImport, for model: ModelDescription, progress: (@Sendable (MigrationProgress) -> Void)?
    ) throws -> ImportReport {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileSystem.createFolder(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try importStore(
            old, to: folder.appendingPathComponent("planned.store"), for: model, migration: MigrationOptions(),
            isTrial: true, progress: progress)
    }
}
