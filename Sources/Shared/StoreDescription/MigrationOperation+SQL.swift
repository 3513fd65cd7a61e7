import SQLQuoting

extension MigrationOperation {
    /// The statement, without a semicolon at its end.
    package var sql: String {
        switch self {
        case .createTable(_, let sql), .createReplacement(_, let sql), .createIndex(_, _, let sql),
            .createTrigger(_, let sql), .createVirtualTable(_, let sql), .insertRows(_, _, let sql),
            .query(_, let sql), .other(let sql):
            sql
        case .replaceTable(let name):
            Self.renaming(Self.replacementName(of: name), to: name)
        case .renameTable(let name, let newName): Self.renaming(name, to: newName)
        case .dropTable(let name): "DROP TABLE \(Self.quoted(name))"
        case .addColumn(let definition, let table): "ALTER TABLE \(Self.quoted(table)) ADD COLUMN \(definition)"
        case .dropColumn(let name, let table): "ALTER TABLE \(Self.quoted(table)) DROP COLUMN \(Self.quoted(name))"
        case .renameColumn(let name, let table, let newName):
            "ALTER TABLE \(Self.quoted(table)) RENAME COLUMN \(Self.quoted(name)) TO \(Self.quoted(newName))"
        case .dropIndex(let name, let ifExists): Self.dropping("INDEX", name, ifExists)
        case .dropTrigger(let name, let ifExists): Self.dropping("TRIGGER", name, ifExists)
        case .dropVirtualTable(let name, let ifExists): Self.dropping("TABLE", name, ifExists)
        case .fillVirtualTable(let contents, _): contents.filling
        case .copyRows(let copy): copy.sql
        case .updateRows(let update): update.sql
        case .deleteRows(let table, let condition): "DELETE FROM \(Self.quoted(table))\nWHERE \(condition)"
        case .makeMark(let table): Self.makingMark(of: SQLQuotation.literal(table))
        case .raiseMark(let table, let others): Self.raisingMark(of: table, from: others)
        }
    }

    private static func quoted(_ name: String) -> String { SQLQuotation.identifier(name) }

    private static func renaming(_ name: String, to newName: String) -> String {
        "ALTER TABLE \(quoted(name)) RENAME TO \(quoted(newName))"
    }

    private static func dropping(_ kind: String, _ name: String, _ ifExists: Bool) -> String {
        "DROP \(kind) \(ifExists ? "IF EXISTS " : "")\(quoted(name))"
    }

    private static func makingMark(of table: String) -> String {
        """
        INSERT INTO "sqlite_sequence" ("name", "seq")
        SELECT \(table), 0 WHERE NOT EXISTS (SELECT 1 FROM "sqlite_sequence" WHERE "name" = \(table))
        """
    }

    private static func raisingMark(of table: String, from others: [String]) -> String {
        let all = ([table] + others).map(SQLQuotation.literal).joined(separator: ", ")
        return """
            UPDATE "sqlite_sequence"
            SET "seq" = (SELECT max("seq") FROM "sqlite_sequence" WHERE "name" IN (\(all)))
            WHERE "name" = \(SQLQuotation.literal(table))
            """
    }
}
