import AshlarSQLite

/// Which references of a store lead nowhere.
struct ReferenceCheck {
    /// How often each number is named by a reference that does not find it, by the tables of the references.
    private(set) var dangling: [String: [Int64: Int]] = [:]

    /// Looks at references of some tables, or to some, or all where nil is said.
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

    /// The tables, by name, with more such references than there were before, whichever tables these were in.
    func tablesWithMore(than before: ReferenceCheck) -> [String] {
        var known: [Int64: Int] = [:]
        for (number, count) in before.dangling.values.joined() { known[number, default: 0] += count }
        return dangling.filter { $0.value.contains { $0.value > known[$0.key] ?? 0 } }.keys.sorted()
    }
}
