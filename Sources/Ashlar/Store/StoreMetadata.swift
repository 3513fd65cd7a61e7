import Foundation

/// What a store says of itself, in the table `ashlar$metadata`.
struct StoreMetadata {
    /// "Ashl" in ASCII, in the place that SQLite's header has for it.
    static let applicationIdentifier: Int32 = 0x4173_686C
    /// The number of the layout that this release writes.
    static let format = 1

    var format: Int
    var storeIdentifier: String
    var modelName: String
    var versionName: String
    var versionHash: String
    var schemaHash: String
    /// The hash of each entity after its name, a line each.
    var entityHashes: String

    /// Reads the metadata; nil when a needed row is missing.
    init?(_ connection: Connection) throws(SQLiteError) {
        let sql = "SELECT \"value\" FROM \"ashlar$metadata\" WHERE \"key\" = ?1"
        guard let format = try connection.integer(sql, [.text("format")]),
            let storeIdentifier = try connection.text(sql, [.text("storeIdentifier")]),
            let modelName = try connection.text(sql, [.text("model")]),
            let versionName = try connection.text(sql, [.text("version")]),
            let versionHash = try connection.text(sql, [.text("versionHash")]),
            let schemaHash = try connection.text(sql, [.text("schemaHash")])
        else { return nil }
        self.format = Int(format)
        self.storeIdentifier = storeIdentifier
        self.modelName = modelName
        self.versionName = versionName
        self.versionHash = versionHash
        self.schemaHash = schemaHash
        entityHashes = try connection.text(sql, [.text("entityHashes")]) ?? ""
    }

    /// Metadata of a new store.
    init(model: ModelDescription, version: ModelDescription.Version) {
        format = Self.format
        storeIdentifier = UUID().uuidString
        modelName = model.name
        versionName = version.name
        versionHash = version.versionHash
        schemaHash = version.schemaHash
        entityHashes = version.entityHashes
    }

    mutating func setVersion(_ version: ModelDescription.Version) {
        versionName = version.name
        versionHash = version.versionHash
        schemaHash = version.schemaHash
        entityHashes = version.entityHashes
    }

    func write(to connection: Connection) throws(SQLiteError) {
        let statement = try connection.statement(
            "INSERT INTO \"ashlar$metadata\" (\"key\", \"value\") VALUES (?1, ?2) "
                + "ON CONFLICT (\"key\") DO UPDATE SET \"value\" = excluded.\"value\"")
        let rows: [(String, SQLiteValue)] = [
            ("format", .integer(Int64(format))), ("storeIdentifier", .text(storeIdentifier)),
            ("model", .text(modelName)), ("version", .text(versionName)), ("versionHash", .text(versionHash)),
            ("schemaHash", .text(schemaHash)), ("entityHashes", .text(entityHashes)),
        ]
        for (key, value) in rows {
            statement.bind(key, 1)
            statement.bind(value, 2)
            try statement.run()
        }
    }
}
