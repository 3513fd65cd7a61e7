import AshlarSQLite
import Synchronization
import SystemFoundation

/// Detects that another program removed a store's file, or migrated the store to another version of the model or a
/// newer format. The container then neither reads nor writes the store with its own version.
///
/// SQLite counts changes of the schema, and each migration is one. The count is checked in each transaction that
/// writes, and after a read whose statement SQLite had to recompile. If it has changed, the store's metadata shows
/// whether the version or the format has. All connections of a container share a watch.
final class StoreWatch: Sendable {
    let url: URL
    let schemaName: String
    private let storeIdentifier: String
    private let versionHash: String
    private let schemaHash: String
    /// The names and hashes of the entities.
    private let entityHashes: Set<Substring>
    /// The file that was opened; nil if the system has no number for it.
    private let file: Mutex<(current: FileSystem.Identity?, previous: FileSystem.Identity?)>
    /// The count at which the schema was last seen to be the program's; -1 if it has not been checked.
    private let schemaVersion: Atomic<Int64>
    fileprivate let schemaVersionQuery: String
    /// The findings to which the watch adds its own.
    private let findings: StoreFindings

    init(
        _ url: URL, schemaName: String = "main", _ metadata: StoreMetadata, schemaVersion: Int64? = nil,
        findings: StoreFindings = StoreFindings()
    ) {
        self.url = url
        self.schemaName = schemaName
        file = Mutex((current: FileSystem.identity(ofFile: url.path), previous: nil))
        schemaHash = metadata.schemaHash
        storeIdentifier = metadata.storeIdentifier
        versionHash = metadata.versionHash
        entityHashes = Set(metadata.entityHashes.split(separator: "\n"))
        self.schemaVersion = Atomic(schemaVersion ?? -1)
        schemaVersionQuery = "PRAGMA \(schemaName).schema_version"
        self.findings = findings
    }

    /// Creates a watch of the same store under another name.
    init(_ other: StoreWatch, schemaName: String, findings: StoreFindings) {
        url = other.url
        self.schemaName = schemaName
        (storeIdentifier, versionHash, entityHashes) = (other.storeIdentifier, other.versionHash, other.entityHashes)
        file = Mutex((current: other.file.withLock { $0.current }, previous: nil))
        schemaHash = other.schemaHash
        schemaVersion = Atomic(other.schemaVersion.load(ordering: .relaxed))
        schemaVersionQuery = "PRAGMA \(schemaName).schema_version"
        self.findings = findings
    }

    /// Accepts the file that is now at the store's path, after it replaced the store's file while the store was closed.
    /// The caller checks it with ``checkReplacement(_:)``, or calls ``forgetReplacement()``.
    ///
    /// - Returns: False if the file is still the same.
    func acceptReplacement() -> Bool {
        let found = FileSystem.identity(ofFile: url.path)
        let isOther = file.withLock { file in
            if file.current == found { return false }
            file = (current: found, previous: file.current)
            return true
        }
        if isOther { schemaVersion.store(-1, ordering: .relaxed) }
        return isOther
    }

    func forgetReplacement() { file.withLock { $0.current = $0.previous } }

    /// Throws ``StoreError/removedWhileOpen(_:)`` if the new file has other indexes or constraints than the store had,
    /// or has a range of identifiers.
    func checkReplacement(_ connection: Connection) throws {
        let metadata = try StoreMetadata(connection, in: schemaName)
        guard metadata?.schemaHash == schemaHash, metadata?.identifierRange == nil else {
            throw tell(.removedWhileOpen(url))
        }
    }

    /// Throws ``StoreError/removedWhileOpen(_:)`` if a new connection has opened another file.
    fileprivate func checkNewConnection(_ connection: Connection) throws(StoreError) {
        if file.withLock({ $0.current }) != FileSystem.identity(ofFile: url.path) || connection.hasMoved(schemaName) {
            throw tell(.removedWhileOpen(url))
        }
    }

    /// Throws ``StoreError/removedWhileOpen(_:)`` if the file was removed or replaced. The check costs a system call.
    fileprivate func checkFile(_ connection: Connection) throws(StoreError) {
        if connection.hasMoved(schemaName) { throw tell(.removedWhileOpen(url)) }
    }

    /// Throws ``StoreError/migratedWhileOpen(_:version:)`` if the schema is not that of the program's version, and
    /// ``StoreError/newerFormat(_:found:supported:)`` if a newer release of Ashlar changed the format.
    fileprivate func checkSchema(_ connection: Connection, _ found: Int64) throws {
        if found == schemaVersion.load(ordering: .relaxed) { return }
        guard let metadata = try StoreMetadata(connection, in: schemaName),
            metadata.storeIdentifier == storeIdentifier
        else { throw tell(.removedWhileOpen(url)) }
        guard metadata.format <= StoreMetadata.format else {
            throw tell(.newerFormat(url, found: metadata.format, supported: StoreMetadata.format))
        }
        // Another program may have created an index, or migrated entities that this container does not use.
        guard metadata.versionHash == versionHash && holdsEntities(metadata) || isUntouched(metadata) else {
            throw tell(.migratedWhileOpen(url, version: metadata.versionName))
        }
        schemaVersion.store(found, ordering: .relaxed)
    }

    private func holdsEntities(_ metadata: StoreMetadata) -> Bool {
        entityHashes.isSubset(of: metadata.entityHashes.split(separator: "\n"))
    }

    private func isUntouched(_ metadata: StoreMetadata) -> Bool { !entityHashes.isEmpty && holdsEntities(metadata) }

    private func tell(_ error: StoreError) -> StoreError {
        findings.add(error)
        return error
    }
}

/// The findings of the watches of a container's stores, for readers and for observers.
final class StoreFindings: Sendable {
    private struct State {
        var migration: StoreError?
        var observers: [Int: @Sendable (StoreError) -> Void] = [:]
        var lastObserver = 0
    }

    private let isMigrated = Atomic(false)
    private let state = Mutex(State())

    /// Throws an error if a migration was detected, because nothing may be read then. A removed file can still be read.
    @inline(__always)
    func check() throws {
        if isMigrated.load(ordering: .relaxed) { try throwMigration() }
    }

    private func throwMigration() throws {
        if let error = state.withLock({ $0.migration }) { throw error }
    }

    fileprivate func add(_ error: StoreError) {
        let observers = state.withLock { state in
            switch error {
            case .migratedWhileOpen, .newerFormat:
                guard state.migration == nil else { break }
                state.migration = error
                isMigrated.store(true, ordering: .relaxed)
            default: break
            }
            return Array(state.observers.values)
        }
        for observer in observers { observer(error) }
    }

    /// Adds a closure that is called with each new finding, until it is removed by the returned number.
    func observe(_ observer: @escaping @Sendable (StoreError) -> Void) -> Int {
        state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
    }

    func removeObserver(_ number: Int) { _ = state.withLock { $0.observers.removeValue(forKey: number) } }
}

extension Connection {
    /// Throws ``StoreError`` if a store no longer fits the program. A transaction that writes it has begun, so that it
    /// cannot change meanwhile.
    func checkBeforeWriting(_ name: String? = nil) throws {
        for watched in state.watches where name == nil || watched.watch.schemaName == name {
            try watched.watch.checkFile(self)
            try checkSchema(watched)
        }
    }

    /// Throws ``StoreError`` if the stores on a new connection do not fit the program.
    func checkNewReader() throws {
        for watched in state.watches {
            try watched.watch.checkNewConnection(self)
            try checkSchema(watched)
        }
    }

    /// Throws ``StoreError/migratedWhileOpen(_:version:)`` if a store no longer fits the program.
    func checkSchemas() throws {
        for watched in state.watches { try checkSchema(watched) }
    }

    private func checkSchema(_ watched: WatchedStore) throws {
        let statement = try watched.statement(self)
        let found: Int64
        do {
            defer { statement.reset() }
            found = try statement.step() ? statement.integer(0) : -1
        }
        try watched.watch.checkSchema(self, found)
    }

    /// Returns whether an error may come from a statement that another program's migration made invalid.
    static func mayBeOfMigration(_ error: any Error) -> Bool {
        guard let error = error as? SQLiteError else { return false }
        return error.code == SQLITE_ERROR || error.code == SQLITE_SCHEMA
    }
}

/// A store that one connection watches, with the statement that reads the count of its schema changes.
final class WatchedStore {
    let watch: StoreWatch
    private var known: Statement?

    init(_ watch: StoreWatch) { self.watch = watch }

    fileprivate func statement(_ connection: Connection) throws(SQLiteError) -> Statement {
        if let known { return known }
        // Not a statement of the connection, because those are discarded with every change of the schema.
        let statement = try Statement(watch.schemaVersionQuery, database: connection.database)
        known = statement
        return statement
    }
}

extension Connection {
    /// Makes SQLite count a change of the schema without changing it, so that programs that have the store open check
    /// its version.
    func countSchemaChange() throws(SQLiteError) {
        try execute("CREATE TABLE \"ashlar$change$of$schema\" (\"unused\" INTEGER) STRICT")
        try execute("DROP TABLE \"ashlar$change$of$schema\"")
    }
}
