import AshlarSQLite
import CoreDataStore
import SystemFoundation

/// The model that Core Data keeps in a store beside its data.
enum CachedModelContent {
    /// The model in a store; nil if there is none, as in very old stores.
    static func read(_ connection: Connection, _ schema: CoreDataSchema) throws(SQLiteError) -> Data? {
        guard schema.tables["Z_MODELCACHE"]?.contains("Z_CONTENT") == true else { return nil }
        let rows = try connection.rows(
            "SELECT \"Z_CONTENT\" FROM \(CoreDataCopy.sourceName).\"Z_MODELCACHE\" LIMIT 1")
        guard case .blob(let bytes)? = rows.first?.first else { return nil }
        return bytes
    }

    /// The former names of renamed entities, by their present names; empty if the model cannot be read.
    static func formerEntityNames(_ connection: Connection, _ schema: CoreDataSchema) -> [String: String] {
        guard let bytes = try? read(connection, schema), let archive = try? ModelArchive(bytes) else { return [:] }
        var names: [String: String] = [:]
        for position in archive.positions(ofClass: ["NSEntityDescription"]) {
            guard let name = archive.string(position, "NSEntityName") else { continue }
            names[name] = archive.string(position, "NSRenamingIdentifier")
        }
        return names
    }
}
