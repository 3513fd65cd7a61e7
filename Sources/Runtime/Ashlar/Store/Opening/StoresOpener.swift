import AshlarSQLite
import SystemFoundation

/// Opens the stores of a container.
///
/// A single store is opened directly. Several stores are first opened, created, migrated and repaired one by one. Then
/// connections with an empty database of their own attach all of them. Each table is in only one store, so that its
/// name needs no schema name.
struct StoresOpener {
    /// Stores that are ready for use.
    struct Opened {
        var pool: ConnectionPool
        var stores: [PersistentStore]
        var importReports: [any Sendable] = []
    }

    let model: ModelDescription
    let configurations: [ModelConfiguration]
    private let monitor: MigrationMonitor

    /// - Parameters:
    ///   - configurations: The configurations of the stores. If there are none, the store has the name of the model.
    ///   - monitor: Receives the progress of migrations, and may cancel them.
    init(model: ModelDescription, configurations: [ModelConfiguration], monitor: MigrationMonitor = MigrationMonitor())
    {
        self.model = model
        self.configurations = configurations.isEmpty ? [ModelConfiguration(model.name)] : configurations
        self.monitor = monitor
    }

    /// Opens the stores.
    ///
    /// - Throws: ``StoreError``. Stores that were opened before the error are up to date then, and the others are
    ///   unchanged.
    func open() throws -> Opened {
        try model.checkEntities()
        let contents = try StoreContent.contents(of: model, configurations)
        let openers = zip(contents, configurations).map { StoreOpener($0, $1, monitor: monitor) }
        if openers.count == 1 {
            let opened = try open(openers[0])
            let store = opened.store(openers[0], pool: opened.pool, schemaName: "main")
            return Opened(
                pool: opened.pool, stores: [store], importReports: [opened.importReport].compactMap(\.self))
        }
        try Self.checkCount(configurations.count)
        try checkFiles()
        let opened = try openers.map { try open($0) }
        // The stores stay open until they are attached, so that no file is removed in between.
        return try withExtendedLifetime(opened) { try attach(zip(openers, opened).map { ($0, $1) }) }
    }

    private func open(_ opener: StoreOpener) throws -> StoreOpener.Opened {
        do {
            return try opener.open()
        } catch StoreError.unknownVersion(let url, let version, let differences) {
            guard opener.configuration.migration.rebuildsEditedVersions, Self.isDebugBuild,
                model.versions.contains(where: { $0.name == version })
            else { throw StoreError.unknownVersion(url, version: version, differences: differences) }
            try ExclusiveStore(url, doing: "rebuilding the store").remove()
            return try opener.open()
        }
    }

    private static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// Throws if SQLite cannot attach so many stores.
    static func checkCount(_ count: Int) throws {
        let probe = try Connection(path: ":memory:", flags: SQLITE_OPEN_READWRITE)
        let limit = probe.limit(SQLITE_LIMIT_ATTACHED)
        if count > limit { throw StoreError.tooManyStores(count: count, limit: limit) }
    }

    private func checkFiles() throws(StoreError) {
        var paths: Set<String> = []
        for configuration in configurations where !configuration.isStoredInMemoryOnly {
            guard paths.insert(OpenStores.path(configuration.url)).inserted else {
                throw .duplicateStore(configuration.url)
            }
        }
    }

    // MARK: Attaching

    /// A store that is to be attached.
    private struct Attachment: Sendable {
        var schemaName: String
        var file: StoreFile
        var options: StoreOptions
        /// Nil for a store in memory.
        var uri: String?
        var isUnlocked: Bool
    }

    private func attach(_ opened: [(opener: StoreOpener, store: StoreOpener.Opened)]) throws -> Opened {
        // The order of the files, unlike that of the configurations, is the same for all processes.
        let order = configurations.indices.sorted {
            OpenStores.path(configurations[$0].url) < OpenStores.path(configurations[$1].url)
        }
        var names = [String](repeating: "", count: configurations.count)
        // Names with another number of digits would sort differently. SQLite attaches at most 125.
        for (number, index) in order.enumerated() { names[index] = "store\(100 + number)" }
        let attachments = order.map { index in
            let configuration = configurations[index]
            let file = StoreFile(url: configuration.url)
            let access = opened[index].store.pool.isReadOnly ? file.readingAccess : nil
            return Attachment(
                schemaName: names[index], file: file, options: configuration.options,
                uri: configuration.isStoredInMemoryOnly ? nil : file.uri(access), isUnlocked: access == .unlocked)
        }
        let options = configurations[0].options
        do {
            let writer = try Self.connect(attachments, options, trustsSchema: model.needsTrustedSchema)
            for (index, name) in names.enumerated() where configurations[index].isStoredInMemoryOnly {
                try opened[index].store.pool.write { _ = try $0.copy(to: writer, name) }
            }
            try writer.execute("PRAGMA foreign_keys = ON")
            for (index, name) in names.enumerated() where !opened[index].store.pool.isReadOnly {
                guard let folder = ExternalDataFolder(of: writer.database, schemaName: name) else { continue }
                writer.state.externalDataOfStores[name] = ExternalDataWriter(
                    folder: folder, threshold: configurations[index].externalStorageThreshold, schemaName: name)
            }
            let tracked = names.indices.filter { opened[$0].store.pool.history != nil }
            if !tracked.isEmpty { writer.state.history = HistoryRecorder(schemaNames: tracked.map { names[$0] }) }
            for (index, name) in names.enumerated() {
                writer.state.identifierRanges[name] = opened[index].store.identifierRange
            }
            let isReadOnly = opened.allSatisfy(\.store.pool.isReadOnly)
            let findings = StoreFindings()
            let watches = names.indices.compactMap { index in
                opened[index].store.watch.map { StoreWatch($0, schemaName: names[index], findings: findings) }
            }
            let hasMemory = configurations.contains(where: \.isStoredInMemoryOnly)
            writer.watch(watches, isReader: hasMemory)
            let connect: @Sendable () throws(SQLiteError) -> Connection = { () throws(SQLiteError) in
                let reader = try Self.connect(attachments, options)
                try reader.execute("PRAGMA query_only = ON")
                reader.watch(watches, isReader: true)
                return reader
            }
            let sources = Self.sources(
                attachments, options, trustsSchema: model.needsTrustedSchema, openReader: hasMemory ? nil : connect)
            let pool = ConnectionPool(
                writer: writer, configurations[0], isReadOnly: isReadOnly, findings: findings,
                sources: sources)
            let stores = opened.indices.map {
                opened[$0].store.store(opened[$0].opener, pool: pool, schemaName: names[$0])
            }
            return Opened(
                pool: pool, stores: stores, importReports: opened.compactMap { $0.store.importReport })
        } catch let error as SQLiteError {
            throw StoreError.sqlite(error, doing: "attaching the stores of a container")
        }
    }

    /// Returns the closures that open the connections again after a suspension. Stores in memory have no file, and are
    /// copied meanwhile.
    private static func sources(
        _ attachments: [Attachment], _ options: StoreOptions, trustsSchema: Bool,
        openReader: (@Sendable () throws(SQLiteError) -> Connection)?
    ) -> ConnectionSources {
        let inMemory = attachments.filter { $0.uri == nil }
        var sources = ConnectionSources(openReader: openReader)
        // If all stores are in memory, a suspension does nothing.
        if inMemory.count == attachments.count { return sources }
        sources.openWriter = { memory throws(SQLiteError) in
            let writer = try connect(attachments, options, trustsSchema: trustsSchema)
            if let memory {
                for store in inMemory { _ = try memory.copy(store.schemaName, to: writer, store.schemaName) }
            }
            try writer.execute("PRAGMA foreign_keys = ON")
            return writer
        }
        guard !inMemory.isEmpty else { return sources }
        sources.keepMemory = { writer throws(SQLiteError) in
            let memory = try connect(inMemory, options, trustsSchema: trustsSchema)
            for store in inMemory { _ = try writer.copy(store.schemaName, to: memory, store.schemaName) }
            return memory
        }
        return sources
    }

    private static func connect(
        _ attachments: [Attachment], _ options: StoreOptions, trustsSchema: Bool = false
    ) throws(SQLiteError) -> Connection {
        let connection = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI,
            busyTimeout: options.busyMilliseconds)
        try options.prepare(connection, trustsSchema: trustsSchema)
        if attachments.contains(where: \.options.isUntrusted) { try connection.distrustFile() }
        // Attaching a store reads it, so the locking mode must be set before.
        let unlocked = attachments.filter(\.isUnlocked)
        if !unlocked.isEmpty { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
        for attachment in unlocked { try attach(attachment, to: connection) }
        if !unlocked.isEmpty { try connection.execute("PRAGMA locking_mode = NORMAL") }
        for attachment in unlocked {
            try connection.execute("PRAGMA \(attachment.schemaName).locking_mode = EXCLUSIVE")
        }
        for attachment in attachments where !attachment.isUnlocked { try attach(attachment, to: connection) }
        for attachment in attachments {
            try attachment.options.prepare(connection, schemaName: attachment.schemaName)
            if attachment.uri == nil {
                try connection.execute("PRAGMA \(attachment.schemaName).page_size = \(attachment.options.pageSize)")
            }
        }
        connection.forgetStatements()
        return connection
    }

    private static func attach(_ attachment: Attachment, to connection: Connection) throws(SQLiteError) {
        let statement = try connection.statement("ATTACH DATABASE ?1 AS \(attachment.schemaName)")
        statement.bind(attachment.uri ?? ":memory:", 1)
        try statement.run()
    }
}

extension StoreOpener.Opened {
    /// Returns the store as one of a container's.
    fileprivate func store(_ opener: StoreOpener, pool: ConnectionPool, schemaName: String) -> PersistentStore {
        PersistentStore(
            configuration: opener.configuration, storeIdentifier: storeIdentifier, isReadOnly: self.pool.isReadOnly,
            entityNames: opener.content.entityNames, pool: pool, schemaName: schemaName, token: token,
            fullTextTables: opener.content.model.fullTextTables,
            oneToOneReferences: opener.content.model.oneToOneReferences(of: opener.content.entityNames),
            treeReferences: opener.content.model.treeReferences(of: opener.content.entityNames))
    }
}

extension StoreFile {
    /// Returns the file as a URI for `ATTACH`, which fails if the file is missing.
    fileprivate func uri(_ access: ReadingAccess?) -> String {
        switch access {
        case nil: path(with: "mode", "rw")
        case .shared: path(with: "mode", "ro")
        case .immutable: path(with: "immutable", "1") + "&mode=ro"
        case .unlocked: path(with: "vfs", "unix-none") + "&mode=ro"
        }
    }
}
