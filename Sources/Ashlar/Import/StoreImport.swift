public import SystemFoundation

/// A store that Core Data or SwiftData wrote, which becomes the store of a configuration when that is first opened.
///
///     var configuration = ModelConfiguration(url: url, importing: oldURL)
///     configuration.importing?.repairsData = true
///     let container = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration)
///     for report in container.importReports { print(report) }
///
/// See <doc:MovingFromCoreData>.
public struct StoreImport: Sendable, Hashable {
    /// The store's file. It may be the very file that the configuration is about: the old one is then kept in a folder
    /// beside it, see ``ModelContainer/keptStore(at:)``.
    public var url: URL
    /// Whether data that the model does not allow is repaired: a value becomes nil or the model's default, and where it can be
    /// neither, the object is left out, as are references and pairs that lead nowhere. All of it is told in the report. False
    /// unless set, so that the import ends with ``ImportError``.
    public var repairsData = false
    /// Whether every page of the old store is checked first, which takes as long as reading it once more. True unless set:
    /// SQLite may otherwise miss rows of a damaged file without an error.
    public var checksIntegrity = true
    /// Whether the persistent history is brought too, and goes on in the new store: its transactions in their order, with times,
    /// authors and changes; see ``ModelContainer/fetchHistory(_:)``. False unless set. Where the old store has none, nothing is
    /// brought, and where ``StoreOptions/historyTracking`` is false, opening the new store forgets it.
    public var includesHistory = false

    /// Makes an import of a file.
    public init(url: URL) { self.url = url }
}
