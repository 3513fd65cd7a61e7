import AshlarSQLite
public import SystemFoundation

/// Where a container keeps its store, and how. SwiftData's `ModelConfiguration`, Core Data's
/// `NSPersistentStoreDescription`.
public struct ModelConfiguration: Sendable, Hashable, Identifiable {
    /// The configuration's name; that of the file without its extension, where none was given.
    public var name: String
    /// The store's file; `/dev/null` for a store in memory.
    public var url: URL
    /// Whether the store is in memory, and goes when its container goes.
    public var isStoredInMemoryOnly: Bool
    /// The configuration of the model whose entities the store holds; all that no store before it holds when nil.
    ///
    /// A container may have several stores, each with a configuration. SwiftData's `schema`, the `configuration` of Core
    /// Data's `NSPersistentStoreDescription`.
    public var configuration: ModelDescription.Configuration?
    /// Whether the store is made when it does not exist, migrated when it is old, and written.
    public var allowsSave: Bool
    /// SQLite's settings.
    public var options: StoreOptions
    /// How a store of an older version is brought up to date.
    public var migration = MigrationOptions()
    /// Who is told of the statements that contexts run, unless a context has another observer. At first what the
    /// environment variable `ASHLAR_SQL_DEBUG` asks for, and nobody without it.
    public var statementObserver: StatementObserver? = StatementObserver.environment
    /// The store that Core Data or SwiftData wrote of which this one is made when there is none yet; nil for a store that begins
    /// empty. It may be the very file at ``url``.
    ///
    /// The old store is opened as long as there is no new one, and nothing of it is changed; where there is neither, the new
    /// one begins empty. A store in memory, or one that is only read, imports nothing. What was imported is in
    /// ``ModelContainer/importReports``. Opening throws ``ImportError`` where the old store cannot be imported.
    /// ``ModelContainer/removeImportedStore(for:)`` removes it once you do not need it any more.
    public var importing: StoreImport?
    /// Whether the store's folder is made when it does not exist.
    var makesFolder = false

    /// The configuration's file.
    public var id: URL { url }

    /// The size in bytes from which on a value of a binary attribute with external storage gets a file of its own in
    /// ``externalDataFolder``; smaller ones are read faster from their rows. 102,400 unless said otherwise. Values that
    /// are stored already stay where they are.
    public var externalStorageThreshold = usualExternalStorageThreshold
    static let usualExternalStorageThreshold = 102_400

    /// A store in a file. Its folder must exist.
    ///
    ///     let configuration = ModelConfiguration(url: url, importing: oldURL)
    ///
    /// `/dev/null` stands for a store in memory, as it does for Core Data.
    ///
    /// - Parameters:
    ///   - name: The configuration's name; when nil, the file's without its extension.
    ///   - configuration: The configuration of the model whose entities the store holds.
    ///   - url: The file.
    ///   - oldURL: The file of a store that Core Data or SwiftData wrote, of which the store is made when there is none yet;
    ///     see ``importing``.
    ///   - allowsSave: Whether anything may be written.
    ///   - options: What SQLite is told, and whether the history is kept.
    public init(
        _ name: String? = nil, configuration: ModelDescription.Configuration? = nil, url: URL,
        importing oldURL: URL? = nil, allowsSave: Bool = true, options: StoreOptions = StoreOptions()
    ) {
        importing = oldURL.map { StoreImport(url: $0) }
        self.name = name ?? Self.name(of: url)
        self.configuration = configuration
        self.url = url
        // A path takes as long to make as a statement, and is not asked for where the last part tells.
        self.isStoredInMemoryOnly = url.lastPathComponent == "null" && url.path == "/dev/null"
        self.allowsSave = allowsSave
        self.options = options
    }

    /// The file's name without its extension. A URL without the extension takes as long to make as a statement.
    private static func name(of url: URL) -> String {
        let name = url.lastPathComponent
        guard let point = name.lastIndex(of: "."), point > name.startIndex else { return name }
        let pathExtension = name[name.index(after: point)...]
        // Not all that follows a point is an extension.
        if pathExtension.isEmpty || pathExtension.contains(" ") { return url.deletingPathExtension().lastPathComponent }
        return String(name[..<point])
    }

    /// A store in memory; or the file `name` with the extension `store` in a folder, which is made when it does not
    /// exist.
    ///
    /// - Parameters:
    ///   - name: The file's name without its extension; when nil, that of the configuration of the model, else
    ///     `default`. A `/` in it becomes `:`, so that it never leads elsewhere.
    ///   - configuration: The configuration of the model whose entities the store holds.
    ///   - directory: The folder; ``defaultDirectory`` when nil.
    ///   - isStoredInMemoryOnly: Whether there is no file: the store is gone with its container.
    ///   - allowsSave: Whether anything may be written.
    ///   - options: What SQLite is told, and whether the history is kept.
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
