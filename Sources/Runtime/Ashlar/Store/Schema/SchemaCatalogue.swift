import AshlarSQLite

/// A database's description of its schema, as comparable facts.
///
/// The texts of tables are none of them, since a column that was added is written elsewhere than one that was there
/// from the beginning. Where a text must be compared, that of a trigger say, white space does not count.
struct SchemaCatalogue: Equatable {
    struct Column: Hashable {
        var name: String
        var type: String
        var isRequired: Bool
        var defaultLiteral: String?
        var collation: String
        /// The position in the primary key, from 1; 0 for others.
        var keyPosition: Int64
        var isAutoincrement: Bool
        /// 0 for a column of the ordinary kind; generated ones have others.
        var kind: Int64
    }

    /// The action of a foreign key. SQLite does not report that it is deferred.
    struct Reference: Hashable {
        var column: String
        var table: String
        var deletion: String
        var update: String
    }

    struct Table: Equatable {
        var columns: [String: Column] = [:]
        var references: Set<Reference> = []
        var isStrict: Bool
        var hasRowID: Bool
    }

    /// An index, a trigger or a virtual table.
    struct Object: Equatable {
        enum Kind: String { case virtualTable, index, trigger }

        var kind: Kind
        var table: String
        /// The compared facts.
        var facts: [String]
        /// The statement that makes it.
        var sql: String

        static func == (left: Object, right: Object) -> Bool {
            (left.kind, left.table, left.facts) == (right.kind, right.table, right.facts)
        }
    }

    var tables: [String: Table] = [:]
    var objects: [String: Object] = [:]
    /// The statements that made the tables.
    private(set) var definitions: [String: String] = [:]

    static func == (left: SchemaCatalogue, right: SchemaCatalogue) -> Bool {
        left.tables == right.tables && left.objects == right.objects
    }

    /// The catalogue without the tables that the runtime keeps for itself.
    var withoutRuntimeTables: SchemaCatalogue {
        var catalogue = self
        catalogue.tables = tables.filter { !$0.key.hasPrefix("ashlar$") }
        catalogue.objects = objects.filter { !$0.key.hasPrefix("ashlar$") }
        return catalogue
    }

    /// Creates the catalogue that the statements of a schema produce.
    init(of schema: [String]) throws(SQLiteError) {
        let connection = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
        // What is in a table is no part of the schema.
        for statement in schema where !statement.hasPrefix("INSERT ") { try connection.execute(statement) }
        try self.init(connection)
    }

    /// Creates the catalogue of a database.
    init(_ connection: Connection) throws(SQLiteError) {
        try readTables(connection)
        try readIndexes(connection)
        for row in try connection.rows(
            """
            SELECT "name", "tbl_name", "sql", "type" FROM "sqlite_schema"
            WHERE "type" = 'trigger' OR ("type" = 'table' AND "rootpage" = 0)
            """)
        {
            objects[row[0].text] = Object(
                kind: row[3].text == "trigger" ? .trigger : .virtualTable, table: row[1].text,
                facts: [Self.withoutWhiteSpace(row[2].text)], sql: row[2].text)
        }
    }

    private mutating func readTables(_ connection: Connection) throws(SQLiteError) {
        // The ledger, which is made with its first row, is no part of the schema.
        for row in try connection.rows(
            """
            SELECT l."name", l."strict", l."wr", m."sql" FROM pragma_table_list AS l
            JOIN "sqlite_schema" AS m ON m."name" = l."name" AND m."type" = 'table'
            WHERE l."schema" = 'main' AND l."type" = 'table' AND l."name" NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                AND l."name" <> '\(MigrationLedger.tableName)'
            """)
        {
            tables[row[0].text] = Table(isStrict: row[1] == .integer(1), hasRowID: row[2] == .integer(0))
            definitions[row[0].text] = row[3].text
        }
        for name in tables.keys {
            let rows = try connection.rows(
                """
                SELECT "name", "type", "notnull", "dflt_value", "pk", "hidden" FROM pragma_table_xinfo(?1, 'main')
                """, [.text(name)])
            for row in rows {
                let extra = connection.metadata(ofColumn: row[0].text, in: name)
                tables[name]?.columns[row[0].text] = Column(
                    name: row[0].text, type: row[1].text, isRequired: row[2] == .integer(1),
                    defaultLiteral: row[3].isNull ? nil : row[3].text, collation: extra.collation,
                    keyPosition: row[4].integer, isAutoincrement: extra.isAutoincrement, kind: row[5].integer)
            }
            for row in try connection.rows(
                "SELECT \"from\", \"table\", \"on_delete\", \"on_update\" FROM pragma_foreign_key_list(?1, 'main')",
                [.text(name)])
            {
                tables[name]?.references.insert(
                    Reference(column: row[0].text, table: row[1].text, deletion: row[2].text, update: row[3].text))
            }
        }
    }

    private mutating func readIndexes(_ connection: Connection) throws(SQLiteError) {
        for row in try connection.rows(
            """
            SELECT m."name", m."tbl_name", m."sql", l."unique", l."partial" FROM "sqlite_schema" AS m
            JOIN pragma_index_list(m."tbl_name", 'main') AS l ON l."name" = m."name"
            WHERE m."type" = 'index' AND m."sql" IS NOT NULL
            """)
        {
            var facts = [row[3] == .integer(1) ? "unique" : ""]
            for part in try connection.rows(
                """
                SELECT "name", "desc", "coll" FROM pragma_index_xinfo(?1, 'main') WHERE "key" = 1 ORDER BY "seqno"
                """, [row[0]])
            {
                facts.append("\(part[0].text) \(part[2].text)\(part[1] == .integer(1) ? " DESC" : "")")
            }
            // Of conditions and expressions SQLite tells the text alone.
            if row[4] == .integer(1) || facts.contains(where: { $0.hasPrefix(" ") }) {
                facts.append(Self.withoutWhiteSpace(row[2].text))
            }
            objects[row[0].text] = Object(kind: .index, table: row[1].text, facts: facts, sql: row[2].text)
        }
    }

    /// A statement with one space for each run of white space that is in no quotes.
    static func withoutWhiteSpace(_ sql: String) -> String {
        var result: [UInt8] = []
        var quote: UInt8?
        for byte in sql.utf8 {
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: " ") || 0x09...0x0D ~= byte {
                if result.last != UInt8(ascii: " ") { result.append(UInt8(ascii: " ")) }
                continue
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension SQLiteValue {
    /// The text; empty for another value.
    var text: String { if case .text(let text) = self { text } else { "" } }

    /// The integer; 0 for another value.
    var integer: Int64 { if case .integer(let integer) = self { integer } else { 0 } }
}
