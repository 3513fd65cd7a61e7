import AshlarSQLite
public import SystemFoundation

/// A store that is open, or several, for any number of contexts on any number of tasks.
///
/// One connection writes and as many as are needed read, each of them in WAL mode: readers never wait for the writer,
/// nor it for them. A committed save survives the death of the process. After a power failure the newest saves may be
/// missing, never a part of one; see ``StoreOptions/synchronous``.
///
/// SwiftData's `ModelContainer`, Core Data's `NSPersistentContainer`.
public final class ModelContainer: Sendable {
    /// The stores, in the order of their configurations. There is one at least.
    public let stores: [PersistentStore]
    /// The configuration that the store was opened with; of several stores, the first.
    public let configuration: ModelConfiguration
    /// The description of the model.
    public let model: ModelDescription
    /// What was imported from stores that Core Data or SwiftData wrote when this container opened its stores; empty mostly.
    public let importReports: [ImportReport]

    let pool: ConnectionPool
    /// Where the objects of each entity are.
    let placement: StorePlacement
    /// Tells of saves.
    let hub: SaveHub
    /// The states of the store at which contexts stay.
    let generations: QueryGenerations
    /// The sizes of the store's R-trees.
    let statistics: StoreStatistics
    /// Who listens to the statements of the container's contexts for a while.
    package let statementListeners: StatementListeners
    @MainActor var main: MainContext?

    /// Opens a store in a file: makes it when there is none, and migrates it when it is of an older version.
    ///
    ///     let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
    ///
    /// - Throws: ``StoreError``. The file is as it was then.
    public convenience init(for model: any ManagedObjectModel.Type, at url: URL) throws {
        try self.init(for: model, configurations: [ModelConfiguration(url: url)])
    }

    /// Opens the store that is named as the model, in ``ModelConfiguration/defaultDirectory``.
    ///
    ///     let container = try ModelContainer(for: PhotoFeedModel.self)   // …/PhotoFeed.store
    ///
    /// - Throws: ``StoreError``. The file is as it was then.
    public convenience init(for model: any ManagedObjectModel.Type) throws {
        try self.init(for: model, configurations: [])
    }

    /// Opens a store as a configuration says, or several.
    ///
    ///     let container = try ModelContainer(
    ///         for: NotesModel.self,
    ///         configurations: ModelConfiguration(configuration: NotesModel.Configuration.cloud),
    ///         ModelConfiguration("Local"))
    ///
    /// Each store has the entities of its model configuration that no store before it has; one without a model
    /// configuration has all the rest. A save of objects in several stores is one transaction. See Store.md for what a
    /// power failure may leave of it.
    ///
    /// - Throws: ``StoreError``, or ``ImportError`` where a configuration imports a store that Core Data wrote. A store that was
    ///   opened before the error is then up to date; the others are as they were.
    public convenience init(
        for model: any ManagedObjectModel.Type, configurations: ModelConfiguration...
    ) throws {
        try self.init(for: model, configurations: configurations)
    }

    /// Opens a store as a configuration says, or several; the store that is named as the model when there is none.
    ///
    /// - Throws: ``StoreError``, or ``ImportError`` where a configuration imports a store that Core Data wrote. A store that was
    ///   opened before the error is then up to date; the others are as they were.
    public convenience init(for model: any ManagedObjectModel.Type, configurations: [ModelConfiguration]) throws {
        let model = model.modelDescription
        self.init(try StoresOpener(model: model, configurations: configurations).open(), model)
    }

    /// Opens a store as a configuration says, and migrates it with the custom stages of a plan.
    ///
    /// - Parameters:
    ///   - model: The model that the program is built with.
    ///   - plan: The stages that the program has written itself.
    ///   - configuration: Where the store is; when nil, it is named as the model, in
    ///     ``ModelConfiguration/defaultDirectory``.
    /// - Throws: ``StoreError``, or what a stage throws. The file is as it was then.
    public convenience init(
        for model: any ManagedObjectModel.Type, migrationPlan plan: any SchemaMigrationPlan.Type,
        configurations configuration: ModelConfiguration? = nil
    ) throws {
        var configuration = configuration ?? ModelConfiguration(model.modelDescription.name)
        configuration.migration.plan = plan
        try self.init(for: model, configurations: configuration)
    }

    /// Makes a container of stores that were opened.
    init(_ opened: StoresOpener.Opened, _ model: ModelDescription) {
        configuration = opened.stores[0].configuration
        self.model = model
        pool = opened.pool
        stores = opened.stores
        importReports = opened.importReports
        placement = StorePlacement(opened.stores, of: model)
        hub = SaveHub()
        generations = opened.pool.generations
        statistics = StoreStatistics()
        statementListeners = StatementListeners()
        // An error of this would be met by the first read, too.
        _ = pool.writeIfFree { try? noteForeignCommits($0) }
    }

    /// Makes another container of the same open stores, for a context that a container itself holds.
    init(sharing container: ModelContainer) {
        configuration = container.configuration
        model = container.model
        pool = container.pool
        stores = container.stores
        importReports = container.importReports
        placement = container.placement
        hub = container.hub
        generations = container.generations
        statistics = container.statistics
        statementListeners = container.statementListeners
    }

    /// The configurations that the stores were opened with.
    public var configurations: [ModelConfiguration] { stores.map(\.configuration) }

    /// The store's UUID, made with the store and kept through all migrations; of several stores, the first.
    public var storeIdentifier: String { stores[0].storeIdentifier }

    /// The store that holds the objects of an entity; nil when none does. Core Data's `persistentStore` of an
    /// `NSManagedObjectID`.
    public func store(of model: (some PersistentModel).Type) -> PersistentStore? {
        let entity = model._ashlarEntity
        return self.model.contains(entity) ? placement.store(of: entity.number.root).map { stores[$0] } : nil
    }

    /// The store of the object that an identifier names; nil when it is in none of the container's.
    public func store(of identifier: PersistentIdentifier) -> PersistentStore? {
        stores.first { $0.storeIdentifier == identifier.storeIdentifier }
    }

    /// Whether the store cannot be written, or none of several.
    public var isReadOnly: Bool { pool.isReadOnly }

    /// Reads on a connection of one's own, or in a state of the store, and says of an error what was being done.
    func read(
        _ doing: @autoclosure () -> String, in generation: QueryGeneration? = nil, _ body: (Connection) throws -> Void
    ) throws {
        try saying(doing()) {
            if let generation { return try generation.read(body) }
            try pool.lendReader(to: body)
        }
    }

    /// Runs a closure that reads, and says of an error what was being done.
    func saying(_ doing: @autoclosure () -> String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as SQLiteError {
            if let suspended = pool.suspensionError(error) { throw suspended }
            // Of several stores SQLite does not say which.
            if error.code == SQLITE_CORRUPT, stores.count == 1 { throw StoreError.damaged(configuration.url, error) }
            if let entity = entityWithoutStore(error) { throw StoreError.entityWithoutStore(entity.name) }
            throw StoreError.sqlite(error, doing: doing())
        }
    }

    func read<Result>(_ doing: @autoclosure () -> String, _ body: (Connection) throws -> Result) throws -> Result {
        var result: Result?
        try read(doing()) { connection in result = try body(connection) }
        // The closure either ran to its end or threw.
        return result.unsafelyUnwrapped
    }
}

extension ModelContainer: Equatable {
    /// Whether two containers are of the same open store.
    public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left.pool === right.pool }
}
