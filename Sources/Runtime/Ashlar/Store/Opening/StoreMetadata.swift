import AshlarSQLite
import SystemFoundation

/// The metadata of a store: its identity, its version of the model, and values of the program.
///
/// ``ModelContainer/metadata()`` reads that of an open store, ``ModelContainer/metadata(ofStoreAt:)`` that of any
/// store.
///
///     let metadata = try ModelContainer.metadata(ofStoreAt: url)
///     print(metadata.modelName, metadata.versionName, metadata.values["dataset"] as Any)
///
/// Core Data's counterpart is the dictionary of `metadata(for:)`. The values are in the table `ashlar$metadata`.
public struct StoreMetadata: Sendable, Hashable {
    /// "Ashl" in ASCII, in the place that SQLite's header has for it.
    package static let applicationIdentifier: Int32 = 0x4173_686C
    /// The number of the layout that this release writes.
    static let format = 1
    /// The prefix of the program's own keys in the table.
    static let userPrefix = "user:"
    /// A text that sorts after all such keys.
    private static let userPrefixEnd = "user;"

    var format: Int
    /// The store's UUID, which is created with the store and kept by migrations and copies.
    public package(set) var storeIdentifier: String
    /// The name of the model.
    public internal(set) var modelName: String
    /// The name of the model's version.
    public internal(set) var versionName: String
    /// The hash of everything that makes the stores of two versions differ.
    public internal(set) var versionHash: String
    /// The hash of everything that the schema depends on, including indexes and defaults.
    public package(set) var schemaHash: String
    /// The name and the hash of each entity, one line each.
    package var entityHashes: String
    /// The beginnings of the hashes of all versions up to the store's. With them, an older program detects that the
    /// store is newer.
    var knownVersions: Set<String> = []
    /// SQLite's own count of schema changes at the time when the schema was last known to match the model.
    var schemaVersion: Int64?
    /// The numbers that the store gives to new objects; nil if it may give any.
    var identifierRange: IdentifierRange?
    /// Whether no two rows refer to one row by a one-to-one relationship. Stores of the first release may have such
    /// rows.
    var hasSingleReferences = false
    /// The values of the program, which ``ModelContainer/setMetadata(_:forKey:)`` stores.
    public internal(set) var values: [String: StoreMetadataValue] = [:]

    /// The names of the entities that the store holds: all of its version of the model, or those of a configuration.
    public var entityNames: Set<String> { ModelDescription.Version.names(entityHashes) }

    /// Reads the metadata; nil if a required row or the table is missing.
    package init?(_ connection: Connection, in schema: String = "main") throws(SQLiteError) {
        var stored = Stored()
        do throws(SQLiteError) {
            let statement = try connection.statement(
                "SELECT \"key\", \"value\" FROM \(schema).\"ashlar$metadata\" "
                    + "WHERE \"key\" NOT BETWEEN ?1 AND ?2")
            if connection.isNoTable("ashlar$metadata", in: schema) { return nil }
            defer { statement.reset() }
            statement.bind(Self.userPrefix, 1)
            statement.bind(Self.userPrefixEnd, 2)
            let row = Row(statement: statement.handle, store: 0)
            while try statement.step() { stored.add(row) }
        } catch {
            if error.isMissingTable { return nil }
            throw error
        }
        guard let format = stored.format, let storeIdentifier = stored.storeIdentifier,
            let modelName = stored.modelName, let versionName = stored.versionName,
            let versionHash = stored.versionHash, let schemaHash = stored.schemaHash
        else { return nil }
        self.format = Int(clamping: format)
        self.storeIdentifier = storeIdentifier
        self.modelName = modelName
        self.versionName = versionName
        self.versionHash = versionHash
        self.schemaHash = schemaHash
        entityHashes = stored.entityHashes
        knownVersions = Set(stored.knownVersions.split(separator: "\n").map(String.init))
        schemaVersion = stored.schemaVersion
        identifierRange = try stored.identifierRange.map(Self.identifierRange)
        hasSingleReferences = stored.hasSingleReferences
    }

    /// The values read from the table, before it is known whether they are complete.
    private struct Stored {
        var format: Int64?
        var storeIdentifier: String?
        var modelName: String?
        var versionName: String?
        var versionHash: String?
        var schemaHash: String?
        var entityHashes = ""
        var knownVersions = ""
        var schemaVersion: Int64?
        var identifierRange: String?
        var hasSingleReferences = false

        mutating func add(_ row: Row) {
            switch row.optionalString(0) {
            case "format": format = row.optionalInt64(1)
            case "storeIdentifier": storeIdentifier = row.optionalString(1)
            case "model": modelName = row.optionalString(1)
            case "version": versionName = row.optionalString(1)
            case "versionHash": versionHash = row.optionalString(1)
            case "schemaHash": schemaHash = row.optionalString(1)
            case "entityHashes": entityHashes = row.optionalString(1) ?? ""
            case "knownVersions": knownVersions = row.optionalString(1) ?? ""
            case "schemaVersion": schemaVersion = row.optionalInt64(1)
            case StoreMetadata.singleReferencesKey: hasSingleReferences = row.optionalInt64(1) == 1
            case StoreMetadata.identifierRangeKey: identifierRange = row.optionalString(1) ?? ""
            default: break
            }
        }
    }

    /// Metadata of a new store.
    package init(model: ModelDescription, version: ModelDescription.Version) {
        format = Self.format
        storeIdentifier = UUID().uuidString
        modelName = model.name
        versionName = version.name
        versionHash = version.versionHash
        schemaHash = version.schemaHash
        entityHashes = version.entityHashes
        knownVersions = Set(model.versions.map(\.shortHash))
        hasSingleReferences = true
    }

    mutating func setVersion(_ version: ModelDescription.Version, of model: ModelDescription) {
        knownVersions = Set(model.versions.map(\.shortHash))
        versionName = version.name
        versionHash = version.versionHash
        schemaHash = version.schemaHash
        entityHashes = version.entityHashes
    }

    /// Returns whether a version is the store's, or an earlier one.
    package func knows(versionHash: String) -> Bool {
        knownVersions.contains(ModelDescription.Version.shortHash(of: versionHash))
    }

    /// Writes all values except the program's own, and records that the schema matches the model.
    package mutating func write(to connection: Connection) throws(SQLiteError) {
        let rows: [(String, SQLiteValue)] = [
            ("format", .integer(Int64(format))), ("storeIdentifier", .text(storeIdentifier)),
            ("model", .text(modelName)), ("version", .text(versionName)), ("versionHash", .text(versionHash)),
            ("schemaHash", .text(schemaHash)), ("entityHashes", .text(entityHashes)),
            ("knownVersions", .text(knownVersions.sorted().joined(separator: "\n"))),
        ]
        for (key, value) in rows { try Self.set(value, key, connection) }
        if let identifierRange { try Self.set(identifierRange, connection, in: "main") }
        if hasSingleReferences { try Self.set(.integer(1), Self.singleReferencesKey, connection) }
        try writeSchemaVersion(to: connection)
    }

    /// Records the current schema as one that was compared with the model's.
    mutating func writeSchemaVersion(to connection: Connection, in schema: String = "main") throws(SQLiteError) {
        schemaVersion = try connection.integer("PRAGMA \(schema).schema_version")
        try Self.set(.integer(schemaVersion ?? 0), "schemaVersion", connection, in: schema)
    }

    /// Sets one of Ashlar's own values. The caller has a transaction.
    package static func set(
        _ value: SQLiteValue, _ key: String, _ connection: Connection, in schema: String = "main"
    ) throws(SQLiteError) {
        let statement = try connection.statement(
            "INSERT INTO \(schema).\"ashlar$metadata\" (\"key\", \"value\") VALUES (?1, ?2) "
                + "ON CONFLICT (\"key\") DO UPDATE SET \"value\" = excluded.\"value\"")
        statement.bind(key, 1)
        statement.bind(value, 2)
        try statement.run()
    }

    private static let singleReferencesKey = "singleReferences"

    /// Records that no two rows refer to one row by a one-to-one relationship. The caller has a transaction.
    mutating func noteSingleReferences(_ connection: Connection) throws(SQLiteError) {
        hasSingleReferences = true
        try Self.set(.integer(1), Self.singleReferencesKey, connection)
    }

    // MARK: Identifiers

    private static let identifierRangeKey = "identifierRange"

    /// Returns the numbers that a store gives to new objects; nil if it may give any.
    static func identifierRange(
        _ connection: Connection, in schema: String
    ) throws(SQLiteError) -> IdentifierRange? {
        let rows = try connection.rows(
            "SELECT \"value\" FROM \(schema).\"ashlar$metadata\" WHERE \"key\" = ?1", [.text(identifierRangeKey)])
        return try rows.first.map { row throws(SQLiteError) in try identifierRange(row[0].storedText) }
    }

    /// Returns the range that an untrusted text represents.
    private static func identifierRange(_ text: String) throws(SQLiteError) -> IdentifierRange {
        if let range = IdentifierRange(text: text) { return range }
        throw SQLiteError(
            code: SQLITE_CORRUPT, extendedCode: SQLITE_CORRUPT,
            message: "\"identifierRange\" in ashlar$metadata is not a range of identifiers", sql: "")
    }

    static func set(
        _ range: IdentifierRange, _ connection: Connection, in schema: String
    ) throws(SQLiteError) {
        try set(.text(range.text), identifierRangeKey, connection, in: schema)
    }

    /// Records the numbers that were given, before tables are recreated and lose them.
    mutating func noteUsedIdentifiers(_ connection: Connection) throws(SQLiteError) {
        guard var range = identifierRange else { return }
        let last = try connection.integer(
            "SELECT max(\"seq\") FROM \"sqlite_sequence\" WHERE \"seq\" BETWEEN ?1 AND ?2",
            [.integer(range.numbers.lowerBound), .integer(range.numbers.upperBound)])
        guard let last else { return }
        range.noteUse(from: range.numbers.lowerBound, through: last)
        identifierRange = range
    }

    // MARK: The program's own values

    /// Reads the program's own values.
    mutating func readValues(_ connection: Connection, in schema: String = "main") throws {
        let rows = try connection.rows(
            "SELECT \"key\", \"value\" FROM \(schema).\"ashlar$metadata\" WHERE \"key\" >= ?1 AND \"key\" < ?2",
            [.text(Self.userPrefix), .text(Self.userPrefixEnd)])
        for row in rows {
            guard case .text(let key) = row[0], case .text(let json) = row[1] else { continue }
            values[String(key.dropFirst(Self.userPrefix.count))] = try StoreMetadataValue(json: json)
        }
    }

    /// Sets one of the program's own values, or removes it. The caller has a transaction.
    static func set(
        _ value: StoreMetadataValue?, forKey key: String, _ connection: Connection, in schema: String = "main"
    ) throws {
        let key = userPrefix + key
        if let value { return try set(.text(value.json()), key, connection, in: schema) }
        let statement = try connection.statement("DELETE FROM \(schema).\"ashlar$metadata\" WHERE \"key\" = ?1")
        statement.bind(key, 1)
        try statement.run()
    }
}
