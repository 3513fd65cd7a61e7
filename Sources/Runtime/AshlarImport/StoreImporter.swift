import Ashlar
import AshlarSQLite
import CoreDataStore
import StoreDescription
import SystemFoundation

/// Imports a store that Core Data or SwiftData wrote. It creates a store of the old one's version, fills, checks and
/// updates it, and only then puts it in its place.
///
/// Until then the new store has another name, and the old store is not touched. After any failure, or if the process is
/// killed, the next opening begins anew.
struct StoreImporter {
    let content: StoreContent
    let configuration: ModelConfiguration
    let source: StoreImport
    let monitor: MigrationMonitor
    /// Whether the new store is only a trial. Steps of a migration that only the program can do are left out then.
    var isTrial = false
    var freeSpace = FreeSpace.system

    private var target: StoreFile { StoreFile(url: configuration.url).resolved }
    private var kept: KeptStore { KeptStore(besideStoreAt: configuration.url) }

    /// Whether the old store is at the place of the new one.
    private var isInPlace: Bool { OpenStores.path(source.url) == OpenStores.path(configuration.url) }

    /// Imports the old store where there is one, and no new one yet. Throws ``ImportError``, ``StoreError``, or a
    /// `CancellationError`.
    func importIfNeeded() throws -> ImportReport? {
        guard configuration.allowsSave, !configuration.isStoredInMemoryOnly else { return nil }
        return try ImportTurns.shared.taking(target.path, monitor) { try isNeeded() ? try importAlone() : nil }
    }

    private func importAlone() throws -> ImportReport? {
        let (token, _) = try OpenStores.shared.useAlone(configuration.url) {}
        return try withExtendedLifetime(token) {
            monitor.begin(configuration.url)
            let unfinished = try UnfinishedImport.begin(
                for: target, monitor, waitingTime: configuration.migration.waitingTime, unless: isThere)
            guard let unfinished else { return nil }
            do {
                return try importAll(unfinished)
            } catch {
                unfinished.remove()
                throw error
            }
        }
    }

    /// Returns whether the new store exists. Its place may have the old store, which is not one of ours.
    private func isThere() throws -> Bool {
        do {
            return try target.state() == .store
        } catch StoreError.coreDataStore where isInPlace {
            return false
        }
    }

    /// Returns whether there is no store yet, and an old one to import.
    private func isNeeded() throws -> Bool {
        // A file that this process has open is a store.
        guard try OpenStores.shared.use(configuration.url, isThere).found == false else { return false }
        return FileSystem.exists(source.url.path) || isInPlace && kept.exists
    }

    private func importAll(_ unfinished: UnfinishedImport) throws -> ImportReport? {
        if isInPlace { try kept.finishKeeping() }
        try ImportedFolder(of: target).begin()
        let isReplaced = isInPlace && FileSystem.exists(target.path)
        if isReplaced, kept.exists { throw StoreError.fileExists(kept.url) }
        let url = isInPlace && !isReplaced ? kept.url : source.url
        let old = try CoreDataSource(
            url, copyingInto: target.url.deletingLastPathComponent(), isReplaced: isReplaced)
        try requireFolder(old)
        let connection = unfinished.connection
        return try connection.closingAttached {
            try requireRoom(old)
            let report = try fill(connection, from: old)
            try old.requireUnchanged()
            try synchronize(connection)
            // The lock on the old store lasts until its files have other names.
            if isReplaced { try kept.keep(hasLog: old.hasLog) }
            try unfinished.finish()
            try ImportedFolder(of: target).finish()
            return report
        }
    }

    /// Core Data names the folder of large values after the file's name without its extension, and so does Ashlar.
    /// Without an extension, both folders are the same.
    private func requireFolder(_ old: CoreDataSource) throws {
        let support = old.externalDataFolder.deletingLastPathComponent()
        guard FileSystem.exists(support.path),
            FileSystem.canonicalPath(ExternalDataFolder(storePath: target.path).support.path)
                == FileSystem.canonicalPath(support.path)
        else { return }
        throw ImportError(
            .occupiedFolder, old.url,
            "its large values are in the folder that the new store would have for its own. Give the new store another name, with "
                + "an extension.")
    }

    /// Makes the disk write everything that was written without waiting for it.
    private func synchronize(_ connection: Connection) throws {
        try connection.execute("PRAGMA main.synchronous = FULL")
        try connection.execute("BEGIN")
        try connection.execute("PRAGMA main.user_version = 1")
        try connection.execute("PRAGMA main.user_version = 0")
        try connection.execute("COMMIT")
    }

    private func requireRoom(_ old: CoreDataSource) throws {
        guard configuration.migration.checksFreeSpace else { return }
        let files = try? FileManager.default.contentsOfDirectory(atPath: old.externalDataFolder.path)
        let external = (files ?? []).reduce(Int64(0)) { sum, name in
            sum + (FileSystem.length(ofFile: old.externalDataFolder.appendingPathComponent(name).path) ?? 0)
        }
        // Indexes are made anew, and a migration writes tables anew.
        try freeSpace.require([(target.url.deletingLastPathComponent(), old.byteCount * 2 + external)])
    }

    // MARK: Filling

    private func fill(_ connection: Connection, from old: CoreDataSource) throws -> ImportReport {
        do {
            try prepare(connection, old)
            let schema = try CoreDataSchema(connection, in: CoreDataCopy.sourceName)
            let metadata = try CoreDataMetadata(connection, in: CoreDataCopy.sourceName)
            try checkIntegrity(connection, of: old.url)
            let matches = try versions(of: schema, metadata, old.url, connection)
            var failure: ImportError?
            for match in matches {
                let version = ImportedVersion(
                    match, of: content, importing: old, as: source, metadata, into: configuration, monitor: monitor,
                    isTrial: isTrial)
                do {
                    return try version.fill(connection)
                } catch let error as ImportError where error.code == .invalidData {
                    // An older version may allow data that a newer one with the same tables does not.
                    failure = failure ?? error
                }
            }
            throw failure ?? ImportError(.unknownVersion, old.url, "it matches no version of the model.")
        } catch {
            throw ImportError.reading(old.url, error)
        }
    }

    /// The versions that match the store, the newest first.
    private func versions(
        of schema: CoreDataSchema, _ metadata: CoreDataMetadata, _ url: URL, _ connection: Connection
    ) throws -> [CoreDataVersion] {
        guard let all = content.model.storedEntities() else {
            throw ImportError(
                .missingDescription, url,
                "the model's code does not describe its versions. Build the program again with this version of Ashlar."
            )
        }
        let held = content.entityNames(inVersions: all.count)
        let stored = zip(all, held).map { entities, names in entities.filter { names.contains($0.name) } }
        let (matches, nearest) = CoreDataVersion.versions(
            of: schema, metadata, among: stored,
            formerNames: CachedModelContent.formerEntityNames(connection, schema))
        if matches.isEmpty {
            throw ImportError.unknownVersion(url, nearest, versionNames: content.model.versions.map(\.name))
        }
        return matches
    }

    private func prepare(_ connection: Connection, _ old: CoreDataSource) throws {
        try connection.setTrustsSchema(false)
        try connection.keepWriteAheadLog()
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("PRAGMA main.synchronous = OFF")
        try connection.execute("PRAGMA main.cache_size = -\(configuration.options.cacheSize / 1024)")
        do {
            try old.attach(to: connection)
            try connection.execute("PRAGMA \(CoreDataCopy.sourceName).cell_size_check = ON")
            // All reads see one state, and no other process may open a store that is to be replaced.
            try connection.execute("BEGIN \(isInPlace ? "EXCLUSIVE" : "DEFERRED")")
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            throw ImportError(
                .inUse, old.url, "another program has it open. Close it first, since the new store takes its place.")
        }
    }

    private func checkIntegrity(_ connection: Connection, of url: URL) throws {
        guard source.checksIntegrity else { return }
        monitor.update { $0.phase = .checking }
        let answers = try monitor.watching(connection) {
            try connection.rows("PRAGMA \(CoreDataCopy.sourceName).quick_check(10)")
        }
        let problems = answers.compactMap { row in
            if case .text(let text)? = row.first, text != "ok" { text } else { nil }
        }
        if problems.isEmpty { return }
        throw ImportError(
            .damaged, url,
            "it is damaged (\(problems.joined(separator: "; "))). Restore it from a backup, or recover it first.")
    }
}

extension Connection {
    /// Runs a closure that may attach the old store and begin a transaction, and leaves neither.
    fileprivate func closingAttached<Result>(_ body: () throws -> Result) throws -> Result {
        defer {
            forgetStatements()
            // The connection is closed in any case, which also detaches the old store.
            if !isInAutocommit { try? execute("ROLLBACK") }
        }
        return try body()
    }
}

extension StoreContent {
    /// The names of the entities that the store holds, or held, in each version.
    func entityNames(inVersions count: Int) -> [Set<String>] {
        isWhole
            ? model.versions.map { ModelDescription.Version.names($0.entityHashes) }
            : PartialMigrationChain.trace(entityNames, back: model.versions.dropFirst())
    }
}
