public import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// A store that is open, for any number of contexts on any number of tasks.
///
/// One connection writes and as many as are needed read, each of them in WAL mode: readers never wait for the writer,
/// nor it for them. A committed save survives the death of the process. After a power failure the newest saves may be
/// missing, never a part of one; see ``StoreOptions/synchronous``.
///
/// SwiftData's `ModelContainer`, Core Data's `NSPersistentContainer`.
public final class ModelContainer: Sendable {
    /// The configuration that the store was opened with.
    public let configuration: ModelConfiguration
    /// The description of the model.
    public let model: ModelDescription
    /// The store's UUID, made with the store and kept through all migrations.
    public let storeIdentifier: String

    let pool: ConnectionPool
    private let token: OpenStores.Token?
    @usableFromInline let storeNumber: UInt32
    /// Tells of saves.
    let hub: SaveHub
    /// The states of the store at which contexts stay.
    let generations: QueryGenerations
    /// The sizes of the store's R-trees.
    let statistics: StoreStatistics
    @MainActor var main: MainContext?

    /// Opens a store in a file: makes it when there is none, and migrates it when it is of an older version.
    ///
    ///     let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
    ///
    /// - Throws: ``StoreError``. The file is as it was then.
    public convenience init(for model: any ManagedObjectModel.Type, at url: URL) throws {
        try self.init(for: model, configurations: ModelConfiguration(url: url))
    }

    /// Opens the store that is named as the model, in ``ModelConfiguration/defaultDirectory``.
    ///
    ///     let container = try ModelContainer(for: PhotoFeedModel.self)   // …/PhotoFeed.store
    ///
    /// - Throws: ``StoreError``. The file is as it was then.
    public convenience init(for model: any ManagedObjectModel.Type) throws {
        try self.init(for: model, configurations: ModelConfiguration(model.modelDescription.name))
    }

    /// Opens a store as a configuration says.
    ///
    /// - Throws: ``StoreError``. The file is as it was then.
    public convenience init(
        for model: any ManagedObjectModel.Type, configurations configuration: ModelConfiguration
    ) throws {
        let description = model.modelDescription
        self.init(
            try StoreOpener(model: description, configuration: configuration).open(), description, configuration)
    }

    /// Makes a container of a store that was opened.
    init(_ opened: StoreOpener.Opened, _ model: ModelDescription, _ configuration: ModelConfiguration) {
        self.configuration = configuration
        self.model = model
        pool = opened.pool
        token = opened.token
        storeIdentifier = opened.storeIdentifier
        storeNumber = StoreRegistry.shared.register(storeIdentifier: opened.storeIdentifier, model: model)
        hub = SaveHub()
        generations = QueryGenerations()
        statistics = StoreStatistics()
    }

    /// Makes another container of the same open store, for a context that a container itself holds.
    init(sharing container: ModelContainer) {
        configuration = container.configuration
        model = container.model
        pool = container.pool
        token = container.token
        storeIdentifier = container.storeIdentifier
        storeNumber = container.storeNumber
        hub = container.hub
        generations = container.generations
        statistics = container.statistics
    }

    /// Whether the store cannot be written.
    public var isReadOnly: Bool { pool.isReadOnly }

    /// Reads on a connection of one's own, or in a state of the store, and says of an error what was being done.
    func read<Result>(
        _ doing: @autoclosure () -> String, in generation: QueryGeneration? = nil,
        _ body: (Connection) throws -> Result
    ) throws -> Result {
        do {
            if let generation { return try generation.read(body) }
            return try pool.read(body)
        } catch let error as SQLiteError {
            if error.code == SQLITE_CORRUPT { throw StoreError.damaged(configuration.url, error) }
            throw StoreError.sqlite(error, doing: doing())
        }
    }
}

extension ModelContainer: Equatable {
    /// Whether two containers are of the same open store.
    public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left.pool === right.pool }
}
