import AshlarSQLite
import RelationalSchema

/// A database's description of its schema, as comparable facts.
///
/// The facts leave out the texts of tables, because added columns are written at a different place than original ones.
/// They also leave out the order of columns, which generated statements never depend on.
struct Catalogue {
    let facts: Set<String>

    /// The tables whose definitions differ from the text of a schema, and the tables that the database lacks.
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
        for object in try database.withSchema({ $0.objects }) where object.name != "sqlite_sequence" {
            if let sql = object.sql, pending.removeValue(forKey: sql) == nil { names.insert(object.tableName) }
        }
        for name in pending.values { names.insert(name) }
        return names
    }

    /// Creates the description of some tables of a database.
    init(_ database: ProofDatabase, _ names: Set<String>) throws(ProofDatabase.Failure) {
        facts = try database.withSchema { schema throws(SQLiteError) in
            var facts: Set<String> = []
            for table in try schema.tables() where table.kind != .shadow && names.contains(table.name) {
                facts.insert(
                    "table \(table.name): \(table.kind), \(try schema.columns(of: table.name).count) columns"
                        + (table.isWithoutRowID ? ", WITHOUT ROWID" : "") + (table.isStrict ? ", STRICT" : ""))
                facts.formUnion(try Self.facts(ofTable: table.name, schema))
            }
            for object in schema.objects(.trigger) where names.contains(object.tableName) {
                facts.insert("trigger \(object.name): \(Self.withoutWhiteSpace(object.sql))")
            }
            return facts
        }
    }

    private static func facts(
        ofTable name: String, _ schema: DatabaseSchema
    ) throws(SQLiteError) -> [String] {
        var facts: [String] = []
        let text = schema.object(.table, named: name)?.sql ?? ""
        let lines = Array(text.utf8).split(separator: UInt8(ascii: "\n"))
        for column in try schema.columns(of: name) {
            facts.append(
                "column \(name).\(column.name): \(column.type) COLLATE \(column.collation)"
                    + (column.isRequired ? " NOT NULL" : "")
                    + " DEFAULT \(column.defaultValue ?? "none"), key \(column.keyPosition)"
                    + (column.isAutoincrement ? " AUTOINCREMENT" : "")
                    + (column.isOrdinary ? "" : ", \(column.kind), \(definition(of: column.name, in: lines))"))
        }
        for key in try schema.foreignKeys(of: name) {
            facts.append(
                "reference \(name).\(key.column) to \(key.table).\(key.target ?? ""): "
                    + "ON DELETE \(key.onDelete) ON UPDATE \(key.onUpdate)")
        }
        for index in try schema.indexes(of: name) where index.origin == .statement {
            var elements = index.columns.map {
                "\($0.name ?? "") COLLATE \($0.collation)\($0.isDescending ? " DESC" : "")"
            }
            // Expressions can only be compared by their text.
            if index.columns.contains(where: { $0.name == nil }) { elements.append(index.sql ?? "") }
            facts.append(
                "index \(index.name) of \(name)\(index.isUnique ? ", unique" : "")\(index.isPartial ? ", partial" : ""): "
                    + elements.joined(separator: ", "))
            if index.isPartial { facts.append("index \(index.name): \(withoutWhiteSpace(index.sql))") }
        }
        return facts
    }

    private static func withoutWhiteSpace(_ sql: String?) -> String {
        (sql ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The definition of a generated column in a table's text. Such columns are never added, so that each begins a
    /// line.
    ///
    /// If SQLite dropped the columns after it, the end of the table is on its line too.
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
