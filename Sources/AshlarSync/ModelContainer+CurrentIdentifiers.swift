public import Ashlar
import AshlarSQLite
public import Foundation

extension StoreSync {
    /// The identifier by which an object is known now that had another before the store met its log, or became one with another.
    ///
    /// - Throws: `StoreError`.
    public nonisolated func currentIdentifier(for identifier: PersistentIdentifier) throws -> PersistentIdentifier {
        try container.currentIdentifier(for: identifier)
    }
}

extension ModelContainer {
    /// The identifier by which an object is known now whose URI was kept somewhere, before the store met its log, say, or before the
    /// object became one with another.
    ///
    ///     if let identifier = try container.identifier(for: uri) {
    ///         let post: Post = try context.model(for: identifier)
    ///     }
    ///
    /// Whether the object is still there is not looked at. Core Data's `managedObjectID(forURIRepresentation:)`.
    ///
    /// - Returns: Nil for what is no URI of an object of this container.
    /// - Throws: `StoreError`.
    public func identifier(for uri: URL) throws -> PersistentIdentifier? {
        guard let identifier = PersistentIdentifier(uriRepresentation: uri),
            store(of: identifier) != nil
        else { return nil }
        return try currentIdentifier(for: identifier)
    }

    func currentIdentifier(for identifier: PersistentIdentifier) throws -> PersistentIdentifier {
        // The row of another store, or of none, was never another one here.
        guard store(of: identifier) != nil else { return identifier }
        return try readRows("looking for an object") { connection in
            // One that never followed a log has no such table.
            let isFollowing = try connection.integer(
                "SELECT 1 FROM \"sqlite_schema\" WHERE \"type\" = 'table' AND \"name\" = 'ashlar$syncAlias'")
            if isFollowing == nil { return identifier }
            let model = ChangedTables(self.model, connection)
            let found = try connection.integer(
                "SELECT \"current\" FROM \"ashlar$syncAlias\" WHERE \"table\" = ?1 AND \"row\" = ?2",
                [.text(model.tableName(of: identifier)), .integer(identifier.rowID)])
            return found.map { model.identifier($0, like: identifier) } ?? identifier
        }
    }
}
