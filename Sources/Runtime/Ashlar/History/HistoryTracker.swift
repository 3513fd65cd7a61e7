import AshlarSQLite
import SystemFoundation

/// Turns a store's history on and off, and keeps its triggers up to date with the model.
struct HistoryTracker {
    let model: ModelDescription
    let connection: Connection

    /// Returns whether the history of an attached store is on.
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

    /// Turns the history on or off, or leaves its state unchanged, and returns whether it is on.
    ///
    /// It writes only if something must change.
    ///
    /// - Parameter known: Whether the history is on; nil if it must be read.
    func apply(_ wanted: Bool?, isTracked known: Bool? = nil) throws -> Bool {
        let isTracked = try known ?? Self.isTracked(connection)
        guard wanted ?? isTracked else {
            if isTracked { try changing { try turnOff() } }
            return false
        }
        if isTracked, try isCurrent() { return true }
        // Another process may have turned it on in the meantime. Its records must stay.
        try changing { if try Self.isTracked(connection) { try update() } else { try turnOn() } }
        return true
    }

    /// Drops the triggers, so that a migration can change tables without being recorded. It requires a transaction.
    func suspend() throws(SQLiteError) {
        try connection.dropTriggers(named: HistoryTables.triggerPrefix)
    }

    /// Updates the triggers and the catalogue to the model. It requires a transaction.
    func update() throws(SQLiteError) {
        try suspend()
        let found = try HistoryCatalogue.ifExists(connection)
        let (catalogue, triggers) = try wanted(after: found)
        if catalogue != found { try catalogue.write(to: connection) }
        for (_, sql) in triggers { try connection.execute(sql) }
        connection.forgetStatements()
    }

    /// Deletes all recorded changes. Earlier tokens are expired from now on. It requires a transaction.
    func expire() throws(SQLiteError) {
        // This new number makes a token of the present moment expire too.
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

    /// Turns the history off. Its empty tables stay for programs that have the store open and write to them.
    private func turnOff() throws(SQLiteError) {
        try suspend()
        try expire()
        try connection.execute("UPDATE \"ashlar$historyState\" SET \"isTracked\" = 0")
        connection.forgetStatements()
    }

    /// Runs a closure in a transaction. If the schema was recorded as compared with the model before, it still is
    /// afterwards.
    private func changing(_ body: () throws -> Void) throws {
        try connection.transaction {
            var metadata = try StoreMetadata(connection)
            let wasCompared = try metadata?.schemaVersion == connection.integer("PRAGMA schema_version")
            try body()
            if wasCompared { try metadata?.writeSchemaVersion(to: connection) }
        }
    }

    // MARK: Expected definitions

    func isCurrent() throws(SQLiteError) -> Bool {
        let found = try HistoryCatalogue.ifExists(connection)
        let (catalogue, expected) = try wanted(after: found)
        guard catalogue == found else { return false }
        return try triggers() == Dictionary(expected.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the catalogue with all tables of the model in the store, and the triggers.
    private func wanted(
        after found: HistoryCatalogue
    ) throws(SQLiteError) -> (HistoryCatalogue, [(name: String, sql: String)]) {
        // A configuration of the model may assign only some entities to the store.
        let schema = try connection.schema()
        let tables = TrackedTable.tables(of: model).filter { schema.hasTable($0.name) }
        var catalogue = found
        for table in tables { catalogue.add(table) }
        return (
            catalogue, tables.flatMap { HistoryTriggers(table: $0, catalogue: catalogue).definitions }
        )
    }

    /// Returns the triggers in the store, with their statements.
    private func triggers() throws(SQLiteError) -> [String: String] {
        let triggers = try connection.schema().objects(.trigger).filter {
            $0.name.hasPrefix(HistoryTables.triggerPrefix)
        }
        return Dictionary(triggers.map { ($0.name, $0.sql ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}

extension Connection {
    /// Drops the triggers whose names begin with a prefix.
    package func dropTriggers(named prefix: String) throws(SQLiteError) {
        for name in try schema().objects(.trigger).map(\.name).filter({ $0.hasPrefix(prefix) }).sorted() {
            try execute("DROP TRIGGER \(name.quotedIdentifier)")
        }
    }
}

extension SQLiteValue {
    /// The text of a column that contains only texts.
    package var storedText: String { if case .text(let text) = self { text } else { "" } }

    /// The integer of a column that contains only integers.
    package var storedInteger: Int64 { if case .integer(let integer) = self { integer } else { 0 } }
}
