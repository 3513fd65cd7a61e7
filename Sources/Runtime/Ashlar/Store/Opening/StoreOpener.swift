import AshlarSQLite
import SystemFoundation

/// Opens a store's file, or creates or migrates it, without changing files of other programs.
struct StoreOpener {
    /// A store that is ready for use.
    struct Opened {
        var pool: ConnectionPool
        var storeIdentifier: String
        /// The numbers that the store gives to new objects; nil if it may give any.
        var identifierRange: IdentifierRange?
        /// The token that prevents others in this process from removing the file; nil for a store in memory.
        var token: OpenStores.Token?
        /// The watch that detects actions of others on the store; nil for a store in memory.
        var watch: StoreWatch?
        /// The report of an import by this opening.
        var importReport: (any Sendable)?
    }

    let content: StoreContent
    let configuration: ModelConfiguration
    private let file: StoreFile
    /// The monitor of a migration, which receives its progress and may cancel it.
    let monitor: MigrationMonitor

    init(_ content: StoreContent, _ configuration: ModelConfiguration, monitor: MigrationMonitor = MigrationMonitor()) {
        self.content = content
        self.configuration = configuration
        self.monitor = monitor
        file = StoreFile(url: configuration.url)
    }

    /// Opens a store of all entities of a model.
    init(
        model: ModelDescription, configuration: ModelConfiguration, monitor: MigrationMonitor = MigrationMonitor()
    ) {
        self.init(StoreContent(allOf: model), configuration, monitor: monitor)
    }

    private var model: ModelDescription { content.model }
    static let neededSQLiteVersion: Int32 = 3_040_001

    private var url: URL { configuration.url }
    private var options: StoreOptions { configuration.options }

    /// - Throws: ``StoreError``. The file is unchanged then.
    func open() throws -> Opened {
        try Self.checkLibrary(number: SQLiteLibrary.versionNumber, version: SQLiteLibrary.version)
        try options.check()
        if configuration.isStoredInMemoryOnly { return try openInMemory() }
        if configuration.makesFolder, configuration.allowsSave { try makeFolder() }
        do {
            let report = try configuration.storeImport?.base.makeStore(of: configuration, content, monitor)
            let (token, found) = try OpenStores.shared.use(url) { try examine() }
            var attempts = 0
            while true {
                do {
                    var opened = try openFile(found)
                    opened.token = token
                    opened.importReport = report
                    return opened
                } catch is FileMoved where attempts < 100 {
                    attempts += 1
                }
            }
        } catch let error as SQLiteError {
            throw StoreError(error, url, doing: "opening the store", waited: options.busyTimeout)
        }
    }

    /// Throws when the SQLite library is one that Ashlar cannot use.
    static func checkLibrary(number: Int32, version: String) throws(StoreError) {
        if number < neededSQLiteVersion { throw .sqliteTooOld(found: version, needed: "3.40.1") }
    }

    private func openInMemory() throws -> Opened {
        do {
            let connection = try Connection(
                path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
            try options.prepare(connection, trustsSchema: model.needsTrustedSchema)
            try connection.execute("PRAGMA page_size = \(options.pageSize)")
            try connection.execute("PRAGMA foreign_keys = ON")
            let metadata = try create(connection)
            try trackHistory(connection)
            let pool = ConnectionPool(writer: connection, configuration, isReadOnly: !configuration.allowsSave)
            return Opened(pool: pool, storeIdentifier: metadata.storeIdentifier)
        } catch let error as SQLiteError {
            throw StoreError.sqlite(error, doing: "making a store in memory")
        }
    }

    // MARK: Files

    private func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw StoreError.missingFolder(url)
        }
    }

    /// The observed facts about a file.
    private struct Findings {
        var state: StoreFile.State
        var isWritable: Bool
    }

    /// Inspects the file before a connection that may write is made. Throws if the file is not a store of Ashlar.
    private func examine() throws -> Findings {
        let state = try file.state()
        switch state {
        case .missing:
            if !configuration.allowsSave { throw StoreError.missingFile(url) }
            guard file.hasWritableFolder else { throw StoreError.missingFolder(url) }
            return Findings(state: state, isWritable: true)
        case .unused:
            if !configuration.allowsSave { throw StoreError.missingFile(url) }
            guard file.isWritable else {
                throw StoreError.readOnly(url, reason: "the file is empty and cannot be written")
            }
            return Findings(state: state, isWritable: isWritable)
        case .store:
            let isWritable = isWritable
            // A connection that reads leaves files behind, and one that writes moves the log into the file.
            if !isWritable || !file.isWhole { _ = try file.readUnchanged(usableMetadata) }
            return Findings(state: state, isWritable: isWritable)
        }
    }

    /// Returns the metadata of a store; throws if the store must not be opened, and so not be changed.
    private func usableMetadata(_ connection: Connection) throws -> StoreMetadata {
        let metadata = try metadata(connection)
        _ = try migrator(of: metadata, isWritable: false).position(of: metadata, in: connection)
        try settlement(connection).refuseForeignObjects(metadata)
        return metadata
    }

    /// Opens the file. The findings are nil if this process already has it open, because the file was not inspected
    /// then.
    private func openFile(_ found: Findings?) throws -> Opened {
        let isWritable = found?.isWritable ?? (isWritable || canBeMade)
        return isWritable ? try openToWrite(isStore: found?.state == .store) : try openToRead()
    }

    /// Whether a file can be created because there is none, for example because it was removed while a container had it
    /// open.
    private var canBeMade: Bool {
        configuration.allowsSave && !FileSystem.exists(file.path) && file.hasWritableFolder
    }

    /// Whether an existing file can be written.
    private var isWritable: Bool { configuration.allowsSave && file.hasWritableFolder && file.isWritable }

    private func openToRead() throws -> Opened {
        let access = file.readingAccess
        let connect: @Sendable () throws(SQLiteError) -> Connection = { [file, options] () throws(SQLiteError) in
            try file.connectToRead(access, busyTimeout: options.busyMilliseconds)
        }
        let connection = try connect()
        let metadata = try patiently(connection) {
            try file.rollBackJournal()
            try options.prepare(connection)
            return try self.metadata(connection)
        }
        let current = try bringUpToDate(connection, metadata, isWritable: false)
        let findings = StoreFindings()
        let watch = StoreWatch(url, current, findings: findings)
        connection.watch([watch], isReader: false)
        let connectAgain: @Sendable () throws(SQLiteError) -> Connection = { [options] () throws(SQLiteError) in
            let connection = try connect()
            try options.prepare(connection)
            return connection
        }
        let pool = ConnectionPool(
            writer: connection, configuration, isReadOnly: true, findings: findings,
            sources: ConnectionSources(
                openReader: { () throws(SQLiteError) in
                    let reader = try connectAgain()
                    reader.watch([watch], isReader: true)
                    return reader
                }, openWriter: { _ throws(SQLiteError) in try connectAgain() }))
        return Opened(pool: pool, storeIdentifier: current.storeIdentifier, watch: watch)
    }

    /// The metadata of a store, in one state.
    private struct Reading {
        var metadata: StoreMetadata
        /// SQLite's own count of changes to the schema.
        var schemaVersion: Int64?
        var isTracked: Bool
    }

    /// Reads a store in a single transaction, because each transaction costs locks. Returns nil if the database is not
    /// a store yet.
    private func read(_ connection: Connection, isStore: Bool) throws -> Reading? {
        try connection.execute("BEGIN")
        return try connection.finishTransaction {
            let isOurs = try connection.integer("PRAGMA application_id") == Int64(StoreMetadata.applicationIdentifier)
            guard isStore || isOurs else { return nil }
            return Reading(
                metadata: try usableMetadata(connection),
                schemaVersion: try connection.integer("PRAGMA schema_version"),
                isTracked: try HistoryTracker.isTracked(connection))
        }
    }

    /// The error if another process replaced the file that was opened, which it had locked for that.
    private struct FileMoved: Error {}

    private func openToWrite(isStore: Bool) throws -> Opened {
        let busyTimeout = options.busyMilliseconds
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI
        // Another process may have removed the store meanwhile, and an empty file must not be in its place.
        let connection = try Connection(
            path: file.path, flags: isStore ? flags : flags | SQLITE_OPEN_CREATE, busyTimeout: busyTimeout,
            registersFunctions: false)
        // The file system may forbid writing although the permissions allow it. SQLite then opens the file for reading.
        if connection.isReadOnly() {
            throw StoreError.readOnly(url, reason: "the file cannot be opened for writing")
        }
        let reading = try patiently(connection) { () throws -> Reading? in
            try options.prepare(connection, trustsSchema: model.needsTrustedSchema)
            // The pragma belongs here, because it discards all prepared statements.
            try connection.execute("PRAGMA foreign_keys = ON")
            let reading = try read(connection, isStore: isStore)
            // The log would be created beside the wrong file.
            if connection.hasMoved() { throw FileMoved() }
            if reading == nil { try connection.execute("PRAGMA page_size = \(options.pageSize)") }
            // Processes that create the same store at the same time wait for each other here too.
            try connection.execute("PRAGMA journal_mode = WAL")
            return reading
        }
        let metadata = try reading?.metadata ?? create(connection)
        let current = try bringUpToDate(
            connection, metadata, isWritable: true, schemaVersion: reading?.schemaVersion)
        try trackHistory(connection, isTracked: current == reading?.metadata ? reading?.isTracked : nil)
        connection.setExternalData(
            ExternalDataWriter(
                of: connection, threshold: configuration.externalStorageThreshold,
                isMigrated: current.versionHash != metadata.versionHash))
        connection.state.identifierRanges["main"] = current.identifierRange
        let findings = StoreFindings()
        // The schema version was read together with the metadata.
        let watch = StoreWatch(
            url, current, schemaVersion: current == reading?.metadata ? reading?.schemaVersion : nil,
            findings: findings)
        connection.watch([watch], isReader: false)
        let (path, trustsSchema) = (file.path, model.needsTrustedSchema)
        let sources = ConnectionSources(
            openReader: { [options] () throws(SQLiteError) in
                let reader = try Connection(
                    path: path, flags: flags, busyTimeout: busyTimeout, registersFunctions: false)
                try options.prepare(reader)
                try reader.execute("PRAGMA query_only = ON")
                reader.watch([watch], isReader: true)
                return reader
            },
            openWriter: { [options] _ throws(SQLiteError) in
                let writer = try Connection(
                    path: path, flags: flags, busyTimeout: busyTimeout, registersFunctions: false)
                try options.prepare(writer, trustsSchema: trustsSchema)
                try writer.execute("PRAGMA foreign_keys = ON")
                // A process with exclusive access may have left the file without a log.
                try writer.execute("PRAGMA journal_mode = WAL")
                return writer
            })
        let pool = ConnectionPool(
            writer: connection, configuration, isReadOnly: false, findings: findings, sources: sources)
        return Opened(
            pool: pool, storeIdentifier: current.storeIdentifier, identifierRange: current.identifierRange, watch: watch
        )
    }

    private func trackHistory(_ connection: Connection, isTracked: Bool? = nil) throws {
        let tracker = HistoryTracker(model: model, connection: connection)
        if try tracker.apply(options.historyTracking, isTracked: isTracked) {
            connection.state.history = HistoryRecorder()
        }
    }

    private func bringUpToDate(
        _ connection: Connection, _ metadata: StoreMetadata, isWritable: Bool, schemaVersion: Int64? = nil
    ) throws -> StoreMetadata {
        let settlement = settlement(connection)
        if options.isUntrusted { try checkSchema(connection, metadata, isWritable: isWritable) }
        try settlement.refuseForeignObjects(metadata)
        let current = try migrator(of: metadata, isWritable: isWritable).bringUpToDate(
            connection, metadata, schemaVersion: schemaVersion)
        let settled = try settlement.settle(current, isWritable: isWritable)
        // Before a schema update, only a part of the schema could be compared.
        if options.isUntrusted, settled != metadata { try checkSchema(connection, settled, isWritable: isWritable) }
        return try SharedReferences(
            content: content, url: url, connection: connection, options: configuration.migration
        ).settle(settled, isWritable: isWritable)
    }

    /// Throws if the schema of a store from elsewhere is not the model's.
    private func checkSchema(_ connection: Connection, _ metadata: StoreMetadata, isWritable: Bool) throws {
        let migrator = try migrator(of: metadata, isWritable: isWritable)
        let position = try migrator.position(of: metadata, in: connection)
        try UntrustedSchema(url: url, connection: connection).check(
            migrator.model, position: position,
            isOlder: metadata.schemaHash != migrator.model.versions[position].schemaHash)
    }

    private func settlement(_ connection: Connection) -> StoreSettlement {
        StoreSettlement(
            content: content, url: url, connection: connection, options: configuration.migration)
    }

    private func migrator(of metadata: StoreMetadata, isWritable: Bool) throws -> StoreMigrator {
        try StoreMigrator(of: metadata, content, configuration, isWritable: isWritable, monitor: monitor)
    }

    /// Reads a store for the first time. The wait is long while another process migrates the store with exclusive
    /// access.
    private func patiently<Value>(_ connection: Connection, _ body: () throws -> Value) throws -> Value {
        monitor.begin(url)
        return try connection.patiently(
            monitor,
            atMost: file.hasRollbackJournal
                ? max(options.busyTimeout, configuration.migration.waitingTime) : options.busyTimeout, body)
    }

    private func metadata(_ connection: Connection) throws -> StoreMetadata {
        if options.isUntrusted { try UntrustedSchema(url: url, connection: connection).checkForm() }
        let metadata = try file.metadata(connection)
        if metadata.modelName != model.name {
            throw StoreError.otherModel(url, found: metadata.modelName, expected: model.name)
        }
        return metadata
    }

    // MARK: New stores

    /// Creates an empty store, unless another process created it meanwhile.
    private func create(_ connection: Connection) throws -> StoreMetadata {
        let model = content.modelOfNewStore
        guard let version = model.currentVersion else {
            throw StoreError.sqlite(
                SQLiteError(code: SQLITE_MISUSE, extendedCode: SQLITE_MISUSE, message: "no version", sql: ""),
                doing: "making a store of the model \(model.name)")
        }
        return try connection.transaction {
            let isOurs = try connection.integer("PRAGMA application_id") == Int64(StoreMetadata.applicationIdentifier)
            if isOurs { return try metadata(connection) }
            if try !connection.schema().objects.isEmpty { throw StoreError.foreignDatabase(url) }
            try connection.execute("PRAGMA application_id = \(StoreMetadata.applicationIdentifier)")
            for statement in model.schema { try connection.execute(statement) }
            var metadata = StoreMetadata(model: model, version: version)
            try metadata.write(to: connection)
            return metadata
        }
    }
}
