public import Ashlar
import AshlarSQLite
public import Foundation

extension StoreSync {
    /// Returns the present identifier of an object whose identifier changed.
    ///
    /// It changes when the store first connects to its log, and when two objects are merged.
    ///
    /// - Parameter identifier: An earlier identifier of the object.
    /// - Throws: `StoreError` if the store cannot be read.
    public nonisolated func currentIdentifier(for identifier: PersistentIdentifier) throws -> PersistentIdentifier {
        try container.currentIdentifier(for: identifier)
    }
}

extension ModelContainer {
    /// Returns the present identifier of the object of a URI that the program kept elsewhere.
    ///
    /// The identifier may have changed since, when the store first connected to its log, or when two objects were
    /// merged.
    ///
    ///     if let identifier = try container.identifier(for: uri) {
    ///         let post: Post = try context.model(for: identifier)
    ///     }
    ///
    /// The method does not check that the object still exists. Core Data's counterpart is
    /// `managedObjectID(forURIRepresentation:)`.
    ///
    /// - Parameter uri: A URI of `PersistentIdentifier`.
    /// - Returns: Nil if the URI does not represent an object of this container.
    /// - Throws: `StoreError` if the store cannot be read.
    public func identifier(for uri: URL) throws -> PersistentIdentifier? {
        guard let identifier = PersistentIdentifier(uriRepresentation: uri),
            store(of: identifier) != nil
        else { return nil }
        return try currentIdentifier(for: identifier)
    }

    func currentIdentifier(for identifier: PersistentIdentifier) throws -> PersistentIdentifier {
        // Identifiers of other stores never changed here.
        guard store(of: identifier) != nil else { return identifier }
        return try readRows("looking for an object") { connection in
            // A store that never followed a log has no such table.
            guard try connection.schema().hasTable("ashlar$syncAlias") else { return identifier }
            let model = ChangedTables(self.model, connection)
            let found = try connection.integer(
                "SELECT \"current\" FROM \"ashlar$syncAlias\" WHERE \"table\" = ?1 AND \"row\" = ?2",
                [.text(model.tableName(of: identifier)), .integer(identifier.rowID)])
            return found.map { model.identifier($0, like: identifier) } ?? identifier
        }
    }
}
