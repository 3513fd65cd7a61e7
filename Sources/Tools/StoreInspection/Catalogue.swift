import AshlarSQLite

/// The schema of a database, with the columns of its tables.
struct Catalogue {
    struct Table {
        var name: String
        var kind: DatabaseSchema.Table.Kind
        /// The statement that made it; empty for SQLite's own.
        var sql: String
        /// The names of the columns; empty if they cannot be read.
        var columns: [String]
    }

    let schema: DatabaseSchema
    /// The tables by name.
    private(set) var tables: [Table] = []

    /// Reads a database's schema.
    init(_ connection: Connection) throws(SQLiteError) {
        schema = try connection.schema()
        for object in schema.objects(.table).sorted(by: { $0.name < $1.name }) {
            tables.append(
                Table(
                    name: object.name, kind: try schema.table(object.name)?.kind ?? .table, sql: object.sql ?? "",
                    columns: (try? schema.columns(of: object.name).map(\.name)) ?? []))
        }
    }

    /// The virtual table that a shadow table belongs to; if several are possible, the one with the longest name.
    func owner(ofShadow name: String) -> String? {
        tables.filter { $0.kind == .virtual && name.hasPrefix($0.name + "_") }.map(\.name)
            .max { $0.utf8.count < $1.utf8.count }
    }

    func table(named name: String) -> Table? { tables.first { $0.name == name } }
}
