public import Ashlar
public import SystemFoundation

/// Imports stores that Core Data and SwiftData wrote when a container opens; see ``ModelConfiguration/importing``.
extension ModelContainer {
    /// The reports of the stores that were imported from Core Data or SwiftData when this container opened.
    ///
    /// It is empty unless a configuration sets ``ModelConfiguration/importing`` and the import took place now.
    ///
    ///     for report in container.importReports { print(report.findings) }
    public var importReports: [ImportReport] { reportsOfImports.compactMap { $0 as? ImportReport } }

    /// Imports a store that Core Data or SwiftData wrote into a new store, without opening a container.
    ///
    /// Use it in tools and on first launch. ``ModelConfiguration/importing`` does the same while a container opens.
    ///
    ///     let report = try ModelContainer.importStore(StoreImport(url: oldURL), to: url, for: PhotoFeedModel.self)
    ///     for finding in report.findings { print(finding) }
    ///
    /// - Parameters:
    ///   - old: The old store and the options of the import. The old store is not changed.
    ///   - url: The place of the new store. No file may exist there.
    ///   - model: The model that the program is built with.
    ///   - migration: The options for migrating the new store to the model's current version.
    ///   - progress: Called on the caller's thread at each new step, and about every millisecond of a long statement.
    /// - Returns: The report of the import, with its findings.
    /// - Throws: ``/AshlarImport/ImportError`` if the old store cannot be imported, ``StoreError``, or
    ///   `CancellationError` if the current task was cancelled. No new store remains then.
    @discardableResult
    public static func importStore(
        _ old: StoreImport, to url: URL, for model: any ManagedObjectModel.Type,
        migration: MigrationOptions = MigrationOptions(), progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) throws -> ImportReport {
        try importStore(old, to: url, for: model.modelDescription, migration: migration, progress: progress)
    }

    /// Imports a store that Core Data or SwiftData wrote into a new one.
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

    /// Returns the report that importing a store would produce, without importing it.
    ///
    /// The store is imported into a temporary place, so it takes as much time and space as the import. With
    /// ``/AshlarImport/StoreImport/repairsData``, the report lists data that violates the model; otherwise such data
    /// throws an ``/AshlarImport/ImportError``. Custom stages of a migration do not run;
    /// ``/AshlarImport/ImportReport/missingStage`` names the first.
    ///
    ///     let report = try ModelContainer.plannedImport(of: StoreImport(url: oldURL), for: PhotoFeedModel.self)
    ///
    /// - Parameters:
    ///   - old: The old store and the options of the import. The old store is not changed.
    ///   - model: The model that the program is built with.
    /// - Throws: The errors of ``importStore(_:to:for:migration:progress:)``.
    public static func plannedImport(
        of old: StoreImport, for model: any ManagedObjectModel.Type
    ) throws -> ImportReport {
        try plannedImport(of: old, for: model.modelDescription, progress: nil)
    }

    /// Returns the report that importing a store would produce.
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
