import AshlarSQLite
public import SystemFoundation

/// An entry in a store's record of changes to its schema.
///
/// ``ModelContainer/migrationHistory()`` returns the entries.
///
///     for record in try container.migrationHistory() { print(record.date, record.source, record.destination) }
public struct MigrationRecord: Sendable, Hashable {
    /// The kind of a change to the schema.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The store was migrated to another version.
        case migration
        /// The schema was updated without another version.
        ///
        /// Indexes, triggers, defaults or foreign keys changed, or tables were added or removed with another
        /// configuration.
        case schemaUpdate
        /// A removed column or table was deleted later; see ``ModelContainer/finishDeferredMigration()``.
        case deferredRemoval
        /// The store was imported from one of Core Data or SwiftData, with the product `AshlarImport`.
        case imported
        /// References that several rows had to one object of a one-to-one relationship became nil, except for one.
        ///
        /// Stores of earlier releases of Ashlar may have such rows. The first opening that may write settles them.
        case referenceRepair
    }

    /// The kind of the change.
    public var kind: Kind
    /// The name of the store's version before the change.
    public var source: String
    /// The name of the store's version after the change.
    public var destination: String
    /// The hash of everything that makes the stores of two versions differ.
    public var versionHash: String
    /// The time of the change, to the second.
    public var date: Date
    /// The program that made the change; see ``MigrationOptions/programName``.
    public var program: String
    /// The version of SQLite that made the change.
    public var sqliteVersion: String
    /// Further details, such as the name of a removed column or table.
    public var detail: String
}

/// The table in which a store records the changes to its schema, one row for each step:
///
/// ```console
/// $ sqlite3 PhotoFeed.store 'SELECT * FROM "ashlar$migrations"'
/// ```
///
/// The table is created with its first row.
package struct MigrationLedger {
    static let tableName = "ashlar$migrations"

    let connection: Connection
    let program: String
    /// The name of the store on the connection.
    var schemaName: String

    package init(connection: Connection, program: String, schemaName: String = "main") {
        (self.connection, self.program, self.schemaName) = (connection, program, schemaName)
    }

    private var table: String { Self.table(in: schemaName) }

    private static func table(in schemaName: String) -> String { "\(schemaName).\(tableName.quotedIdentifier)" }

    /// Adds a row for a store that gets another version. The caller has a transaction.
    package func add(
        _ kind: MigrationRecord.Kind, from source: String, to version: ModelDescription.Version, detail: String = ""
    ) throws(SQLiteError) {
        try add(kind, source, version.name, version.versionHash, detail)
    }

    /// Adds a row for a store that keeps its version. The caller has a transaction.
    package func add(_ kind: MigrationRecord.Kind, to metadata: StoreMetadata, detail: String) throws(SQLiteError) {
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

    /// Returns the statement that creates the table if it is missing.
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

    /// Returns all rows, the oldest first.
    static func records(
        _ connection: Connection, in schemaName: String = "main"
    ) throws(SQLiteError) -> [MigrationRecord] {
        guard try connection.schema(of: schemaName).hasTable(tableName) else { return [] }
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
