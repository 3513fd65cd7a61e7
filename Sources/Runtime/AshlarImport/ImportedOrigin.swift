import Ashlar
import AshlarSQLite
import SystemFoundation

/// The origin of an imported store, which the store keeps. With it, the URIs that Core Data gave its objects still lead
/// to them; a program may have kept such URIs anywhere.
struct ImportedOrigin {
    private static let key = "importedVersionHash"

    /// The hash of the old store's version.
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
