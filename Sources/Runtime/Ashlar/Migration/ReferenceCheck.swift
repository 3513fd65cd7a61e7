import AshlarSQLite

/// Which references of a store lead nowhere.
struct ReferenceCheck {
    /// How often each number is named by a reference that does not find it, by the tables of the references.
    private(set) var dangling: [String: [Int64: Int]] = [:]

    /// Looks at references of some tables, or to some, or all where nil is said.
    init(of tables: Set<String>?, orTo destinations: Set<String> = [], _ connection: Connection) throws(SQLiteError) {
        for row in try connection.rows(
            """
            SELECT l."name", f."from", f."table", f."to" FROM pragma_table_list AS l
            JOIN pragma_foreign_key_list(l."name", 'main') AS f
            WHERE l."schema" = 'main' AND l."type" = 'table' ORDER BY 1, 2
            """)
        {
            let (table, column, destination) = (row[0].text, row[1].text, row[2].text)
            if let tables, !tables.contains(table), !destinations.contains(destination) { continue }
            let exists = try connection.integer(
                "SELECT 1 FROM pragma_table_list(?1) WHERE \"schema\" = 'main'", [.text(destination)])
            let target = row[3].isNull ? "\"rowid\"" : row[3].text.quotedIdentifier
            let value = "s.\(column.quotedIdentifier)"
            let found = "EXISTS (SELECT 1 FROM \(destination.quotedIdentifier) AS d WHERE d.\(target) = \(value))"
            for row in try connection.rows(
                """
                SELECT \(value), count(*) FROM \(table.quotedIdentifier) AS s
                WHERE \(value) IS NOT NULL AND NOT \(exists == nil ? "0" : found) GROUP BY 1
                """)
            {
                dangling[table, default: [:]][row[0].integer, default: 0] += Int(row[1].integer)
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
