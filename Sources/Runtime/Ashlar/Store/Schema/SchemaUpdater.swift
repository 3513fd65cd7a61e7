import AshlarSQLite
import SystemFoundation

/// Gives a store of the current version the model's current indexes, triggers, defaults and foreign keys.
///
/// These may change without a new version of the model; the model's second hash covers them. Indexes, triggers, views,
/// tables and columns that were added by hand stay.
struct SchemaUpdater {
    let model: ModelDescription
    let url: URL
    let connection: Connection

    /// Returns the differences between the store and the model.
    ///
    /// - Throws: ``StoreError/alteredSchema(_:differences:)`` if an update cannot repair them.
    func compare() throws -> SchemaComparison {
        let comparison = SchemaComparison(
            found: try SchemaCatalogue(connection), expected: try SchemaCatalogue(of: model.schema))
        let alterations = comparison.alterations
        if !alterations.isEmpty { throw StoreError.alteredSchema(url, differences: alterations) }
        return comparison
    }

    /// Drops all of Ashlar's indexes, triggers and virtual tables. The tables hold all data.
    func dropObjects() throws {
        let found = try SchemaCatalogue(connection)
        let names = found.objects.keys.filter(SchemaComparison.isOurs).sorted()
        try drop(names.compactMap { name in found.objects[name].map { (name, $0) } })
    }

    /// Updates the schema. The caller has a transaction in which foreign keys are not enforced.
    func update() throws {
        let comparison = try compare()
        let rebuilt = comparison.tablesToRebuild
        let dropped = comparison.objectsToDrop.compactMap { name in comparison.found.objects[name].map { (name, $0) } }
        try drop(dropped)
        let gone = Set(dropped.map(\.0))
        for table in rebuilt { try rebuild(table, comparison, without: gone) }
        try create(comparison, of: model.currentVersion)
        try checkReferences(of: rebuilt)
    }

    // MARK: Objects

    /// Creates the indexes, triggers and virtual tables of a version's catalogue that are missing.
    func create(_ expected: SchemaCatalogue, of version: ModelDescription.Version) throws {
        try create(SchemaComparison(found: try SchemaCatalogue(connection), expected: expected), of: version)
    }

    private func drop(_ objects: [(name: String, object: SchemaCatalogue.Object)]) throws {
        // Triggers refer to virtual tables, so they are dropped first.
        for (name, object) in objects where object.kind != .virtualTable {
            try connection.execute("DROP \(object.kind == .index ? "INDEX" : "TRIGGER") \(name.quotedIdentifier)")
        }
        for (name, object) in objects where object.kind == .virtualTable {
            try connection.execute("DROP TABLE \(name.quotedIdentifier)")
        }
    }

    private func create(_ comparison: SchemaComparison, of version: ModelDescription.Version?) throws {
        let created = comparison.objectsToCreate.compactMap { name in
            comparison.expected.objects[name].map { (name, $0) }
        }
        for (name, object) in created where object.kind == .virtualTable {
            guard let table = version?.virtualTable(named: name) else {
                throw StoreError.schemaUpdateRefused(
                    url, object: name,
                    reason: "the model does not describe its contents; rebuild the program with this version of Ashlar")
            }
            try connection.execute(object.sql)
            try connection.execute(table.contents.filling)
        }
        for (name, object) in created where object.kind == .index { try createIndex(name, object) }
        for (_, object) in created where object.kind == .trigger { try connection.execute(object.sql) }
    }

    private func createIndex(_ name: String, _ object: SchemaCatalogue.Object) throws {
        do {
            try connection.execute(object.sql)
        } catch {
            guard error.code == SQLITE_CONSTRAINT else { throw error }
            throw StoreError.schemaUpdateRefused(
                url, object: name, reason: "several rows have equal values, but must be unique now (\(error.message))")
        }
    }

    // MARK: Tables

    /// Recreates a table with its rows, its greatest used rowid, its indexes and its triggers.
    private func rebuild(_ name: String, _ comparison: SchemaComparison, without dropped: Set<String>) throws {
        guard let expected = comparison.expected.tables[name], let found = comparison.found.tables[name],
            let definition = comparison.expected.definitions[name]
        else { return }
        let prefix = "CREATE TABLE \(name.quotedIdentifier) "
        guard definition.hasPrefix(prefix) else {
            throw StoreError.schemaUpdateRefused(url, object: name, reason: "its definition cannot be read")
        }
        let temporary = "\(name)$$new".quotedIdentifier
        let added = found.columns.values.filter { expected.columns[$0.name] == nil }.sorted { $0.name < $1.name }
        try refuseColumnsThatCannotBeKept(added, in: found, name)
        try connection.execute("CREATE TABLE \(temporary) \(definition.dropFirst(prefix.count))")
        for column in added {
            let rule = column.defaultValue.map { " DEFAULT (\($0))" } ?? ""
            try connection.execute(
                "ALTER TABLE \(temporary) ADD COLUMN \(column.name.quotedIdentifier) \(column.type)"
                    + " COLLATE \(column.collation.quotedIdentifier)\(column.isRequired ? " NOT NULL" : "")\(rule)")
        }
        let columns = found.columns.keys.sorted().map(\.quotedIdentifier).joined(separator: ", ")
        let mark = "SELECT \"seq\" FROM \"sqlite_sequence\" WHERE \"name\" = ?1"
        let usesMark = expected.columns.values.contains(where: \.isAutoincrement)
        let used = usesMark ? try connection.integer(mark, [.text(name)]) : nil
        try connection.execute(
            "INSERT INTO \(temporary) (\(columns)) SELECT \(columns) FROM \(name.quotedIdentifier)")
        try connection.execute("DROP TABLE \(name.quotedIdentifier)")
        // Renaming the table must neither change nor check the objects that refer to its new name.
        try connection.execute("PRAGMA legacy_alter_table = ON")
        try connection.execute("ALTER TABLE \(temporary) RENAME TO \(name.quotedIdentifier)")
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        if let used { try setMark(used, of: name) }
        for (object, description) in comparison.found.objects.sorted(by: { $0.key < $1.key })
        where description.table == name && description.kind != .virtualTable && !dropped.contains(object) {
            let kind: StoredDefinition.Kind = description.kind == .index ? .index : .trigger
            try connection.make(StoredDefinition(kind: kind, name: object, sql: description.sql), of: url)
        }
    }

    private func refuseColumnsThatCannotBeKept(
        _ columns: [SchemaCatalogue.Column], in table: SchemaCatalogue.Table, _ name: String
    ) throws {
        for column in columns {
            let isReference = table.references.contains { $0.column == column.name }
            guard !column.isOrdinary || isReference || column.isRequired && column.defaultValue == nil else { continue }
            throw StoreError.schemaUpdateRefused(
                url, object: "\(name).\(column.name)",
                reason: "the column was added by hand in a way that cannot be kept; drop it first")
        }
    }

    private func setMark(_ mark: Int64, of name: String) throws {
        let update = try connection.statement("UPDATE \"sqlite_sequence\" SET \"seq\" = ?2 WHERE \"name\" = ?1")
        update.bind(name, 1)
        update.bind(mark, 2)
        try update.run()
        if connection.changes > 0 { return }
        let insert = try connection.statement("INSERT INTO \"sqlite_sequence\" (\"name\", \"seq\") VALUES (?1, ?2)")
        insert.bind(name, 1)
        insert.bind(mark, 2)
        try insert.run()
    }

    private func checkReferences(of tables: [String]) throws {
        for table in tables {
            guard let row = try connection.foreignKeyViolations(of: table, limit: 1).first else { continue }
            throw StoreError.schemaUpdateRefused(
                url, object: table,
                reason: "\(row.rowID.map { "row \($0)" } ?? "a row") refers to a missing row of \(row.parent)")
        }
    }
}
