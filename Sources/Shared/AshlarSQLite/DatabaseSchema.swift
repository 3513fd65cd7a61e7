/// The schema of one database of a connection, as SQLite reports it.
///
/// ``Connection/schema(of:)`` returns it. The objects are read at once; the parts of a table are read when they are
/// first used. The connection keeps both until the schema changes. After a statement that changes the schema, call
/// ``Connection/schema(of:)`` again.
///
/// Names are compared as SQLite compares them: without regard to the case of ASCII letters.
///
/// ```swift
/// let schema = try connection.schema()
/// for column in try schema.columns(of: "Post") { print(column.name, column.type) }
/// ```
package struct DatabaseSchema {
    /// A table, index, view or trigger.
    package struct Object: Sendable, Hashable {
        package enum Kind: String, Sendable {
            case table, index, view, trigger
            /// A type that SQLite never writes, in a file that another program altered.
            case other
        }

        package let kind: Kind
        package let name: String
        /// The table of an index or a trigger; otherwise the name.
        package let tableName: String
        /// The statement that created the object; nil for the index of a constraint.
        package let sql: String?
        /// Whether the object is a virtual table.
        package let isVirtualTable: Bool
    }

    /// A table or a view.
    package struct Table: Sendable, Hashable {
        package enum Kind: String, Sendable {
            case table, view, virtual
            /// A table that a virtual table keeps for itself.
            case shadow
        }

        package let name: String
        package let kind: Kind
        package let isWithoutRowID: Bool
        package let isStrict: Bool
    }

    /// A column of a table or a view.
    package struct Column: Sendable, Hashable {
        package enum Kind: Int64, Sendable {
            case ordinary
            /// A hidden column of a virtual table.
            case hidden
            case generated, storedGenerated
        }

        package let name: String
        /// The declared type; empty if there is none.
        package let type: String
        package let isRequired: Bool
        /// The default as SQL; nil if there is none.
        package let defaultValue: String?
        /// The position in the primary key, from 1; 0 for other columns.
        package let keyPosition: Int
        package let kind: Kind
        /// The name of the collation; empty for a column of a view.
        package let collation: String
        package let isAutoincrement: Bool
    }

    /// An index of a table, including the indexes of constraints.
    package struct Index: Sendable, Hashable {
        package enum Origin: String, Sendable {
            case statement = "c"
            case unique = "u"
            case primaryKey = "pk"
        }

        /// A column of an index.
        package struct Column: Sendable, Hashable {
            /// Nil for an expression and for the rowid.
            package let name: String?
            package let isDescending: Bool
            package let collation: String
        }

        package let name: String
        package let isUnique: Bool
        package let origin: Origin
        package let isPartial: Bool
        /// The columns of the key.
        package var columns: [Column]
        /// The statement that created the index; nil for the index of a constraint.
        package let sql: String?
    }

    /// A column of a foreign key.
    package struct ForeignKey: Sendable, Hashable {
        /// The number of the foreign key in its table. The columns of one key have the same number.
        package let number: Int64
        package let column: String
        package let table: String
        /// The referenced column; nil for the primary key.
        package let target: String?
        package let onUpdate: String
        package let onDelete: String
    }

    let connection: Connection
    /// The name of the database in the connection.
    package let name: String
    let contents: SchemaContents

    // MARK: Objects

    /// All objects, in the order in which SQLite lists them.
    package var objects: [Object] { contents.objects }

    /// The objects of a kind, in the order in which SQLite lists them.
    package func objects(_ kind: Object.Kind) -> [Object] { contents.objects.filter { $0.kind == kind } }

    /// The object with a name; nil if there is none.
    package func object(_ kind: Object.Kind, named name: String) -> Object? {
        contents.named[kind]?[SchemaContents.folded(name)]
    }

    /// Whether the database has a table, perhaps a virtual one.
    package func hasTable(_ name: String) -> Bool { object(.table, named: name) != nil }

    /// The triggers of a table.
    package func triggers(of table: String) -> [Object] {
        contents.triggers[SchemaContents.folded(table)] ?? []
    }

    /// The objects of a copy of the database, in an order in which SQLite accepts their statements. Virtual tables
    /// create their shadow tables, and SQLite its own tables.
    package func definedObjects() throws(SQLiteError) -> [Object] {
        let others = Set(try tables().filter { $0.kind == .shadow || $0.isReserved }.map(\.name))
        let defined = objects.filter { $0.sql != nil && !($0.kind == .table && others.contains($0.name)) }
        let tables = defined.filter { $0.kind == .table }
        return tables.filter { !$0.isVirtualTable } + tables.filter(\.isVirtualTable)
            + [.view, .index, .trigger].flatMap { kind in defined.filter { $0.kind == kind } }
    }

    // MARK: Tables

    /// All tables and views by name, with those of SQLite itself.
    package func tables() throws(SQLiteError) -> [Table] {
        if let known = contents.tables { return known }
        let tables = try read(
            """
            SELECT "name", "type", "wr", "strict" FROM pragma_table_list WHERE "schema" = ?1 ORDER BY "name"
            """, [name]
        ) { row, tables in
            tables.append(
                Table(
                    name: row.text(0) ?? "", kind: Table.Kind(rawValue: row.text(1) ?? "") ?? .table,
                    isWithoutRowID: row.integer(2) != 0, isStrict: row.integer(3) != 0))
        }
        contents.tables = tables
        return tables
    }

    /// The table or view with a name; nil if there is none.
    package func table(_ name: String) throws(SQLiteError) -> Table? {
        let tables = try tables()
        return contents.tablePositions[SchemaContents.folded(name)].map { tables[$0] }
    }

    /// The columns of a table or a view in their order, with generated and hidden ones; none if there is no such table.
    package func columns(of table: String) throws(SQLiteError) -> [Column] {
        try parts(
            of: table, \.columns,
            """
            SELECT "name", "type", "notnull", "dflt_value", "pk", "hidden" FROM pragma_table_xinfo(?2, ?1)
            ORDER BY "cid"
            """
        ) { row, columns in
            let column = row.text(0) ?? ""
            let extra = connection.metadata(ofColumn: column, in: table, of: name)
            columns.append(
                Column(
                    name: column, type: row.text(1) ?? "", isRequired: row.integer(2) != 0, defaultValue: row.text(3),
                    keyPosition: Int(row.integer(4)), kind: Column.Kind(rawValue: row.integer(5)) ?? .hidden,
                    collation: extra.collation, isAutoincrement: extra.isAutoincrement))
        }
    }

    /// The columns of the foreign keys of a table, by the numbers of the keys.
    package func foreignKeys(of table: String) throws(SQLiteError) -> [ForeignKey] {
        try parts(
            of: table, \.foreignKeys,
            """
            SELECT "id", "from", "table", "to", "on_update", "on_delete"
            FROM pragma_foreign_key_list(?2, ?1) ORDER BY "id", "seq"
            """
        ) { row, keys in
            keys.append(
                ForeignKey(
                    number: row.integer(0), column: row.text(1) ?? "", table: row.text(2) ?? "", target: row.text(3),
                    onUpdate: row.text(4) ?? "", onDelete: row.text(5) ?? ""))
        }
    }

    /// The indexes of a table by name, with those of constraints.
    package func indexes(of table: String) throws(SQLiteError) -> [Index] {
        try parts(
            of: table, \.indexes,
            """
            SELECT i."name", i."unique", i."origin", i."partial", c."name", c."desc", c."coll"
            FROM pragma_index_list(?2, ?1) AS i JOIN pragma_index_xinfo(i."name", ?1) AS c
            WHERE c."key" ORDER BY i."name", c."seqno"
            """
        ) { row, indexes in
            let name = row.text(0) ?? ""
            if indexes.last?.name != name {
                indexes.append(
                    Index(
                        name: name, isUnique: row.integer(1) != 0,
                        origin: Index.Origin(rawValue: row.text(2) ?? "") ?? .statement,
                        isPartial: row.integer(3) != 0, columns: [], sql: object(.index, named: name)?.sql))
            }
            indexes[indexes.count - 1].columns.append(
                Index.Column(name: row.text(4), isDescending: row.integer(5) != 0, collation: row.text(6) ?? ""))
        }
    }

    /// The parts of a table, which are read once.
    private func parts<Part>(
        of table: String, _ known: ReferenceWritableKeyPath<SchemaContents, [String: [Part]]>, _ sql: String,
        _ add: (Statement, inout [Part]) -> Void
    ) throws(SQLiteError) -> [Part] {
        let key = SchemaContents.folded(table)
        if let parts = contents[keyPath: known][key] { return parts }
        let parts = try read(sql, [name, table], add)
        contents[keyPath: known][key] = parts
        return parts
    }

    private func read<Part>(
        _ sql: String, _ arguments: [String], _ add: (Statement, inout [Part]) -> Void
    ) throws(SQLiteError) -> [Part] {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        statement.bind(arguments.map { .text($0) })
        var parts: [Part] = []
        while try statement.step() { add(statement, &parts) }
        return parts
    }
}

extension DatabaseSchema.Table {
    /// Whether the name is reserved for SQLite's own tables.
    package var isReserved: Bool { SchemaContents.folded(name).hasPrefix("sqlite_") }
}

extension DatabaseSchema.Column {
    /// Whether the column is neither generated nor hidden.
    package var isOrdinary: Bool { kind == .ordinary }
}

/// The parts of a schema that were read so far.
final class SchemaContents {
    let objects: [DatabaseSchema.Object]
    /// The objects of each kind by their folded names. A trigger may have the name of a table.
    private(set) lazy var named = Dictionary(grouping: objects, by: \.kind).mapValues { objects in
        Dictionary(objects.map { (Self.folded($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    }
    /// The triggers by the folded names of their tables.
    private(set) lazy var triggers = Dictionary(
        grouping: objects.filter { $0.kind == .trigger }, by: { Self.folded($0.tableName) })
    var tables: [DatabaseSchema.Table]?
    /// The positions of the tables, which are read before.
    private(set) lazy var tablePositions = Dictionary(
        (tables ?? []).enumerated().map { (Self.folded($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    // By the folded names of their tables.
    var columns: [String: [DatabaseSchema.Column]] = [:]
    var foreignKeys: [String: [DatabaseSchema.ForeignKey]] = [:]
    var indexes: [String: [DatabaseSchema.Index]] = [:]

    init(_ objects: [DatabaseSchema.Object]) { self.objects = objects }

    /// A name with its ASCII letters in lowercase. `lowercased()` would make other letters the same too.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
