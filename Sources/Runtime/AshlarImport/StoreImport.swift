public import SystemFoundation

/// A store of Core Data or SwiftData that is imported when a configuration is first opened.
///
///     var configuration = ModelConfiguration(url: url, importing: oldURL)
///     configuration.importing?.repairsData = true
///     let container = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration)
///     for report in container.importReports { print(report) }
///
/// See <doc:MovingFromCoreData>.
public struct StoreImport: Sendable, Hashable {
    /// The store's file.
    ///
    /// It may be the file of the configuration itself. The old store is then kept in a folder beside it; see
    /// ``/Ashlar/ModelContainer/originalStore(at:)``.
    public var url: URL
    /// Whether data that violates the model is repaired. It defaults to false: the import fails with ``ImportError``.
    ///
    /// A value becomes nil or the model's default. If neither is possible, the object is left out. References and pairs
    /// without a destination are left out too. The report lists all repairs.
    public var repairsData = false
    /// Whether every page of the old store is checked first. It defaults to true.
    ///
    /// The check takes as long as reading the store. Without it, SQLite may miss rows of a damaged file without an
    /// error.
    public var checksIntegrity = true
    /// Whether the persistent history is imported and continued. It defaults to false.
    ///
    /// The transactions keep their order, times, authors and changes; see ``/Ashlar/ModelContainer/fetchHistory(_:)``.
    /// If ``/Ashlar/StoreOptions/historyTracking`` is false, opening the new store deletes it.
    public var includesHistory = false

    /// Creates an import of a file.
    ///
    ///     configuration.importing = StoreImport(url: oldURL)
    ///
    /// - Parameter url: The file of the old store.
    public init(url: URL) { self.url = url }
}
