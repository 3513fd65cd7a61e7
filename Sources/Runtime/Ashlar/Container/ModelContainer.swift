import AshlarSQLite
public import SystemFoundation

/// One or several open stores, for any number of contexts on any number of tasks.
///
/// Create one container for each store when the program starts, and keep it. One connection writes, and as many as
/// needed read, all in WAL mode: readers never wait for the writer, nor the writer for readers.
///
///     let container = try ModelContainer(for: PhotoFeedModel.self)
///     let context = ModelContext(container)
///     context.insert(Post(timestamp: .now, title: "Great Wall"))
///     try context.save()
///
/// A committed save survives a crash of the process. After a power failure the newest saves may be missing, but never a
/// part of one; see ``StoreOptions/synchronous``. The counterparts are SwiftData's `ModelContainer` and Core Data's
/// `NSPersistentContainer`.
public final class ModelContainer: Sendable {
    /// The open stores, in the order of their configurations; there is at least one.
    ///
    ///     for store in container.stores { print(store.storeIdentifier) }
    public let stores: [PersistentStore]
    /// The configuration that the first store was opened with.
    ///
    /// ``configurations`` has those of all stores.
    public let configuration: ModelConfiguration
    /// The description of the model: its entities with their properties, for generic code.
    ///
    ///     for entity in container.model.entities { print(entity.name) }
    public let model: ModelDescription
    /// The reports of the stores that were imported when this container opened, for the product `AshlarImport`.
    package let reportsOfImports: [any Sendable]

    let pool: ConnectionPool
    /// The store of each entity.
    let placement: StorePlacement
    /// Notifies contexts and observers of saves.
    let hub: SaveHub
    /// The pinned states of the store.
    let generations: QueryGenerations
    /// The sizes of the store's R-trees.
    let statistics: StoreStatistics
    /// The temporary listeners for the statements of the container's contexts.
    package let statementListeners: StatementListeners
    @MainActor var main: MainContext?

    /// Opens the store in a file. Creates it if it is missing, and migrates it if its version is older.
    ///
    ///     let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
    ///
    /// - Parameters:
    ///   - model: The generated model.
    ///   - url: The store's file.
    /// - Throws: ``StoreError`` if the store cannot be created, opened or migrated. An existing file is as it was then.
    public convenience init(for model: any ManagedObjectModel.Type, at url: URL) throws {
        try self.init(for: model, configurations: [ModelConfiguration(url: url)])
    }

    /// Opens the store with the model's name in ``ModelConfiguration/defaultDirectory``.
    ///
    ///     let container = try ModelContainer(for: PhotoFeedModel.self)   // …/PhotoFeed.store
    ///
    /// The store is created if it is missing, and migrated if its version is older.
    ///
    /// - Parameter model: The generated model.
    /// - Throws: ``StoreError`` if the store cannot be created, opened or migrated. An existing file is as it was then.
    public convenience init(for model: any ManagedObjectModel.Type) throws {
        try self.init(for: model, configurations: [])
    }

    /// Opens one or several stores with configurations.
    ///
    ///     let container = try ModelContainer(
    ///         for: NotesModel.self,
    ///         configurations: ModelConfiguration(configuration: NotesModel.Configuration.cloud),
    ///         ModelConfiguration("Local"))
    ///
    /// Each store holds the entities of its model configuration that no store before it holds. A store without a model
    /// configuration holds all the rest. A save of objects in several stores is one transaction; Store.md describes the
    /// effects of a power failure.
    ///
    /// - Parameters:
    ///   - model: The generated model.
    ///   - configurations: One configuration for each store.
    /// - Throws: ``StoreError``. Stores that were opened before the error are up to date; the others are as they were.
    ///   If a configuration imports a store that Core Data wrote, also an `ImportError` of `AshlarImport`.
    public convenience init(
        for model: any ManagedObjectModel.Type, configurations: ModelConfiguration...
    ) throws {
        try self.init(for: model, configurations: configurations)
    }

    /// Opens one or several stores with an array of configurations.
    ///
    /// An empty array opens the store with the model's name in ``ModelConfiguration/defaultDirectory``.
    ///
    ///     let container = try ModelContainer(for: PhotoFeedModel.self, configurations: [configuration])
    ///
    /// - Parameters:
    ///   - model: The generated model.
    ///   - configurations: One configuration for each store.
    /// - Throws: ``StoreError``. Stores that were opened before the error are up to date; the others are as they were.
    ///   If a configuration imports a store that Core Data wrote, also an `ImportError` of `AshlarImport`.
    public convenience init(for model: any ManagedObjectModel.Type, configurations: [ModelConfiguration]) throws {
        let model = model.modelDescription
        self.init(try StoresOpener(model: model, configurations: configurations).open(), model)
    }

    /// Opens a store, and migrates it with the custom stages of a plan.
    ///
    ///     let container = try ModelContainer(for: PhotoFeedModel.self, migrationPlan: PhotoFeedMigrations.self)
    ///
    /// - Parameters:
    ///   - model: The generated model.
    ///   - plan: The program's own migration stages.
    ///   - configuration: The store to open. Nil stands for the store with the model's name in
    ///     ``ModelConfiguration/defaultDirectory``.
    /// - Throws: ``StoreError``, or the error of a stage. An existing file is as it was then.
    public convenience init(
        for model: any ManagedObjectModel.Type, migrationPlan plan: any SchemaMigrationPlan.Type,
        configurations configuration: ModelConfiguration? = nil
    ) throws {
        var configuration = configuration ?? ModelConfiguration(model.modelDescription.name)
        configuration.migration.plan = plan
        try self.init(for: model, configurations: configuration)
    }

    /// Creates a container of stores that were opened.
    init(_ opened: StoresOpener.Opened, _ model: ModelDescription) {
        configuration = opened.stores[0].configuration
        self.model = model
        pool = opened.pool
        stores = opened.stores
        reportsOfImports = opened.importReports
        placement = StorePlacement(opened.stores, of: model)
        hub = SaveHub()
        generations = opened.pool.generations
        statistics = StoreStatistics()
        statementListeners = StatementListeners()
        // The first read would report an error of this call, too.
        _ = pool.writeIfFree { try? noteForeignCommits($0) }
    }

    /// Creates another container of the same open stores, for a context that a container itself holds.
    init(sharing container: ModelContainer) {
        configuration = container.configuration
        model = container.model
        pool = container.pool
        stores = container.stores
        reportsOfImports = container.reportsOfImports
        placement = container.placement
        hub = container.hub
        generations = container.generations
        statistics = container.statistics
        statementListeners = container.statementListeners
    }

    /// The configurations that the stores were opened with, in the order of ``stores``.
    ///
    ///     let urls = container.configurations.map(\.url)
    public var configurations: [ModelConfiguration] { stores.map(\.configuration) }

    /// The UUID of the first store, which is created with the store and kept through all migrations.
    ///
    ///     print(container.storeIdentifier)
    public var storeIdentifier: String { stores[0].storeIdentifier }

    /// Returns the store that holds the objects of an entity, or nil if none does.
    ///
    /// Core Data's counterpart is the `persistentStore` of an `NSManagedObjectID`.
    ///
    ///     let isWritable = container.store(of: Post.self) != nil && !container.isReadOnly
    ///
    /// - Parameter model: The entity's class.
    public func store(of model: (some PersistentModel).Type) -> PersistentStore? {
        let entity = model._ashlarEntity
        return self.model.contains(entity) ? placement.store(of: entity.number.root).map { stores[$0] } : nil
    }

    /// Returns the store that holds the object of an identifier, or nil if it is in none of the container's stores.
    ///
    ///     let home = container.store(of: post.persistentModelID)
    ///
    /// - Parameter identifier: The object's identifier.
    public func store(of identifier: PersistentIdentifier) -> PersistentStore? {
        stores.first { $0.storeIdentifier == identifier.storeIdentifier }
    }

    /// Whether none of the container's stores can be written.
    ///
    /// Saves then throw ``SaveError/readOnly``.
    ///
    ///     if container.isReadOnly { print("Changes cannot be saved.") }
    public var isReadOnly: Bool { pool.isReadOnly }

    /// Reads on a connection of its own, or in a pinned state. The description of the operation becomes part of an
    /// error.
    func read(
        _ doing: @autoclosure () -> String, in generation: QueryGeneration? = nil, _ body: (Connection) throws -> Void
    ) throws {
        try saying(doing()) {
            if let generation { return try generation.read(body) }
            try pool.lendReader(to: body)
        }
    }

    /// Runs a closure that reads, and adds the description of the operation to its error.
    func saying(_ doing: @autoclosure () -> String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as SQLiteError {
            if let suspended = pool.suspensionError(error) { throw suspended }
            // With several stores, SQLite does not report which one is damaged.
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
    /// Returns whether two containers share the same open store.
    public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left.pool === right.pool }
}
