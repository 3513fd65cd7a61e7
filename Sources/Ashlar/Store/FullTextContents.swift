import AshlarSQLite

/// What belongs in a full-text index, as the text of its trigger for insertions tells.
struct FullTextContents {
    /// The statement for the rows of an empty index, up to what it selects.
    private let head: Substring
    /// What it selects.
    private let selection: String

    /// Nil for the trigger of something else.
    init?(trigger: String) {
        guard let start = trigger.firstRange(of: "\n    INSERT INTO \"fulltext$"),
            let end = trigger.firstRange(of: ";\nEND"), start.upperBound < end.lowerBound
        else { return nil }
        let statement = trigger[start.lowerBound..<end.lowerBound]
        guard let select = statement.firstRange(of: "\n        SELECT "),
            let row = statement.firstRange(of: "\n        WHERE \"id$\" = NEW.\"id$\" AND "),
            select.upperBound <= row.lowerBound
        else { return nil }
        head = statement[..<select.lowerBound]
        selection = "\(statement[select.lowerBound..<row.lowerBound])\n        WHERE \(statement[row.upperBound...])"
    }

    /// The statement that fills an empty index.
    var filling: String { head + selection }

    /// The statement that finds the rows of which the index and its table differ.
    private var comparison: String? {
        guard let columns = head.firstRange(of: " (\""), let name = head.firstRange(of: "INSERT INTO "),
            head.hasSuffix(")")
        else { return nil }
        let list = head[columns.upperBound...].dropLast()
        let own = "SELECT \"\(list) FROM \(head[name.upperBound..<columns.lowerBound])"
        return """
            SELECT "id$" FROM (SELECT * FROM (\(selection) EXCEPT \(own))
            UNION ALL SELECT * FROM (\(own) EXCEPT \(selection))) ORDER BY "id$" LIMIT 1
            """
    }

    /// What is wrong with the full-text indexes of a store: those that have other texts than their tables.
    static func problems(_ connection: Connection, in schema: String = "main") throws(SQLiteError) -> [String] {
        var result: [String] = []
        for (name, contents) in try all(connection, schema) {
            do {
                // The text is put together from that of a trigger, which the store's file has.
                guard let comparison = contents.comparison,
                    let row = try connection.guarded(
                        by: StatementGuard(allows: StatementGuard.onlyReads),
                        { () throws(SQLiteError) in try connection.integer(comparison) })
                else { continue }
                result.append("The full-text index \(name) and its table differ in row \(row).")
            } catch {
                guard isDamage(error) else { throw error }
                result.append(damage(name))
            }
        }
        return result
    }

    /// What an index is said to be that FTS5 cannot read.
    private static func damage(_ name: String) -> String { "The full-text index \(name) is damaged." }

    /// Whether an error is that of an index of which FTS5's own tables are damaged, or missing.
    private static func isDamage(_ error: SQLiteError) -> Bool {
        error.code == SQLITE_CORRUPT || error.code == SQLITE_ERROR && error.message.contains("constructor failed")
            || error.message.contains("invalid fts5 file format")
    }

    /// What is wrong within full-text indexes: those of which the terms are not those of their texts.
    ///
    /// FTS5 looks when something is written, which nothing is. From version 3.44 on, SQLite's own check looks too.
    static func damages(_ connection: Connection, in schema: String = "main") throws(SQLiteError) -> [String] {
        var result: [String] = []
        for (name, _) in try all(connection, schema) {
            let table = name.quotedIdentifier
            do {
                try connection.execute("INSERT INTO \(table) (\(table)) VALUES ('integrity-check')")
            } catch {
                guard isDamage(error) else { throw error }
                result.append(damage(name))
            }
        }
        return result
    }

    private static func all(
        _ connection: Connection, _ schema: String
    ) throws(SQLiteError) -> [(String, FullTextContents)] {
        let rows = try connection.rows(
            """
            SELECT t."name", g."sql" FROM \(schema)."sqlite_schema" AS t
            JOIN \(schema)."sqlite_schema" AS g ON g."name" = t."name" || '$insert' AND g."type" = 'trigger'
            WHERE t."type" = 'table' AND t."rootpage" = 0 AND t."name" LIKE 'fulltext$%' ORDER BY t."name"
            """)
        return rows.compactMap { row in
            guard case .text(let name) = row[0], case .text(let trigger) = row[1] else { return nil }
            return FullTextContents(trigger: trigger).map { (name, $0) }
        }
    }
}
