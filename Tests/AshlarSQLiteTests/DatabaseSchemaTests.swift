import AshlarSQLite
import Foundation
import Testing

/// The schema that a connection reports, of tables that the tests make in SQL.
@Suite struct DatabaseSchemaTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(
            opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
    }

    private func make(_ statements: String...) throws { try connection.execute(statements) }

    // MARK: Objects

    @Test func objectsAreListedInTheOrderOfTheirCreation() throws {
        try make(
            "CREATE TABLE \"b\" (\"x\" TEXT UNIQUE)", "CREATE INDEX \"i\" ON \"b\" (\"x\")",
            "CREATE TABLE \"a\" (\"y\")", "CREATE VIEW \"v\" AS SELECT * FROM \"a\"",
            "CREATE TRIGGER \"t\" AFTER INSERT ON \"a\" BEGIN SELECT 1; END")
        let schema = try connection.schema()
        #expect(schema.objects.map(\.name) == ["b", "sqlite_autoindex_b_1", "i", "a", "v", "t"])
        #expect(schema.objects.map(\.kind) == [.table, .index, .index, .table, .view, .trigger])
        #expect(schema.objects.map(\.tableName) == ["b", "b", "b", "a", "v", "a"])
        #expect(schema.object(.index, named: "sqlite_autoindex_b_1")?.sql == nil)
        #expect(schema.object(.index, named: "i")?.sql == "CREATE INDEX \"i\" ON \"b\" (\"x\")")
        #expect(schema.objects(.trigger).map(\.name) == ["t"])
        #expect(schema.triggers(of: "A").map(\.name) == ["t"])
    }

    @Test func namesAreComparedWithoutTheCaseOfASCIILetters() throws {
        try make(
            "CREATE TABLE \"Ärger\" (\"x\")", "CREATE TABLE \"ärger\" (\"y\", \"z\")",
            "CREATE INDEX \"I\" ON \"Ärger\" (\"x\")")
        let schema = try connection.schema()
        #expect(schema.object(.table, named: "ÄRGER")?.name == "Ärger")
        #expect(try schema.table("äRGER")?.name == "ärger")
        #expect(try schema.columns(of: "ÄRGER").map(\.name) == ["x"])
        #expect(schema.object(.index, named: "i")?.tableName == "Ärger")
        #expect(!schema.hasTable("i"))
    }

    @Test func aTriggerMayHaveTheNameOfItsTable() throws {
        try make("CREATE TABLE \"t\" (\"x\")", "CREATE TRIGGER \"t\" AFTER DELETE ON \"t\" BEGIN SELECT 1; END")
        let schema = try connection.schema()
        #expect(schema.object(.table, named: "t")?.kind == .table)
        #expect(schema.object(.trigger, named: "t")?.kind == .trigger)
    }

    // MARK: Tables

    @Test func tablesHaveTheirKinds() throws {
        try make(
            "CREATE TABLE \"plain\" (\"x\")", "CREATE TABLE \"strict\" (\"x\" TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
            "CREATE VIEW \"view\" AS SELECT 1", "CREATE VIRTUAL TABLE \"text\" USING fts5(\"words\")",
            "CREATE VIRTUAL TABLE \"tree\" USING rtree(\"id\", \"a\", \"b\")")
        let schema = try connection.schema()
        let plain = try #require(try schema.table("plain"))
        #expect(plain.kind == .table && !plain.isStrict && !plain.isWithoutRowID)
        let strict = try #require(try schema.table("strict"))
        #expect(strict.kind == .table && strict.isStrict && strict.isWithoutRowID)
        #expect(try schema.table("view")?.kind == .view)
        #expect(try schema.table("text")?.kind == .virtual)
        #expect(try schema.table("text_content")?.kind == .shadow)
        #expect(try schema.table("tree_node")?.kind == .shadow)
        #expect(schema.object(.table, named: "tree")?.isVirtualTable == true)
        #expect(schema.object(.table, named: "tree_node")?.isVirtualTable == false)
        #expect(try schema.table("sqlite_schema")?.isReserved == true)
        #expect(try schema.table("missing") == nil)
        let names = try schema.tables().map(\.name)
        #expect(names == names.sorted())
    }

    @Test func definedObjectsMakeACopy() throws {
        try make(
            "CREATE VIRTUAL TABLE \"text\" USING fts5(\"words\")",
            "CREATE TABLE \"a\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \"x\")",
            "CREATE TRIGGER \"t\" AFTER INSERT ON \"a\" BEGIN SELECT 1; END", "CREATE INDEX \"i\" ON \"a\" (\"x\")",
            "CREATE VIEW \"v\" AS SELECT * FROM \"a\"")
        let defined = try connection.schema().definedObjects()
        #expect(defined.map(\.name) == ["a", "text", "v", "i", "t"])
        let copy = try Connection(opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY)
        for object in defined { try copy.execute(try #require(object.sql)) }
        #expect(Set(try copy.schema().objects) == Set(try connection.schema().objects))
    }

    // MARK: Columns

    @Test func columnsHaveTheirProperties() throws {
        try make(
            """
            CREATE TABLE "t" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL DEFAULT 'a''b' COLLATE NOCASE,
                "plain", "size" INTEGER GENERATED ALWAYS AS (length("name")),
                "kept" INTEGER GENERATED ALWAYS AS (length("name")) STORED)
            """)
        let columns = try connection.schema().columns(of: "t")
        #expect(columns.map(\.name) == ["id", "name", "plain", "size", "kept"])
        #expect(columns.map(\.type) == ["INTEGER", "TEXT", "", "INTEGER", "INTEGER"])
        #expect(columns.map(\.kind) == [.ordinary, .ordinary, .ordinary, .generated, .storedGenerated])
        #expect(columns.map(\.isOrdinary) == [true, true, true, false, false])
        #expect(columns.map(\.isRequired) == [false, true, false, false, false])
        #expect(columns.map(\.defaultValue) == [nil, "'a''b'", nil, nil, nil])
        #expect(columns.map(\.keyPosition) == [1, 0, 0, 0, 0])
        #expect(columns.map(\.collation) == ["BINARY", "NOCASE", "BINARY", "BINARY", "BINARY"])
        #expect(columns.map(\.isAutoincrement) == [true, false, false, false, false])
    }

    @Test func keysHaveTheirOrder() throws {
        try make("CREATE TABLE \"t\" (\"a\", \"b\", \"c\", PRIMARY KEY (\"c\", \"a\")) WITHOUT ROWID")
        #expect(try connection.schema().columns(of: "t").map(\.keyPosition) == [2, 0, 1])
    }

    @Test func hiddenColumnsAreThoseOfVirtualTables() throws {
        try make("CREATE VIRTUAL TABLE \"text\" USING fts5(\"words\")")
        let columns = try connection.schema().columns(of: "text")
        #expect(columns.map(\.name) == ["words", "text", "rank"])
        #expect(columns.map(\.kind) == [.ordinary, .hidden, .hidden])
    }

    @Test func aMissingTableHasNoParts() throws {
        let schema = try connection.schema()
        #expect(try schema.columns(of: "missing").isEmpty)
        #expect(try schema.indexes(of: "missing").isEmpty)
        #expect(try schema.foreignKeys(of: "missing").isEmpty)
    }

    // MARK: Indexes

    @Test func indexesHaveTheirColumnsAndOrigins() throws {
        try make(
            "CREATE TABLE \"t\" (\"a\" TEXT, \"b\" INTEGER, \"c\" TEXT UNIQUE, PRIMARY KEY (\"a\", \"b\"))",
            "CREATE UNIQUE INDEX \"z\" ON \"t\" (\"b\" DESC, \"a\" COLLATE NOCASE)",
            "CREATE INDEX \"y\" ON \"t\" (lower(\"a\"), \"b\") WHERE \"b\" > 0")
        let indexes = try connection.schema().indexes(of: "T")
        #expect(indexes.map(\.name) == ["sqlite_autoindex_t_1", "sqlite_autoindex_t_2", "y", "z"])
        #expect(indexes.map(\.isUnique) == [true, true, false, true])
        #expect(indexes.map(\.isPartial) == [false, false, true, false])
        #expect(Set(indexes.prefix(2).map(\.origin)) == [.unique, .primaryKey])
        #expect(indexes.suffix(2).map(\.origin) == [.statement, .statement])
        #expect(indexes[0].sql == nil)
        #expect(indexes[2].sql?.hasSuffix("WHERE \"b\" > 0") == true)
        #expect(indexes[2].columns.map(\.name) == [nil, "b"])
        #expect(indexes[3].columns.map(\.name) == ["b", "a"])
        #expect(indexes[3].columns.map(\.isDescending) == [true, false])
        #expect(indexes[3].columns.map(\.collation) == ["BINARY", "NOCASE"])
    }

    // MARK: Foreign keys

    @Test func foreignKeysHaveTheirColumnsAndActions() throws {
        try make(
            "CREATE TABLE \"p\" (\"id\" INTEGER PRIMARY KEY, \"x\", \"y\", UNIQUE (\"x\", \"y\"))",
            """
            CREATE TABLE "c" ("p" REFERENCES "p" ON DELETE CASCADE ON UPDATE SET NULL, "x", "y",
                FOREIGN KEY ("x", "y") REFERENCES "p" ("x", "y"))
            """)
        let keys = try connection.schema().foreignKeys(of: "c")
        #expect(keys.map(\.number) == [0, 0, 1])
        #expect(keys.map(\.column) == ["x", "y", "p"])
        #expect(keys.map(\.table) == ["p", "p", "p"])
        #expect(keys.map(\.target) == ["x", "y", nil])
        #expect(keys.map(\.onDelete) == ["NO ACTION", "NO ACTION", "CASCADE"])
        #expect(keys.map(\.onUpdate) == ["NO ACTION", "NO ACTION", "SET NULL"])
    }

    @Test func rowsWithoutTheirParentsAreFound() throws {
        try make(
            "CREATE TABLE \"p\" (\"id\" INTEGER PRIMARY KEY)",
            "CREATE TABLE \"c\" (\"id\" INTEGER PRIMARY KEY, \"p\" REFERENCES \"p\")",
            "CREATE TABLE \"pairs\" (\"a\" REFERENCES \"p\", \"b\", PRIMARY KEY (\"a\", \"b\")) WITHOUT ROWID",
            "INSERT INTO \"p\" VALUES (1)", "INSERT INTO \"c\" VALUES (10, 1), (11, 2), (12, 3)",
            "INSERT INTO \"pairs\" VALUES (4, 1), (5, 1)")
        let ofTable = try connection.foreignKeyViolations(of: "c")
        #expect(ofTable.map(\.rowID) == [11, 12])
        #expect(ofTable.map(\.parent) == ["p", "p"])
        #expect(try connection.foreignKeyViolations(of: "c", limit: 1).count == 1)
        let all = try connection.foreignKeyViolations()
        #expect(all.count == 4)
        #expect(all.filter { $0.rowID == nil }.map(\.table) == ["pairs", "pairs"])
    }
}
