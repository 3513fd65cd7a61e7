import AshlarSQLite
import CoreDataStore
public import Foundation
import StoreDescription

/// Stores that Core Data and SwiftData wrote become stores of ours when a container opens them; see
/// ``ModelConfiguration/importing``.
extension ModelContainer {
    /// Whether the file at a URL is a store that Core Data or SwiftData wrote. It is not changed.
    ///
    /// - Throws: ``StoreError`` where the file cannot be read; one that is no database is none, and so is a missing one.
    public static func isCoreDataStore(at url: URL) throws -> Bool {
        let file = StoreFile(url: url)
        do {
            return try OpenStores.shared.use(url) { () throws -> Bool in
                do {
                    _ = try file.state()
                    return false
                } catch StoreError.coreDataStore {
                    return true
                }
            }.found ?? false
        } catch StoreError.notADatabase, StoreError.foreignDatabase {
            return false
        }
    }

    /// Makes a store of one that Core Data or SwiftData wrote, as opening a container with
    /// ``ModelConfiguration/importing`` does, without a container.
    ///
    ///     let report = try ModelContainer.importStore(StoreImport(url: oldURL), to: url, for: PhotoFeedModel.self)
    ///     for finding in report.findings { print(finding) }
    ///
    /// - Parameters:
    ///   - old: The old store and how it is imported. Nothing of it is changed.
    ///   - url: Where the new store will be; there must be no file.
    ///   - progress: Called on the caller's thread when something else is done, and each millisecond or so of a long statement.
    /// - Throws: ``ImportError``, ``StoreError``, or `CancellationError` when the task that it is called in is cancelled. There is
    ///   no new store then.
    @discardableResult
    public static func importStore(
        _ old: StoreImport, to url: URL, for model: any ManagedObjectModel.Type,
        migration: MigrationOptions = MigrationOptions(), progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) throws -> ImportReport {
        try importStore(old, to: url, for: model.modelDescription, migration: migration, progress: progress)
    }

    /// Makes a store of one that Core Data or SwiftData wrote.
    package static func importStore(
        _ old: StoreImport, to url: URL, for model: ModelDescription, migration: MigrationOptions,
        progress: (@Sendable (MigrationProgress) -> Void)?
    ) throws -> ImportReport {
        var configuration = ModelConfiguration(url: url)
        configuration.importing = old
        configuration.migration = migration
        guard try FileSystem.kind(ofFile: old.url.path) == .file else { throw StoreError.missingFile(old.url) }
        let importer = StoreImporter(
            content: StoreContent(allOf: model), configuration: configuration, source: old,
            monitor: MigrationMonitor(report: progress))
        guard let report = try importer.importIfNeeded() else { throw StoreError.fileExists(url) }
        return report
    }

    /// What importing a store would bring, and what of it the model does not allow, without importing it. Nothing is changed.
    ///
    /// The store is copied into a temporary one, which takes as long and as much room as importing it does. With
    /// ``StoreImport/repairsData`` what does not fit is in the report; else it is an ``ImportError``.
    ///
    /// - Throws: What ``importStore(_:to:for:migration:progress:)`` throws.
    public static func plannedImport(
        of old: StoreImport, for model: any ManagedObjectModel.Type
    ) throws -> ImportReport {
        try plannedImport(of: old, for: model.modelDescription, progress: nil)
    }

    /// What importing a store would bring.
    package static func plannedImport(
        of old: StoreImport, for model: ModelDescription, progress: (@Sendable (MigrationProgress) -> Void)?
    ) throws -> ImportReport {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileSystem.createFolder(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try importStore(
            old, to: folder.appendingPathComponent("planned.store"), for: model, migration: MigrationOptions(),
            progress: progress)
    }

    // MARK: The old store

    /// Where the old store is kept whose place a new one took: its file in the folder `NAME.coredata` beside `NAME`, with all that
    /// belongs to it under the names that it had. Nil where there is none.
    ///
    /// To go back to it, remove the store at `url` with ``destroyStore(at:)``, and move all files of the folder to where it is.
    public static func keptStore(at url: URL) -> URL? {
        let kept = KeptStore(besideStoreAt: url)
        return kept.exists ? kept.url : nil
    }

    /// Removes the store that a configuration imported, with its log and its large values; the new store must be there. There
    /// may be none to remove.
    ///
    /// Of a store whose place the new one took, the folder ``keptStore(at:)`` is removed.
    ///
    /// - Throws: ``StoreError``, such as ``StoreError/missingFile(_:)`` where there is no new store, and
    ///   ``StoreError/locked(_:waited:doing:)`` where another program has the old one open; ``ImportError`` where the old
    ///   one cannot be read.
    public static func removeImportedStore(for configuration: ModelConfiguration) throws {
        guard let old = configuration.importing else { return }
        // Without the new one, the old store is all there is.
        let metadata = try metadata(ofStoreAt: configuration.url)
        if OpenStores.path(old.url) == OpenStores.path(configuration.url) {
            let kept = KeptStore(besideStoreAt: configuration.url)
            if FileSystem.exists(kept.folder.path) { try kept.remove() }
            return
        }
        let file = StoreFile(url: old.url).resolved
        guard FileSystem.exists(file.path) else { return }
        guard try isCoreDataStore(at: old.url) else { throw StoreError.foreignDatabase(old.url) }
        try requireOrigin(of: metadata, at: file)
        for url in [file.url] + file.companions + [CoreDataSource.supportFolder(of: file.url)] {
            try FileSystem.remove(url)
        }
        try FileSystem.synchronize(file.url.deletingLastPathComponent())
    }

    /// Throws unless a store of ours was made of the one in a file, which nobody has open.
    private static func requireOrigin(of metadata: StoreMetadata, at file: StoreFile) throws {
        do {
            let connection = try Connection(path: file.path, flags: SQLITE_OPEN_READWRITE, busyTimeout: 1000)
            try connection.keepWriteAheadLog()
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            try connection.execute("BEGIN EXCLUSIVE")
            let old = try CoreDataMetadata(connection)
            try connection.execute("COMMIT")
            if old.storeIdentifier != metadata.storeIdentifier {
                throw StoreError.otherModel(
                    file.url, found: "the store \(old.storeIdentifier)", expected: "\(metadata.storeIdentifier)")
            }
        } catch let error as SQLiteError {
            throw StoreError(error, file.url, doing: "removing the imported store", waited: .seconds(1))
        } catch {
            throw ImportError.reading(file.url, error)
        }
    }

    // MARK: Identifiers

    /// The identifier of the object that had a URI in Core Data, such as `x-coredata://STORE-UUID/Post/p12`, in a store that was
    /// imported. Nil for a URI of another store, and for an object that is not there any more.
    ///
    ///     if let identifier = try container.identifier(forCoreDataURI: uri) {
    ///         let post: Post = try context.model(for: identifier)
    ///     }
    ///
    /// An imported object keeps its number, and the store its UUID; what became of its entity's name since is followed. Core Data's
    /// `managedObjectID(forURIRepresentation:)`.
    ///
    /// - Throws: ``StoreError``.
    public func identifier(forCoreDataURI uri: URL) throws -> PersistentIdentifier? {
        guard uri.scheme?.lowercased() == "x-coredata", let host = uri.host, uri.pathComponents.count == 3,
            let store = stores.first(where: { $0.storeIdentifier.caseInsensitiveCompare(host) == .orderedSame })
        else { return nil }
        let number = uri.pathComponents[2]
        guard number.hasPrefix("p"), let key = Int64(number.dropFirst()), key > 0 else { return nil }
        return try store.read("looking for an imported object") { connection in
            guard let origin = try ImportedOrigin(connection, in: store.schemaName),
                let root = model.root(ofImportedEntity: uri.pathComponents[1], origin)
            else { return nil }
            return try identifier(ofRow: key, in: root, connection)
        }
    }

    /// The identifier of a row, whatever entity of the hierarchy it is of; nil where there is none.
    private func identifier(
        ofRow key: Int64, in root: EntityDescription, _ connection: Connection
    ) throws(SQLiteError) -> PersistentIdentifier? {
        let name = root.hasDiscriminator ? "\"entity$\"" : "NULL"
        let rows = try connection.rows(
            "SELECT \(name) FROM \(root.tableName.quotedIdentifier) WHERE \"id$\" = ?1", [.integer(key)])
        guard let row = rows.first else { return nil }
        let entity = if case .text(let name) = row[0] { model.entity(named: name) } else { root }
        guard let entity else { return nil }
        return PersistentIdentifier(
            rowID: key, store: storeNumber(of: entity.number.root), entity: entity.number)
    }
}

extension ModelDescription {
    /// The root of the hierarchy in whose table the objects are by now that an entity had when its store was imported; nil where it
    /// has no table any more.
    func root(ofImportedEntity name: String, _ origin: ImportedOrigin) -> EntityDescription? {
        guard let position = versions.lastIndex(where: { $0.versionHash == origin.versionHash }),
            let stored = storedEntities()
        else { return entity(named: name).flatMap { self.entities[Int($0.number.root)] } }
        guard var table = stored[position].first(where: { $0.name == name })?.table else { return nil }
        for version in versions[(position + 1)...] {
            for (index, statement) in version.migration.enumerated() {
                switch statement.operation {
                case .renameTable(table, to: let newName): table = newName
                case .dropTable(table):
                    // A table that is written anew takes the place of the one that is dropped.
                    guard version.migration.dropFirst(index + 1).contains(where: { $0.operation.makes(table) }) else {
                        return nil
                    }
                default: break
                }
            }
        }
        return entities.first { $0.tableName == table && $0.number.root == $0.number.entity }
    }
}

extension MigrationOperation {
    /// Whether there is a table of a name after it that another had before.
    fileprivate func makes(_ table: String) -> Bool {
        switch self {
        case .replaceTable(table), .renameTable(_, to: table): true
        default: false
        }
    }
}

extension ModelContainer {
    /// What a store that Core Data or SwiftData wrote is, in a line: the version of the model that it is of, or the nearest ones.
    package static func recognizedStore(at url: URL, for model: ModelDescription) throws -> String {
        let folder = FileManager.default.temporaryDirectory
        let old = try CoreDataSource(url, copyingInto: folder)
        do {
            let connection = try Connection(
                path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)
            try old.attach(to: connection)
            let schema = try CoreDataSchema(connection, in: CoreDataCopy.sourceName)
            let metadata = try CoreDataMetadata(connection, in: CoreDataCopy.sourceName)
            let all = model.storedEntities() ?? []
            let (matches, nearest) = CoreDataVersion.versions(of: schema, among: all)
            let kind = "A Core Data store of \(schema.entities.count) entities, \(metadata.storeIdentifier)"
            if let match = matches.first { return "\(kind), version \"\(model.versions[match.position].name)\"." }
            throw ImportError.unknownVersion(url, nearest, versionNames: model.versions.map(\.name))
        } catch {
            throw ImportError.reading(url, error)
        }
    }

    /// The model that a store of Core Data's keeps beside its data, as it is there; nil where there is none, as in very old stores.
    package static func cachedModel(ofStoreAt url: URL) throws -> Data? {
        let old = try CoreDataSource(url, copyingInto: FileManager.default.temporaryDirectory)
        do {
            let connection = try Connection(
                path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)
            try old.attach(to: connection)
            let schema = try CoreDataSchema(connection, in: CoreDataCopy.sourceName)
            guard schema.tables["Z_MODELCACHE"]?.contains("Z_CONTENT") == true else { return nil }
            let rows = try connection.rows(
                "SELECT \"Z_CONTENT\" FROM \(CoreDataCopy.sourceName).\"Z_MODELCACHE\" LIMIT 1")
            guard case .blob(let bytes)? = rows.first?.first else { return nil }
            return bytes
        } catch {
            throw ImportError.reading(url, error)
        }
    }
}
