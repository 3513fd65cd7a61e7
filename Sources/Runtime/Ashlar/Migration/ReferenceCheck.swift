import AshlarSQLite

/// The references of a store whose destinations are missing.
struct ReferenceCheck {
    /// For each table with such references, the missing numbers and how many references have each.
    private(set) var dangling: [String: [Int64: Int]] = [:]

    /// Checks the references in some tables and those to other tables. With nil, checks all references.
    init(of tables: Set<String>?, orTo destinations: Set<String> = [], _ connection: Connection) throws(SQLiteError) {
        let schema = try connection.schema()
        for table in try schema.tables() where table.kind == .table {
            for key in try schema.foreignKeys(of: table.name) {
                if let tables, !tables.contains(table.name), !destinations.contains(key.table) { continue }
                let target = key.target?.quotedIdentifier ?? "\"rowid\""
                let value = "s.\(key.column.quotedIdentifier)"
                let found =
                    try schema.table(key.table) == nil
                    ? "0" : "EXISTS (SELECT 1 FROM \(key.table.quotedIdentifier) AS d WHERE d.\(target) = \(value))"
                for row in try connection.rows(
                    """
                    SELECT \(value), count(*) FROM \(table.name.quotedIdentifier) AS s
                    WHERE \(value) IS NOT NULL AND NOT \(found) GROUP BY 1
                    """)
                {
                    dangling[table.name, default: [:]][row[0].integer, default: 0] += Int(row[1].integer)
                }
            }
        }
    }

    /// Returns the names of the tables that have more such references than before, even if these were in other tables
    /// then.
    func tablesWithMore(than before: ReferenceCheck) -> [String] {
        var known: [Int64: Int] = [:]
        for (number, count) in before.dangling.values.joined() { known[number, default: 0] += count }
        return dangling.filter { $0.value.contains { $0.value > known[$0.key] ?? 0 } }.keys.sorted()
    }
}
