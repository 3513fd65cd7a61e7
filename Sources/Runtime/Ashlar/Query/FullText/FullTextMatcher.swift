import AshlarSQLite

/// Searches unsaved texts.
///
/// It inserts the texts into a virtual table in memory with the options of the store's table, one row at a time, so
/// that FTS5 itself determines the result.
final class FullTextMatcher {
    private var connection: Connection?
    private var tableNames: [FullTextDescription: String] = [:]

    /// Returns whether a query matches a row with these texts. A row without any text never matches.
    func matches(
        _ index: FullTextDescription, _ texts: [SQLiteValue], _ query: FullTextQuery
    ) throws(SQLiteError) -> Bool {
        try first(index, texts, query) { _, statement in statement.write("1") } != nil
    }

    /// Returns the value of a query for a row with these texts; NULL if it does not match.
    func value(
        _ value: SQLExpression.FullTextValue, _ index: FullTextDescription, _ texts: [SQLiteValue],
        _ query: FullTextQuery
    ) throws(SQLiteError) -> SQLiteValue {
        try first(index, texts, query) { table, statement in
            value.write(index, table: table, to: &statement)
        } ?? .null
    }

    private func first(
        _ index: FullTextDescription, _ texts: [SQLiteValue], _ query: FullTextQuery,
        _ select: (String, inout SQLStatement) -> Void
    ) throws(SQLiteError) -> SQLiteValue? {
        let connection = try opened()
        let table = try table(of: index, connection)
        let name = table.quotedIdentifier
        let hasText = texts.contains { !$0.isNull }
        if hasText {
            let columns = (["rowid"] + index.columnNames).map(\.quotedIdentifier).joined(separator: ", ")
            let places = (1...texts.count + 1).map { "?\($0)" }.joined(separator: ", ")
            try run("INSERT INTO \(name) (\(columns)) VALUES (\(places))", [.integer(1)] + texts, connection)
        }
        // If the row stayed, inserting the next one would fail.
        defer { if hasText { try? run("DELETE FROM \(name) WHERE \"rowid\" = ?1", [.integer(1)], connection) } }
        var statement = SQLStatement(time: FetchTime(store: 0))
        statement.write("SELECT ")
        select(table, &statement)
        statement.write(" FROM \(name) WHERE \(name) MATCH ")
        statement.bind(.text(query.expression(for: index)))
        return try connection.rows(statement.text, statement.values).first?.first
    }

    private func run(_ sql: String, _ values: [SQLiteValue], _ connection: Connection) throws(SQLiteError) {
        let statement = try connection.statement(sql)
        statement.bind(values)
        try statement.run()
    }

    private func opened() throws(SQLiteError) -> Connection {
        if let connection { return connection }
        let opened = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
        connection = opened
        return opened
    }

    private func table(of index: FullTextDescription, _ connection: Connection) throws(SQLiteError) -> String {
        if let name = tableNames[index] { return name }
        let name = "text\(tableNames.count)"
        try connection.execute(index.definition(named: name))
        tableNames[index] = name
        return name
    }
}
