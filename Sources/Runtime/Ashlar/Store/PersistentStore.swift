import AshlarSQLite
public import SystemFoundation

/// One of a container's stores: a file, or a store in memory, with the entities of its configuration.
///
/// Use it if a container has several stores. With one store, the container's methods do the same. A value of this type
/// keeps the store open.
///
///     for store in container.stores { print(store.url.path, store.entityNames) }
///
/// Core Data's counterpart is `NSPersistentStore`.
public struct PersistentStore: Sendable, Identifiable {
    /// The configuration that the store was opened with.
    public let configuration: ModelConfiguration
    /// The store's UUID, which is created with the store and kept through all migrations.
    public let storeIdentifier: String
    /// Whether the store cannot be written.
    public let isReadOnly: Bool
    /// The names of the entities whose objects the store holds.
    public let entityNames: Set<String>

    let pool: ConnectionPool
    /// The schema name of the store on the pool's connections: `main` for one store, `store100` and so on for several.
    package let schemaName: String
    let token: OpenStores.Token?
    /// The contents of the model's full-text indexes, by name. The store has those of its own tables.
    let fullTextTables: [ModelDescription.VirtualTable]
    /// The foreign key columns of the one-to-one relationships in the store.
    let oneToOneReferences: [OneToOneReference]
    /// The references by which objects in the store form trees.
    let treeReferences: [TreeReference]

    /// The store's UUID, the same as ``storeIdentifier``.
    public var id: String { storeIdentifier }
    /// The store's file; `/dev/null` for a store in memory.
    public var url: URL { configuration.url }

    /// Reads on a connection, and adds the description of the operation to an error of SQLite.
    package func read<Result>(_ doing: String, _ body: (Connection) throws -> Result) throws -> Result {
        do {
            return try pool.read(body)
        } catch let error as SQLiteError {
            if error.code == SQLITE_CORRUPT { throw StoreError.damaged(url, error) }
            throw StoreError.sqlite(error, doing: doing)
        }
    }

    /// Writes with exclusive use of the connection that writes, and adds the description of the operation to an error
    /// of SQLite.
    func write<Result>(_ doing: String, _ body: (Connection) throws -> Result) throws -> Result {
        if isReadOnly { throw StoreError.readOnly(url, reason: "the container does not allow saving") }
        do {
            return try pool.write(to: url, body)
        } catch let error as SQLiteError {
            throw StoreError(error, url, doing: doing, waited: configuration.options.busyTimeout)
        }
    }
}
