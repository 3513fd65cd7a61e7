import AshlarSQLite

/// The number of bytes of the pages of tables and indexes, from SQLite's table `dbstat`.
struct PageSizes {
    /// The bytes of a table or an index.
    struct Size {
        var bytes: Int64 = 0
        var overflow: Int64 = 0
    }

    private var sizes: [String: Size] = [:]

    /// Returns whether this SQLite is compiled with `dbstat`.
    static func areKnown(_ connection: Connection) throws(SQLiteError) -> Bool {
        try connection.integer("SELECT count(*) FROM pragma_module_list WHERE \"name\" = 'dbstat'") != 0
    }

    /// Reads every page.
    init(_ connection: Connection, _ catalogue: Catalogue) throws(SQLiteError) {
        let rows = try connection.rows(
            """
            SELECT "name", sum("pgsize"), sum(iif("pagetype" = 'overflow', "pgsize", 0))
            FROM dbstat WHERE "schema" = 'main' GROUP BY "name"
            """)
        let shadows = catalogue.tables.filter { $0.kind == .shadow }.map(\.name)
        for row in rows {
            guard case .text(let name) = row[0], case .integer(let bytes) = row[1], case .integer(let overflow) = row[2]
            else { continue }
            let owner = shadows.contains(name) ? catalogue.owner(ofShadow: name) ?? name : name
            sizes[owner, default: Size()].bytes += bytes
            sizes[owner, default: Size()].overflow += overflow
        }
    }

    /// The bytes of a table or an index.
    subscript(name: String) -> Size? { sizes[name] }
}
