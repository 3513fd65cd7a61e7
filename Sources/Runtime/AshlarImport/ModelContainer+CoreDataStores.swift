public import Ashlar
import AshlarSQLite
import CoreDataStore
public import SystemFoundation

/// The recognition of files of Core Data or SwiftData.
extension ModelContainer {
    /// Returns whether the file at a URL is a store that Core Data or SwiftData wrote.
    ///
    /// Call it before you open or import a file of unknown origin. The file is not changed.
    ///
    ///     if try ModelContainer.isCoreDataStore(at: url) { configuration.importing = StoreImport(url: url) }
    ///
    /// - Parameter url: The file to look at.
    /// - Returns: False for a missing file, for a file that is not a database, and for a store of Ashlar.
    /// - Throws: ``StoreError`` if the file cannot be read.
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

    /// Returns a description of a store of Core Data or SwiftData in a line: its version of the model, or the most
    /// similar ones.
    package static func recognizedStore(at url: URL, for model: ModelDescription) throws -> String {
        try reading(url) { connection in
            let schema = try CoreDataSchema(connection, in: CoreDataCopy.sourceName)
            let metadata = try CoreDataMetadata(connection, in: CoreDataCopy.sourceName)
            let all = model.storedEntities() ?? []
            let (matches, nearest) = CoreDataVersion.versions(
                of: schema, metadata, among: all,
                formerNames: CachedModelContent.formerEntityNames(connection, schema))
            let kind = "A Core Data store of \(schema.entities.count) entities, \(metadata.storeIdentifier)"
            if let match = matches.first { return "\(kind), version \"\(model.versions[match.position].name)\"." }
            throw ImportError.unknownVersion(url, nearest, versionNames: model.versions.map(\.name))
        }
    }

    /// Returns the metadata of a store of Core Data or SwiftData, for which no model is needed.
    package static func coreDataMetadata(ofStoreAt url: URL) throws -> CoreDataMetadata {
        try reading(url) { try CoreDataMetadata($0, in: CoreDataCopy.sourceName) }
    }

    /// Returns the model that a store of Core Data keeps beside its data; nil if it has none, as very old stores.
    package static func cachedModel(ofStoreAt url: URL) throws -> Data? {
        try reading(url) { connection in
            let schema = try CoreDataSchema(connection, in: CoreDataCopy.sourceName)
            return try CachedModelContent.read(connection, schema)
        }
    }

    /// Runs a closure with a connection to which an old store is attached.
    private static func reading<Result>(_ url: URL, _ body: (Connection) throws -> Result) throws -> Result {
        let old = try CoreDataSource(url, copyingInto: FileManager.default.temporaryDirectory)
        do {
            let connection = try Connection(
                path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)
            try old.attach(to: connection)
            return try withExtendedLifetime(old) { try body(connection) }
        } catch {
            throw ImportError.reading(url, error)
        }
    }
}
