import AshlarSQLite

/// The tables, indexes, views and triggers of a database, as its schema lists them.
struct Catalogue {
    /// A table.
    struct Table {
        /// How SQLite keeps a table.
        enum Form {
            case plain, virtual
            /// A table that a virtual table uses internally.
            case shadow
        }

        var name: String
        var form: Form
        /// The statement that made it; empty for SQLite's own.
        var sql: String
        var columns: [String]
    }

    var tables: [Table] = []
    /// The names of indexes with their tables, those of constraints among them.
    var indexes: [(name: String, table: String)] = []
    var views: [String] = []
    var triggerCount = 0

    /// Reads a database's schema.
    init(_ connection: Connection) throws(SQLiteError) {
        let rows = try connection.rows(
            "SELECT \"type\", \"name\", \"tbl_name\", \"sql\" FROM \"sqlite_schema\" ORDER BY \"name\"")
        var forms: [String: Table.Form] = [:]
        for row in try connection.rows("SELECT \"name\", \"type\" FROM pragma_table_list WHERE \"schema\" = 'main'") {
            guard case .text(let name) = row[0] else { continue }
            forms[name] = row[1] == .text("virtual") ? .virtual : row[1] == .text("shadow") ? .shadow : .plain
        }
        for row in rows {
            guard case .text(let type) = row[0], case .text(let name) = row[1], case .text(let table) = row[2] else {
                continue
            }
            let sql = if case .text(let text) = row[3] { text } else { "" }
            switch type {
            case "table":
                tables.append(
                    Table(
                        name: name, form: forms[name] ?? .plain, sql: sql,
                        columns: (try? Self.columns(connection, name)) ?? []))
            case "index": indexes.append((name, table))
            case "view": views.append(name)
            case "trigger": triggerCount += 1
            default: break
            }
        }
    }

    private static func columns(_ connection: Connection, _ table: String) throws(SQLiteError) -> [String] {
        try connection.rows("SELECT \"name\" FROM pragma_table_xinfo(?1, 'main') ORDER BY \"cid\"", [.text(table)])
            .compactMap { if case .text(let name) = $0[0] { name } else { nil } }
    }

    /// The virtual table that keeps a table for itself; the longest name where several could be meant.
    func owner(ofShadow name: String) -> String? {
        tables.filter { $0.form == .virtual && name.hasPrefix($0.name + "_") }.map(\.name)
            .max { $0.utf8.count < $1.utf8.count }
    }

    func table(named name: String) -> Table? { tables.first { $0.name == name } }
}
