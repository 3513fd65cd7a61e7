import Ashlar
import AshlarSQLite
import SystemFoundation

/// Where a store was imported from, as the store itself keeps it: by this the URIs of its objects that Core Data gave, and that
/// a program may have kept anywhere, lead to them still.
struct ImportedOrigin {
    private static let key = "importedVersionHash"

    /// The hash of the version that the old store was of.
    var versionHash: String

    func write(to connection: Connection) throws(SQLiteError) {
        try StoreMetadata.set(.text(versionHash), Self.key, connection)
    }

    init(versionHash: String) { self.versionHash = versionHash }

    /// Reads it; nil for a store that was not imported.
    init?(_ connection: Connection, in schemaName: String) throws(SQLiteError) {
        let rows = try connection.rows(
            "SELECT \"value\" FROM \(schemaName).\"ashlar$metadata\" WHERE \"key\" = ?1", [.text(Self.key)])
        guard case .text(let hash)? = rows.first?.first else { return nil }
        versionHash = hash
    }
}
