import RelationalSchema

/// A database's description of its schema, as comparable facts.
///
/// The texts of tables are none of them: a column that was added is written elsewhere than one that was there from
/// the beginning. Nor is the order of columns, which generated statements never depend on.
struct Catalogue {
    let facts: Set<String>

    /// The tables of which something is not written word for word as in a schema, and those that it lacks.
    static func tables(
        of database: ProofDatabase, writtenOtherwiseThanIn schema: SchemaTables
    ) throws(ProofDatabase.Failure) -> Set<String> {
        var pending: [String: String] = [:]
        for table in schema.tables { pending[table.definition] = table.name }
        for table in schema.letterTables { pending[table.definition] = table.name }
        for trigger in schema.derivationTriggers { pending[trigger.definition] = trigger.tableName }
        for index in schema.indexes { pending[index.definition] = index.tableName }
        for rtree in schema.rtrees {
            pending[rtree.definition] = rtree.name
            for trigger in rtree.triggers { pending[trigger.definition] = rtree.tableName }
        }
        for table in schema.fullTextTables {
            pending[table.definition] = table.name
            for trigger in table.triggers { pending[trigger.definition] = table.tableName }
        }
        var names: Set<String> = []
        let rows = try database.run(
            "SELECT \"tbl_name\", \"sql\" FROM \"sqlite_schema\" WHERE \"sql\" <> '' AND \"name\" <> 'sqlite_sequence'")
        for row in rows where pending.removeValue(forKey: row[1] ?? "") == nil { names.insert(row[0] ?? "") }
        for name in pending.values { names.insert(name) }
        return names
    }

    /// Creates the description of some tables of a database.
    init(_ database: ProofDatabase, _ names: Set<String>) throws(ProofDatabase.Failure) {
        let list = SQLText.literals(names)
        var facts: Set<String> = []
        let tables = try database.run(
            """
            SELECT "name", "type", "ncol", "wr", "strict" FROM pragma_table_list
            WHERE "schema" = 'main' AND "type" <> 'shadow' AND "name" IN (\(list))
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
            WHERE "tbl_name" IN (\(list)) AND ("type" = 'trigger' OR ("type" = 'index' AND "sql" LIKE '%WHERE%'))
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
        let argument = SQLText.identifier(name)
        var facts: [String] = []
        let text = try database.run(
            "SELECT \"sql\" FROM \"sqlite_schema\" WHERE \"type\" = 'table' AND \"name\" = \(SQLText.literal(name))")
        let lines = Array(((text.first?.first ?? "") ?? "").utf8).split(separator: UInt8(ascii: "\n"))
        for row in try database.run("PRAGMA table_xinfo(\(argument))") {
            let column = row[1] ?? ""
            let metadata = database.metadata(ofColumn: column, in: name)
            facts.append(
                "column \(name).\(column): \(row[2] ?? "") COLLATE \(metadata.collation)"
                    + (row[3] == "1" ? " NOT NULL" : "") + " DEFAULT \(row[4] ?? "none"), key \(row[5] ?? "")"
                    + (metadata.isAutoincrement ? " AUTOINCREMENT" : "")
                    + (row[6] == "0" ? "" : ", hidden \(row[6] ?? ""), \(definition(of: column, in: lines))"))
        }
        for row in try database.run("PRAGMA foreign_key_list(\(argument))") {
            let texts = row.map { $0 ?? "" }
            facts.append(
                "reference \(name).\(texts[3]) to \(texts[2]).\(texts[4]): "
                    + "ON DELETE \(texts[6]) ON UPDATE \(texts[5]) MATCH \(texts[7])")
        }
        for row in try database.run("PRAGMA index_list(\(argument))") where row[3] == "c" {
            let index = row[1] ?? ""
            var elements: [String] = []
            for part in try database.run("PRAGMA index_xinfo(\(SQLText.identifier(index)))") where part[5] == "1" {
                elements.append("\(part[2] ?? "") COLLATE \(part[4] ?? "")\(part[3] == "1" ? " DESC" : "")")
            }
            // Of an expression nothing but its text tells.
            if elements.contains(where: { $0.hasPrefix(" COLLATE") }) {
                let text = try database.run(
                    "SELECT \"sql\" FROM \"sqlite_schema\" WHERE \"name\" = \(SQLText.literal(index))")
                elements.append((text.first?.first ?? "") ?? "")
            }
            facts.append(
                "index \(index) of \(name)\(row[2] == "1" ? ", unique" : "")\(row[4] == "1" ? ", partial" : ""): "
                    + elements.joined(separator: ", "))
        }
        return facts
    }

    /// How a table's text defines a generated column; such columns are never added, so that each begins a line.
    ///
    /// Where SQLite dropped the columns after it, the end of the table is on its line too.
    private static func definition(of column: String, in lines: [ArraySlice<UInt8>]) -> String {
        let start = SQLText.identifier(column) + " "
        let line = lines.map { $0.drop { $0 == 0x20 || $0 == 0x09 } }.first { $0.starts(with: start.utf8) } ?? []
        var depth = 0
        var quote: UInt8?
        for (index, byte) in zip(line.indices, line) {
            if let open = quote {
                // A quote that is doubled ends one text and begins the next.
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")") where depth == 0: return String(decoding: line[..<index], as: UTF8.self)
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
        }
        return String(decoding: line.last == UInt8(ascii: ",") ? line.dropLast() : line, as: UTF8.self)
    }
}
