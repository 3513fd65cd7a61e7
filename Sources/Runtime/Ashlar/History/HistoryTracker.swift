import AshlarSQLite
import SystemFoundation

/// Turns a store's history on and off, and keeps its triggers those of the model.
struct HistoryTracker {
    let model: ModelDescription
    let connection: Connection

    /// Returns whether the history of a store is on that the connection knows by a name.
    static func isTracked(_ connection: Connection, _ schemaName: String = "main") throws(SQLiteError) -> Bool {
        let query = "SELECT \"isTracked\" FROM \(schemaName).\"ashlar$historyState\""
        do {
            _ = try connection.statement(query)
            if connection.isNoTable("ashlar$historyState", in: schemaName) { return false }
            return try connection.integer(query) == 1
        } catch {
            if error.isMissingTable { return false }
            throw error
        }
    }

    /// Turns the history on or off, or leaves it as the store has it, and gives whether it is on.
    ///
    /// Where nothing has to be done, as mostly, nothing is written.
    ///
    /// - Parameter known: Whether the history is on; nil where that is to be asked.
    func apply(_ wanted: Bool?, isTracked known: Bool? = nil) throws -> Bool {
        let isTracked = try known ?? Self.isTracked(connection)
        guard wanted ?? isTracked else {
            if isTracked { try changing { try turnOff() } }
            return false
        }
        if isTracked, try isCurrent() { return true }
        // Another process may have turned it on meanwhile, and what it recorded must stay.
        try changing { if try Self.isTracked(connection) { try update() } else { try turnOn() } }
        return true
    }

    /// Drops the triggers, so that a migration may change tables and is not recorded. The caller has a transaction.
    func suspend() throws(SQLiteError) {
        try connection.dropTriggers(named: HistoryTables.triggerPrefix)
    }

    /// Makes the triggers and the catalogue those of the model. The caller has a transaction.
    func update() throws(SQLiteError) {
        try suspend()
        let found = try HistoryCatalogue.ifExists(connection)
        let (catalogue, triggers) = try wanted(after: found)
        if catalogue != found { try catalogue.write(to: connection) }
        for (_, sql) in triggers { try connection.execute(sql) }
        connection.forgetStatements()
    }

    /// Forgets all that was recorded: tokens from before are too old from now on. The caller has a transaction.
    func expire() throws(SQLiteError) {
        // A number that no change has, so that a token of this moment is too old too.
        try connection.execute([
            "INSERT INTO \"ashlar$change\" (\"entity\", \"row\", \"kind\") VALUES (0, 0, \(RecordedKind.none))",
            "DELETE FROM \"ashlar$change\" WHERE \"number\" < (SELECT max(\"number\") FROM \"ashlar$change\")",
            "DELETE FROM \"ashlar$tombstone\"",
            "DELETE FROM \"ashlar$transaction\"",
            """
            INSERT INTO "ashlar$transaction" ("last", "first", "timestamp")
            SELECT "number", "number", \(Date().timeIntervalSinceReferenceDate) FROM "ashlar$change"
            """,
            "UPDATE \"ashlar$historyState\" SET \"purged\" = (SELECT max(\"number\") FROM \"ashlar$change\")",
        ])
    }

    private func turnOn() throws(SQLiteError) {
        for statement in HistoryTables.definitions { try connection.execute(statement) }
        try expire()
        try update()
        try connection.execute("UPDATE \"ashlar$historyState\" SET \"isTracked\" = 1")
    }

    /// The tables stay, empty, for programs that have the store open and write to them.
    private func turnOff() throws(SQLiteError) {
        try suspend()
        try expire()
        try connection.execute("UPDATE \"ashlar$historyState\" SET \"isTracked\" = 0")
        connection.forgetStatements()
    }

    /// Runs a closure in a transaction, after which the schema counts as compared with the model's if it did before.
    private func changing(_ body: () throws -> Void) throws {
        try connection.transaction {
            var metadata = try StoreMetadata(connection)
            let wasCompared = try metadata?.schemaVersion == connection.integer("PRAGMA schema_version")
            try body()
            if wasCompared { try metadata?.writeSchemaVersion(to: connection) }
        }
    }

    // MARK: What should be

    func isCurrent() throws(SQLiteError) -> Bool {
        let found = try HistoryCatalogue.ifExists(connection)
        let (catalogue, expected) = try wanted(after: found)
        guard catalogue == found else { return false }
        return try triggers() == Dictionary(expected.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })
    }

    /// The catalogue with all that the store has of the model, and the triggers.
    private func wanted(
        after found: HistoryCatalogue
    ) throws(SQLiteError) -> (HistoryCatalogue, [(name: String, sql: String)]) {
        // A configuration of the model may give the store some entities only.
        let schema = try connection.schema()
        let tables = TrackedTable.tables(of: model).filter { schema.hasTable($0.name) }
        var catalogue = found
        for table in tables { catalogue.add(table) }
        return (
            catalogue, tables.flatMap { HistoryTriggers(table: $0, catalogue: catalogue).definitions }
        )
    }

    /// The triggers that the store has, with their statements.
    private func triggers() throws(SQLiteError) -> [String: String] {
        let triggers = try connection.schema().objects(.trigger).filter {
            $0.name.hasPrefix(HistoryTables.triggerPrefix)
        }
        return Dictionary(triggers.map { ($0.name, $0.sql ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}

extension Connection {
    /// Drops the triggers whose names begin with a text.
    package func dropTriggers(named prefix: String) throws(SQLiteError) {
        for name in try schema().objects(.trigger).map(\.name).filter({ $0.hasPrefix(prefix) }).sorted() {
            try execute("DROP TRIGGER \(name.quotedIdentifier)")
        }
    }
}

extension SQLiteValue {
    /// The text in a column that holds nothing else.
    package var storedText: String { if case .text(let text) = self { text } else { "" } }

    /// The integer in a column that holds nothing else.
    package var storedInteger: Int64 { if case .integer(let integer) = self { integer } else { 0 } }
}
