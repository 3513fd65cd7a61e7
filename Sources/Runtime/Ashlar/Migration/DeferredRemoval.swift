import AshlarSQLite
import StoreDescription

/// A column or a table that the model no longer has, and whose removal is deferred.
///
/// It is renamed immediately, without rewriting rows, to a name that ends with `$removed` and a number. So the schema
/// itself shows the pending removals, and a later version of the model may use the name again.
struct DeferredRemoval: Hashable {
    static let mark = "$removed"

    var table: String
    /// Nil when the table itself is removed.
    var column: String?

    /// Returns the pending removals of a store, the columns first.
    static func all(
        _ connection: Connection, in schemaName: String = "main"
    ) throws(SQLiteError) -> [DeferredRemoval] {
        let schema = try connection.schema(of: schemaName)
        var columns: [DeferredRemoval] = []
        var tables: [DeferredRemoval] = []
        for table in try schema.tables() where table.kind == .table {
            if table.name.contains(mark) {
                tables.append(DeferredRemoval(table: table.name))
                continue
            }
            let names = try schema.columns(of: table.name).filter(\.isOrdinary).map(\.name)
            columns += names.filter { $0.contains(mark) }.sorted().map {
                DeferredRemoval(table: table.name, column: $0)
            }
        }
        return columns + tables
    }

    /// Returns the replacement of a statement that removes a column or a table. It is nil for other statements, and if
    /// the leftover would have an effect: a value is required, or references prevent deletions.
    static func replacement(
        of operation: MigrationOperation, _ connection: Connection
    ) throws(SQLiteError) -> [MigrationOperation]? {
        switch operation {
        case .dropColumn(let column, let table): try replacement(ofColumn: column, in: table, connection)
        case .dropTable(let table): try replacement(ofTable: table, connection)
        default: nil
        }
    }

    private static func replacement(
        ofColumn name: String, in table: String, _ connection: Connection
    ) throws(SQLiteError) -> [MigrationOperation]? {
        let catalogue = try SchemaCatalogue(connection)
        guard let found = catalogue.tables[table], let column = found.columns[name], column.isOrdinary,
            column.keyPosition == 0, !column.isRequired || column.defaultValue != nil,
            !found.references.contains(where: { $0.column == name })
        else { return nil }
        return [.renameColumn(name, of: table, to: freeName(name, among: Set(found.columns.keys)))]
    }

    private static func replacement(
        ofTable name: String, _ connection: Connection
    ) throws(SQLiteError) -> [MigrationOperation]? {
        let catalogue = try SchemaCatalogue(connection)
        // A reference that stays would still affect the objects that it refers to.
        guard let table = catalogue.tables[name], table.references.isEmpty,
            !catalogue.tables.contains(where: { $0.value.references.contains { $0.table == name } })
        else { return nil }
        let objects = catalogue.objects.filter { $0.value.table == name }
        // An R-tree is never a table of the model.
        guard !objects.values.contains(where: { $0.kind == .virtualTable }) else { return nil }
        let drops = objects.sorted { $0.key < $1.key }.map { name, object -> MigrationOperation in
            object.kind == .index ? .dropIndex(name) : .dropTrigger(name)
        }
        return drops + [.renameTable(name, to: freeName(name, among: Set(catalogue.tables.keys)))]
    }

    private static func freeName(_ name: String, among names: Set<String>) -> String {
        var number = 1
        while names.contains("\(name)\(mark)\(number)") { number += 1 }
        return "\(name)\(mark)\(number)"
    }

    // MARK: Removing

    /// The number of rows that a slice deletes or changes.
    static let rowsInSlice = 1000

    /// The name to show.
    var name: String {
        let full = column.map { "\(table).\($0)" } ?? table
        return full.firstRange(of: Self.mark).map { String(full[..<$0.lowerBound]) } ?? full
    }

    /// Removes a slice in the caller's transaction. Returns true when nothing is left.
    ///
    /// The rows of a table are deleted in slices, and then the table is dropped. A column is removed in one pass over
    /// its table.
    func removeSlice(_ connection: Connection, in schemaName: String) throws(SQLiteError) -> Bool {
        let name = "\(schemaName).\(table.quotedIdentifier)"
        if let column {
            try connection.execute("ALTER TABLE \(name) DROP COLUMN \(column.quotedIdentifier)")
            return true
        }
        if try connection.schema(of: schemaName).table(table)?.isWithoutRowID == false {
            try connection.execute(
                "DELETE FROM \(name) WHERE \"rowid\" IN (SELECT \"rowid\" FROM \(name) LIMIT \(Self.rowsInSlice))")
            if try connection.integer("SELECT 1 FROM \(name) LIMIT 1") != nil { return false }
        }
        try connection.execute("DROP TABLE \(name)")
        return true
    }
}
