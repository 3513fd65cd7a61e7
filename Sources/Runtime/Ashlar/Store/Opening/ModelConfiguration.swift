import AshlarSQLite
public import SystemFoundation

/// The place of a store and the options to open it with.
///
///     var configuration = ModelConfiguration(url: url)
///     configuration.options.historyTracking = true
///     let container = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration)
///
/// The counterparts are SwiftData's `ModelConfiguration` and Core Data's `NSPersistentStoreDescription`.
public struct ModelConfiguration: Sendable, Hashable, Identifiable {
    /// The configuration's name. It defaults to the file's name without its extension.
    public var name: String
    /// The store's file; `/dev/null` for a store in memory.
    public var url: URL
    /// Whether the store is in memory, and disappears with its container.
    public var isStoredInMemoryOnly: Bool
    /// The configuration of the model whose entities the store holds.
    ///
    /// Nil, the default, stands for all entities that no earlier store of the container holds. The counterparts are
    /// SwiftData's `schema` and the `configuration` of Core Data's `NSPersistentStoreDescription`.
    public var configuration: ModelDescription.Configuration?
    /// Whether the store may be created, migrated and written; it defaults to true.
    public var allowsSave: Bool
    /// The options of SQLite and of the history.
    ///
    ///     configuration.options.busyTimeout = .seconds(10)
    public var options: StoreOptions
    /// The options for migrating a store of an older version.
    ///
    ///     configuration.migration.isAutomatic = false
    public var migration = MigrationOptions()
    /// The observer of the statements that contexts execute, unless a context has its own.
    ///
    /// It defaults to the observer that the environment variable `ASHLAR_SQL_DEBUG` specifies, and to nil without it.
    ///
    ///     configuration.statementObserver = StatementObserver { event in print(event.sql) }
    public var statementObserver: StatementObserver? = StatementObserver.environment
    /// The import that fills the store if it does not exist yet; the product `AshlarImport` sets it.
    package var storeImport: AnyStoreImport?
    /// Whether the store's folder is made when it does not exist.
    var makesFolder = false

    /// The store's file, the same as ``url``.
    public var id: URL { url }

    /// The size in bytes from which a value with external storage gets a file of its own in ``externalDataFolder``.
    ///
    /// It defaults to 102,400. Smaller values are read faster from their rows. Values that are already stored stay
    /// where they are.
    public var externalStorageThreshold = usualExternalStorageThreshold
    static let usualExternalStorageThreshold = 102_400

    /// Creates the configuration of a store in a file, whose folder must exist.
    ///
    ///     let configuration = ModelConfiguration(url: url)
    ///
    /// `/dev/null` stands for a store in memory, as in Core Data.
    ///
    /// - Parameters:
    ///   - name: The configuration's name. It defaults to the file's name without its extension.
    ///   - configuration: The configuration of the model whose entities the store holds.
    ///   - url: The file.
    ///   - allowsSave: Whether the store may be created, migrated and written.
    ///   - options: The options of SQLite and of the history.
    public init(
        _ name: String? = nil, configuration: ModelDescription.Configuration? = nil, url: URL,
        allowsSave: Bool = true, options: StoreOptions = StoreOptions()
    ) {
        self.name = name ?? Self.name(of: url)
        self.configuration = configuration
        self.url = url
        // Making a path takes as long as a statement, so only a URL with this last component needs one.
        self.isStoredInMemoryOnly = url.lastPathComponent == "null" && url.path == "/dev/null"
        self.allowsSave = allowsSave
        self.options = options
    }

    /// Returns the file's name without its extension. Making a URL without the extension takes as long as a statement.
    private static func name(of url: URL) -> String {
        let name = url.lastPathComponent
        guard let point = name.lastIndex(of: "."), point > name.startIndex else { return name }
        let pathExtension = name[name.index(after: point)...]
        // An extension is not empty and has no spaces.
        if pathExtension.isEmpty || pathExtension.contains(" ") { return url.deletingPathExtension().lastPathComponent }
        return String(name[..<point])
    }

    /// Creates the configuration of a store in memory, or of a store by its name in a folder.
    ///
    /// The file is `name` with the extension `store`. The folder is created if it does not exist.
    ///
    ///     let inMemory = ModelConfiguration(isStoredInMemoryOnly: true)
    ///     let named = ModelConfiguration("Photos", directory: directory)
    ///
    /// - Parameters:
    ///   - name: The file's name without its extension. It defaults to that of the model's configuration, or else to
    ///     `default`. A `/` in it becomes `:`.
    ///   - configuration: The configuration of the model whose entities the store holds.
    ///   - directory: The folder. It defaults to ``defaultDirectory``.
    ///   - isStoredInMemoryOnly: Whether the store is in memory, and disappears with its container.
    ///   - allowsSave: Whether the store may be created, migrated and written.
    ///   - options: The options of SQLite and of the history.
    public init(
        _ name: String? = nil, configuration: ModelDescription.Configuration? = nil, directory: URL? = nil,
        isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true, options: StoreOptions = StoreOptions()
    ) {
        let name = name ?? configuration?.name ?? "default"
        self.name = name
        self.configuration = configuration
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        self.allowsSave = allowsSave
        self.options = options
        if isStoredInMemoryOnly {
            url = URL(fileURLWithPath: "/dev/null")
        } else {
            let file = name.replacing("/", with: ":") + ".store"
            url = (directory ?? Self.defaultDirectory).appendingPathComponent(file)
            makesFolder = true
        }
    }
}
