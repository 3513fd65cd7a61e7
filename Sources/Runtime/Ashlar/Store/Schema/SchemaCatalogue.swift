import AshlarSQLite

/// The comparable facts of a database's schema.
///
/// They do not include the texts of tables, because an added column is written elsewhere than an original one. If a
/// text must be compared, such as that of a trigger, white space is ignored.
struct SchemaCatalogue: Equatable {
    typealias Column = DatabaseSchema.Column

    /// A foreign key and its actions. SQLite does not report whether it is deferred.
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
        /// The statement that creates it.
        var sql: String

        static func == (left: Object, right: Object) -> Bool {
            (left.kind, left.table, left.facts) == (right.kind, right.table, right.facts)
        }
    }

    var tables: [String: Table] = [:]
    var objects: [String: Object] = [:]
    /// The statements that created the tables.
    private(set) var definitions: [String: String] = [:]

    static func == (left: SchemaCatalogue, right: SchemaCatalogue) -> Bool {
        left.tables == right.tables && left.objects == right.objects
    }

    /// The catalogue without the tables of the runtime itself.
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
        // The rows of tables are not part of the schema.
        for statement in schema where !statement.hasPrefix("INSERT ") { try connection.execute(statement) }
        try self.init(connection)
    }

    /// Creates the catalogue of a database.
    init(_ connection: Connection) throws(SQLiteError) {
        let schema = try connection.schema()
        // The ledger, which is created with its first row, is not part of the schema.
        for table in try schema.tables()
        where table.kind == .table && !table.isReserved && table.name != MigrationLedger.tableName {
            tables[table.name] = try Self.table(table, schema)
            definitions[table.name] = schema.object(.table, named: table.name)?.sql ?? ""
        }
        for object in schema.objects where object.kind == .trigger || object.isVirtualTable {
            objects[object.name] = Object(
                kind: object.kind == .trigger ? .trigger : .virtualTable, table: object.tableName,
                facts: [Self.withoutWhiteSpace(object.sql ?? "")], sql: object.sql ?? "")
        }
        for table in Set(schema.objects(.index).map(\.tableName)) {
            for index in try schema.indexes(of: table) {
                guard let sql = index.sql else { continue }
                objects[index.name] = Object(kind: .index, table: table, facts: Self.facts(of: index, sql), sql: sql)
            }
        }
    }

    private static func table(
        _ table: DatabaseSchema.Table, _ schema: DatabaseSchema
    ) throws(SQLiteError) -> Table {
        var result = Table(isStrict: table.isStrict, hasRowID: !table.isWithoutRowID)
        for column in try schema.columns(of: table.name) { result.columns[column.name] = column }
        for key in try schema.foreignKeys(of: table.name) {
            result.references.insert(
                Reference(column: key.column, table: key.table, deletion: key.onDelete, update: key.onUpdate))
        }
        return result
    }

    private static func facts(of index: DatabaseSchema.Index, _ sql: String) -> [String] {
        var facts = [index.isUnique ? "unique" : ""]
        facts += index.columns.map { "\($0.name ?? "") \($0.collation)\($0.isDescending ? " DESC" : "")" }
        // SQLite reports conditions and expressions as text only.
        if index.isPartial || index.columns.contains(where: { $0.name == nil }) {
            facts.append(withoutWhiteSpace(sql))
        }
        return facts
    }

    /// Returns a statement with one space for each run of white space outside quotation marks.
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
