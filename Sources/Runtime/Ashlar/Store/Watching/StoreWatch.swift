import AshlarSQLite
import Synchronization
import SystemFoundation

/// Finds out that somebody took a store's file away from under a container, or migrated the store to another version of
/// the model or to a newer format, so that nothing is written, or read, as the program's version would have it.
///
/// SQLite counts changes of the schema, and each migration is one. The number is looked at in each transaction that
/// writes, and after a read whose statement SQLite had to compile anew. Where it is another one than it was, the store's
/// metadata says whether what the program knows has changed. All connections of a container share a watch.
final class StoreWatch: Sendable {
    let url: URL
    let schemaName: String
    private let storeIdentifier: String
    private let versionHash: String
    private let schemaHash: String
    /// The hash of each entity after its name.
    private let entityHashes: Set<Substring>
    /// The file that was opened; nil where the system has no number for it.
    private let file: Mutex<(current: FileSystem.Identity?, previous: FileSystem.Identity?)>
    /// The number at which the schema was last seen to be one of the program's; -1 when it was not yet looked at.
    private let schemaVersion: Atomic<Int64>
    fileprivate let schemaVersionQuery: String
    /// The findings to which ``StoreWatch/add(_:)`` adds.
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

    /// The watch of the same store under another name.
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

    /// Takes the file that is there now for the store's, which nobody had open when another took its place. The caller checks
    /// it with ``checkReplacement(_:)``, or forgets it.
    ///
    /// - Returns: False where the file is the one that was there.
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

    /// Throws ``StoreError/removedWhileOpen(_:)`` where another file has other indexes or constraints than the store had, or
    /// gives numbers of a range.
    func checkReplacement(_ connection: Connection) throws {
        let metadata = try StoreMetadata(connection, in: schemaName)
        guard metadata?.schemaHash == schemaHash, metadata?.identifierRange == nil else {
            throw tell(.removedWhileOpen(url))
        }
    }

    /// Throws ``StoreError/removedWhileOpen(_:)`` where a connection that was just opened is one to another file.
    fileprivate func checkNewConnection(_ connection: Connection) throws(StoreError) {
        if file.withLock({ $0.current }) != FileSystem.identity(ofFile: url.path) || connection.hasMoved(schemaName) {
            throw tell(.removedWhileOpen(url))
        }
    }

    /// Throws ``StoreError/removedWhileOpen(_:)``. A look at the file's name costs a call of the system.
    fileprivate func checkFile(_ connection: Connection) throws(StoreError) {
        if connection.hasMoved(schemaName) { throw tell(.removedWhileOpen(url)) }
    }

    /// Throws ``StoreError/migratedWhileOpen(_:version:)`` where the schema is not that of the program's version, and
    /// ``StoreError/newerFormat(_:found:supported:)`` where a newer release of Ashlar changed the format.
    fileprivate func checkSchema(_ connection: Connection, _ found: Int64) throws {
        if found == schemaVersion.load(ordering: .relaxed) { return }
        guard let metadata = try StoreMetadata(connection, in: schemaName),
            metadata.storeIdentifier == storeIdentifier
        else { throw tell(.removedWhileOpen(url)) }
        guard metadata.format <= StoreMetadata.format else {
            throw tell(.newerFormat(url, found: metadata.format, supported: StoreMetadata.format))
        }
        // Somebody may have made an index, or migrated what is none of this container's entities.
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

    /// Throws what was found where nothing may be read any more. What was removed can be read as it was.
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

    /// Has a closure called with what is found from now on, until it is removed by the number.
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
    /// Throws ``StoreError`` where a store cannot be written as the program knows it. A transaction that writes it has
    /// begun, so that nothing changes any more.
    func checkBeforeWriting(_ name: String? = nil) throws {
        for watched in state.watches where name == nil || watched.watch.schemaName == name {
            try watched.watch.checkFile(self)
            try checkSchema(watched)
        }
    }

    /// Throws ``StoreError`` where a connection that was just opened cannot read the stores as the program knows them.
    func checkNewReader() throws {
        for watched in state.watches {
            try watched.watch.checkNewConnection(self)
            try checkSchema(watched)
        }
    }

    /// Throws ``StoreError/migratedWhileOpen(_:version:)`` where a store is not any more what the program knows.
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

    /// Returns whether an error may be that of a statement which a migration by another program made wrong.
    static func mayBeOfMigration(_ error: any Error) -> Bool {
        guard let error = error as? SQLiteError else { return false }
        return error.code == SQLITE_ERROR || error.code == SQLITE_SCHEMA
    }
}

/// A store as one connection watches it, with the statement that asks for the number of its schema.
final class WatchedStore {
    let watch: StoreWatch
    private var known: Statement?

    init(_ watch: StoreWatch) { self.watch = watch }

    fileprivate func statement(_ connection: Connection) throws(SQLiteError) -> Statement {
        if let known { return known }
        // Not one of the connection's, which are forgotten with every change of the schema.
        let statement = try Statement(watch.schemaVersionQuery, database: connection.database)
        known = statement
        return statement
    }
}

extension Connection {
    /// Has SQLite count a change of the schema where there was none, so that programs which have the store open look at
    /// its version.
    func countSchemaChange() throws(SQLiteError) {
        try execute("CREATE TABLE \"ashlar$change$of$schema\" (\"unused\" INTEGER) STRICT")
        try execute("DROP TABLE \"ashlar$change$of$schema\"")
    }
}
