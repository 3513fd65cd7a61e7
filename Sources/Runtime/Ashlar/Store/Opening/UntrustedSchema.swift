import AshlarSQLite
import ChainCollapse
import SystemFoundation

/// The required schema of an untrusted store: exactly that of the model; see ``StoreOptions/isUntrusted``.
///
/// Triggers, views, generated columns and constraints in the file may compute forever, and run when their table is read
/// or written. Reading SQLite's schema itself is safe.
struct UntrustedSchema {
    let url: URL
    let connection: Connection

    // MARK: Before a table is read

    /// Throws if the schema has an object that no store of Ashlar has. It is called before the store's version is
    /// known.
    ///
    /// - Throws: ``StoreError/untrustedSchema(_:differences:)``.
    func checkForm() throws {
        var differences: [String] = []
        let schema = try connection.schema()
        for object in schema.objects.sorted(by: { ($0.kind.rawValue, $0.name) < ($1.kind.rawValue, $1.name) }) {
            let name = object.name
            let isOurs =
                switch object.kind {
                case .table: !name.hasPrefix("ashlar$") || isPlain(name, schema)
                case .index: object.sql == nil || name.contains("$")
                case .trigger: name.contains("$") && !object.tableName.hasPrefix("ashlar$")
                case .view, .other: false
                }
            if !isOurs { differences.append("The \(object.kind) \(name) is not in the model.") }
        }
        try refuse(differences)
    }

    /// Returns whether a table of Ashlar's own has only ordinary columns.
    private func isPlain(_ table: String, _ schema: DatabaseSchema) -> Bool {
        (try? schema.columns(of: table).allSatisfy(\.isOrdinary)) ?? false
    }

    // MARK: Before a table of the model's is read

    /// Throws if the schema differs from that of the store's version.
    ///
    /// - Parameters:
    ///   - model: The model as the store sees it.
    ///   - isOlder: Whether the version had other indexes and defaults when the store was written. These are about to
    ///     be updated; the remaining schema is compared afterwards.
    ///     to be brought up to date; what stays is compared afterwards.
    /// - Throws: ``StoreError/untrustedSchema(_:differences:)``.
    func check(_ model: ModelDescription, position: Int, isOlder: Bool) throws {
        guard let reference = try model.emptyStore(ofVersionAt: position, fillsOwnTables: false) else {
            throw StoreError.untrustedSchema(
                url,
                differences: [
                    "The program does not have the schema of the version \"\(model.versions[position].name)\", so "
                        + "nothing can be compared with it."
                ])
        }
        for statement in HistoryTables.definitions + [MigrationLedger.definition()]
        where !statement.hasPrefix("INSERT ") {
            try reference.execute(statement)
        }
        try refuse(try differences(from: reference, model, isOlder: isOlder))
    }

    private func differences(
        from reference: Connection, _ model: ModelDescription, isOlder: Bool
    ) throws -> [String] {
        let found = try SchemaCatalogue(connection)
        var expected = try SchemaCatalogue(reference)
        // The tables of the history and the ledger are created when they are first used, and a configuration gives a
        // store only some entities.
        expected.tables = expected.tables.filter { name, _ in
            found.tables[name] != nil || model.heldEntityNames == nil && !name.hasPrefix("ashlar$")
        }
        let comparison = SchemaComparison(found: found, expected: expected)
        var result = comparison.alterations
        for (name, table) in found.tables {
            guard let known = expected.tables[name] else {
                if !isRemoved(name, found) { result.append("The table \(name) is not in the model.") }
                continue
            }
            for column in table.columns.keys where known.columns[column] == nil {
                if !column.contains(DeferredRemoval.mark) {
                    result.append("The column \(name).\(column) is not in the model.")
                }
            }
            guard !isOlder else { continue }
            if !isSame(name, found, expected) {
                result.append("The table \(name) is defined in another way.")
            }
        }
        let isTracked = try HistoryTracker.isTracked(connection)
        for (name, object) in found.objects where expected.objects[name] != object {
            // If these differ, they are recreated before the first row is written.
            if isTracked, name.hasPrefix(HistoryTables.triggerPrefix) { continue }
            if isOlder, expected.objects[name] != nil || SchemaComparison.isOurs(name) { continue }
            result.append("The \(object.kind) \(name) is not in the model, or differs from the model's.")
        }
        let known = try Self.shadowTables(reference)
        for (name, sql) in try Self.shadowTables(connection) where known[name] != sql && !isOlder {
            result.append("The table \(name) is defined in another way.")
        }
        return result.sorted()
    }

    /// Returns whether a table is a deferred removal of a migration, with nothing in it that could be computed.
    private func isRemoved(_ name: String, _ found: SchemaCatalogue) -> Bool {
        guard name.contains(DeferredRemoval.mark), let text = TableText(found.definitions[name] ?? "") else {
            return false
        }
        return text.columns.values.allSatisfy { !$0.contains("(") }
    }

    /// Returns whether the texts of a table have the same meaning. An added column is written elsewhere than an
    /// original one, and a column whose removal is deferred may be present.
    private func isSame(_ name: String, _ found: SchemaCatalogue, _ expected: SchemaCatalogue) -> Bool {
        let (sql, wanted) = (found.definitions[name] ?? "", expected.definitions[name] ?? "")
        guard let known = TableText(wanted) else {
            return SchemaCatalogue.withoutWhiteSpace(sql) == SchemaCatalogue.withoutWhiteSpace(wanted)
        }
        guard var text = TableText(sql) else { return false }
        for (column, rest) in text.columns where column.contains(DeferredRemoval.mark) && !rest.contains("(") {
            text = text.without(column)
        }
        return text == known
    }

    /// Returns the tables that virtual tables make for themselves, with their texts.
    private static func shadowTables(_ connection: Connection) throws(SQLiteError) -> [String: String] {
        let schema = try connection.schema()
        var result: [String: String] = [:]
        for table in try schema.tables() where table.kind == .shadow {
            result[table.name] = SchemaCatalogue.withoutWhiteSpace(schema.object(.table, named: table.name)?.sql ?? "")
        }
        return result
    }

    private func refuse(_ differences: [String]) throws(StoreError) {
        if !differences.isEmpty { throw .untrustedSchema(url, differences: differences) }
    }
}
