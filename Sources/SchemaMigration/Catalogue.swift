import RelationalSchema

/// What a database says of its own schema, as facts that can be compared.
///
/// The texts of tables are none of them: a column that was added is written elsewhere than one that was there from
/// the beginning. Nor is the order of columns, which generated statements never depend on.
struct Catalogue {
    let facts: Set<String>

    init(_ database: ProofDatabase) throws(ProofDatabase.Failure) {
        var facts: Set<String> = []
        let tables = try database.run(
            """
            SELECT "name", "type", "ncol", "wr", "strict" FROM pragma_table_list
            WHERE "schema" = 'main' AND "type" <> 'shadow' AND "name" NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """)
        for table in tables {
            let name = table[0] ?? ""
            facts.insert(
                "table \(name): \(table[1] ?? ""), \(table[2] ?? "") columns"
                    + (table[3] == "1" ? ", WITHOUT ROWID" : "") + (table[4] == "1" ? ", STRICT" : ""))
            for fact in try Self.facts(ofTable: name, database) { facts.insert(fact) }
        }
        let texts = try database.run(
            """
            SELECT "type", "name", "sql" FROM "sqlite_schema"
            WHERE "type" = 'trigger' OR ("type" = 'index' AND "sql" LIKE '%WHERE%')
            """)
        for row in texts {
            let text = (row[2] ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            facts.insert("\(row[0] ?? "") \(row[1] ?? ""): \(text)")
        }
        self.facts = facts
    }

    private static func facts(
        ofTable name: String, _ database: ProofDatabase
    ) throws(ProofDatabase.Failure) -> [String] {
        let argument = SQLText.literal(name)
        var facts: [String] = []
        let columns = try database.run(
            "SELECT \"name\", \"type\", \"notnull\", \"dflt_value\", \"pk\", \"hidden\" FROM pragma_table_xinfo(\(argument))")
        for row in columns {
            let metadata = database.metadata(ofColumn: row[0] ?? "", in: name)
            facts.append(
                "column \(name).\(row[0] ?? ""): \(row[1] ?? "") COLLATE \(metadata.collation)"
                    + (row[2] == "1" ? " NOT NULL" : "") + " DEFAULT \(row[3] ?? "none"), key \(row[4] ?? "")"
                    + (metadata.isAutoincrement ? " AUTOINCREMENT" : "") + (row[5] == "0" ? "" : ", hidden"))
        }
        let references = try database.run(
            """
            SELECT "from", "table", "to", "on_delete", "on_update", "match" FROM pragma_foreign_key_list(\(argument))
            """)
        for row in references {
            let texts = row.map { $0 ?? "" }
            facts.append(
                "reference \(name).\(texts[0]) to \(texts[1]).\(texts[2]): "
                    + "ON DELETE \(texts[3]) ON UPDATE \(texts[4]) MATCH \(texts[5])")
        }
        let elements = try database.run(
            """
            SELECT i."name", i."unique", i."partial", x."name", x."desc", x."coll", x."key"
            FROM pragma_index_list(\(argument)) AS i, pragma_index_xinfo(i."name") AS x
            WHERE i."origin" = 'c' ORDER BY i."name", x."seqno"
            """)
        var indexes: [String: [String]] = [:]
        for row in elements where row[6] == "1" {
            let key = "index \(row[0] ?? "") of \(name)\(row[1] == "1" ? ", unique" : "")\(row[2] == "1" ? ", partial" : "")"
            let element = "\(row[3] ?? "") COLLATE \(row[5] ?? "")\(row[4] == "1" ? " DESC" : "")"
            indexes[key, default: []].append(element)
        }
        return facts + indexes.map { "\($0.key): \($0.value.joined(separator: ", "))" }
    }
}
