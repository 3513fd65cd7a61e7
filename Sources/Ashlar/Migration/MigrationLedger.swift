import AshlarSQLite
public import SystemFoundation

/// Something that was done to the schema of a store, as its ledger has it.
public struct MigrationRecord: Sendable, Hashable {
    /// What was done.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The store became one of another version.
        case migration
        /// Indexes, triggers, defaults or foreign keys were brought up to date, or tables came and went with another
        /// configuration, without another version.
        case schemaUpdate
        /// A removed column or table was taken away later.
        case deferredRemoval
        /// The store was made of one that Core Data or SwiftData wrote; see ``ModelConfiguration/importing``.
        case imported
    }

    /// What was done.
    public var kind: Kind
    /// The name of the version that the store was of.
    public var source: String
    /// The name of the version that it is of since.
    public var destination: String
    /// The hash of what makes the version another than the one before.
    public var versionHash: String
    /// When it was done, to the second.
    public var date: Date
    /// What did it; see ``MigrationOptions/programName``.
    public var program: String
    /// The version of SQLite that did it.
    public var sqliteVersion: String
    /// What else there is to say, such as what was removed.
    public var detail: String
}

/// The table in which a store keeps what was done to its schema, a row for each step:
///
/// ```console
/// $ sqlite3 PhotoFeed.store 'SELECT * FROM "ashlar$migrations"'
/// ```
///
/// It is made with the first of them.
struct MigrationLedger {
    static let tableName = "ashlar$migrations"

    let connection: Connection
    let program: String
    /// The name by which the connection knows the store.
    var schemaName = "main"

    private var table: String { Self.table(in: schemaName) }

    private static func table(in schemaName: String) -> String { "\(schemaName).\(tableName.quotedIdentifier)" }

    /// Adds a row about a store that became one of another version. The caller has a transaction.
    func add(
        _ kind: MigrationRecord.Kind, from source: String, to version: ModelDescription.Version, detail: String = ""
    ) throws(SQLiteError) {
        try add(kind, source, version.name, version.versionHash, detail)
    }

    /// Adds a row about a store that stays of its version. The caller has a transaction.
    func add(_ kind: MigrationRecord.Kind, to metadata: StoreMetadata, detail: String) throws(SQLiteError) {
        try add(kind, metadata.versionName, metadata.versionName, metadata.versionHash, detail)
    }

    private func add(
        _ kind: MigrationRecord.Kind, _ source: String, _ destination: String, _ versionHash: String, _ detail: String
    ) throws(SQLiteError) {
        try connection.execute(Self.definition(in: schemaName))
        let statement = try connection.statement(
            """
            INSERT INTO \(table)
                ("kind", "source", "destination", "versionHash", "date", "program", "sqliteVersion", "detail")
            VALUES (?1, ?2, ?3, ?4, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?5, sqlite_version(), ?6)
            """)
        for (index, text) in [kind.rawValue, source, destination, versionHash, program, detail].enumerated() {
            statement.bind(text, Int32(index + 1))
        }
        try statement.run()
    }

    /// The statement that makes the table where it is not there.
    static func definition(in schemaName: String = "main") -> String {
        """
        CREATE TABLE IF NOT EXISTS \(table(in: schemaName)) (
            "number" INTEGER PRIMARY KEY,
            "kind" TEXT NOT NULL,
            "source" TEXT NOT NULL,
            "destination" TEXT NOT NULL,
            "versionHash" TEXT NOT NULL,
            "date" TEXT NOT NULL,
            "program" TEXT NOT NULL,
            "sqliteVersion" TEXT NOT NULL,
            "detail" TEXT NOT NULL
        ) STRICT
        """
    }

    /// All rows, the oldest first.
    static func records(
        _ connection: Connection, in schemaName: String = "main"
    ) throws(SQLiteError) -> [MigrationRecord] {
        let exists = try connection.integer(
            "SELECT 1 FROM \(schemaName).\"sqlite_schema\" WHERE \"type\" = 'table' AND \"name\" = '\(tableName)'")
        if exists == nil { return [] }
        let rows = try connection.rows(
            """
            SELECT "kind", "source", "destination", "versionHash", unixepoch("date"), "program", "sqliteVersion",
                "detail"
            FROM \(table(in: schemaName)) ORDER BY "number"
            """)
        return rows.map { row in
            MigrationRecord(
                kind: MigrationRecord.Kind(rawValue: row[0].text) ?? .migration, source: row[1].text,
                destination: row[2].text, versionHash: row[3].text,
                date: Date(timeIntervalSince1970: TimeInterval(row[4].integer)), program: row[5].text,
                sqliteVersion: row[6].text, detail: row[7].text)
        }
    }
}
