public import Ashlar
import AshlarSQLite
import StoreDescription
public import SystemFoundation

extension ModelContainer {
    /// Returns the identifier of the object that had a URI in Core Data, such as `x-coredata://STORE-UUID/Post/p12`.
    ///
    /// Use it in a store that was imported, for URIs that the program kept elsewhere. An imported object keeps its
    /// number, and the store its UUID. Entities that were renamed since are followed.
    ///
    ///     if let identifier = try container.identifier(forCoreDataURI: uri) {
    ///         let post: Post = try context.model(for: identifier)
    ///     }
    ///
    /// Core Data's counterpart is `managedObjectID(forURIRepresentation:)`.
    ///
    /// - Parameter uri: The URI of the object in Core Data.
    /// - Returns: Nil for a URI of another store, and for an object that no longer exists.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func identifier(forCoreDataURI uri: URL) throws -> PersistentIdentifier? {
        guard uri.scheme?.lowercased() == "x-coredata", let host = uri.host, uri.pathComponents.count == 3,
            let store = stores.first(where: { $0.storeIdentifier.lowercased() == host.lowercased() })
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
}

extension ModelDescription {
    /// The present root of the hierarchy that has the objects of an entity, by the entity's name at the import; nil if
    /// it has no table any more.
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
                    // A new table replaces the dropped one.
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
    /// Returns whether the operation creates a table with a name that another table had before.
    fileprivate func makes(_ table: String) -> Bool {
        switch self {
        case .replaceTable(table), .renameTable(_, to: table): true
        default: false
        }
    }
}
