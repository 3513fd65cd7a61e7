import AshlarSQLite
import Foundation
import Testing

/// The schema follows each change of the database, and costs one statement while there is none.
@Suite struct SchemaChangeTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(
            opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
        try connection.execute("CREATE TABLE \"first\" (\"x\")")
    }

    private var tables: [String] { get throws { try connection.schema().objects(.table).map(\.name) } }

    private func columns(of table: String) throws -> [String] {
        try connection.schema().columns(of: table).map(\.name)
    }

    /// The number of statements that the connection runs in a closure.
    private func statementCount(_ body: () throws -> Void) rethrows -> Int {
        let before = connection.runs.count
        try body()
        return connection.runs.count - before
    }

    @Test func aKnownSchemaCostsOneStatement() throws {
        _ = try connection.schema().columns(of: "first")
        #expect(try statementCount { _ = try connection.schema().columns(of: "first") } == 1)
        #expect(try statementCount { _ = try connection.schema().hasTable("first") } == 1)
        let schema = try connection.schema()
        #expect(try statementCount { _ = try schema.columns(of: "first") } == 0)
    }

    @Test func rowsChangeNoSchema() throws {
        _ = try connection.schema().columns(of: "first")
        try connection.execute("INSERT INTO \"first\" VALUES (1)")
        #expect(try statementCount { _ = try connection.schema().columns(of: "first") } == 1)
    }

    @Test func eachStatementThatChangesTheSchemaIsNoticed() throws {
        #expect(try tables == ["first"])
        try connection.execute("CREATE TABLE \"second\" (\"x\")")
        #expect(try tables == ["first", "second"])
        #expect(try columns(of: "second") == ["x"])
        try connection.execute("ALTER TABLE \"second\" ADD COLUMN \"y\"")
        #expect(try columns(of: "second") == ["x", "y"])
        try connection.execute("CREATE INDEX \"i\" ON \"second\" (\"y\")")
        #expect(try connection.schema().indexes(of: "second").map(\.name) == ["i"])
        try connection.execute("DROP INDEX \"i\"")
        #expect(try connection.schema().indexes(of: "second").isEmpty)
        try connection.execute("ALTER TABLE \"second\" RENAME TO \"third\"")
        #expect(try tables == ["first", "third"])
        try connection.execute("DROP TABLE \"third\"")
        #expect(try tables == ["first"])
    }

    @Test func aRollbackThatGivesItsNumberToAnotherChangeIsNoticed() throws {
        #expect(try columns(of: "first") == ["x"])
        let version = try connection.integer("PRAGMA schema_version")
        try connection.execute("BEGIN")
        try connection.execute("ALTER TABLE \"first\" ADD COLUMN \"undone\"")
        #expect(try columns(of: "first") == ["x", "undone"])
        let undone = try connection.integer("PRAGMA schema_version")
        try connection.execute("ROLLBACK")
        #expect(try connection.integer("PRAGMA schema_version") == version)
        try connection.execute("ALTER TABLE \"first\" ADD COLUMN \"kept\"")
        #expect(try connection.integer("PRAGMA schema_version") == undone)
        #expect(try columns(of: "first") == ["x", "kept"])
    }

    @Test func aSavepointThatIsRolledBackIsNoticed() throws {
        try connection.execute("BEGIN")
        for name in ["a", "b"] {
            try connection.execute("SAVEPOINT \"s\"")
            try connection.execute("CREATE TABLE \"\(name)\" (\"x\")")
            #expect(try tables == ["first", name])
            try connection.execute("ROLLBACK TO \"s\"")
            try connection.execute("RELEASE \"s\"")
        }
        #expect(try tables == ["first"])
        try connection.execute("COMMIT")
        #expect(try tables == ["first"])
    }

    @Test func aStatementThatFailsLeavesTheSchema() throws {
        #expect(try columns(of: "first") == ["x"])
        try connection.execute("BEGIN")
        #expect(throws: SQLiteError.self) {
            try connection.execute("CREATE TABLE \"copy\" AS SELECT abs(-9223372036854775807 - 1) AS \"y\"")
        }
        #expect(try tables == ["first"])
        try connection.execute("CREATE TABLE \"copy\" (\"z\")")
        #expect(try columns(of: "copy") == ["z"])
        try connection.execute("ROLLBACK")
        #expect(try tables == ["first"])
    }

    @Test func temporaryObjectsAreInTheirOwnSchema() throws {
        #expect(try connection.schema(of: "temp").objects.isEmpty)
        try connection.execute("CREATE TEMP TABLE \"first\" (\"other\")")
        try connection.execute("CREATE TEMP TRIGGER \"t\" AFTER INSERT ON \"main\".\"first\" BEGIN SELECT 1; END")
        #expect(try connection.schema(of: "temp").objects.map(\.name) == ["first", "t"])
        #expect(try connection.schema(of: "temp").columns(of: "first").map(\.name) == ["other"])
        #expect(try connection.schema(of: "temp").triggers(of: "first").map(\.name) == ["t"])
        #expect(try columns(of: "first") == ["x"])
        #expect(try connection.schema().triggers(of: "first").isEmpty)
        try connection.execute("DROP TABLE temp.\"first\"")
        #expect(try connection.schema(of: "temp").objects(.table).isEmpty)
    }

    @Test func attachedDatabasesHaveSchemasOfTheirOwn() throws {
        // Both databases have the same number of changes, and only SQLite distinguishes them.
        try connection.execute("ATTACH ':memory:' AS \"other\"")
        try connection.execute("CREATE TABLE \"other\".\"a\" (\"x\")")
        #expect(try connection.schema(of: "other").objects.map(\.name) == ["a"])
        #expect(try connection.schema(of: "other").columns(of: "a").map(\.name) == ["x"])
        #expect(try connection.schema(holding: "a").name == "other")
        #expect(try connection.schema(holding: "first").name == "main")
        #expect(try connection.schema(holding: "missing").name == "main")
        try connection.execute("DETACH \"other\"")
        #expect(throws: SQLiteError.self) { try connection.schema(of: "other") }
        try connection.execute("ATTACH ':memory:' AS \"other\"")
        try connection.execute("CREATE TABLE \"other\".\"b\" (\"y\")")
        #expect(try connection.schema(of: "other").objects.map(\.name) == ["b"])
        #expect(try tables == ["first"])
    }

    @Test func otherConnectionsAndStatesOfAFileAreNoticed() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "file.sqlite").path
        let writer = try Connection(opening: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try writer.execute("PRAGMA journal_mode = WAL")
        try writer.execute("CREATE TABLE \"a\" (\"x\")")
        let reader = try Connection(opening: path, flags: SQLITE_OPEN_READWRITE)
        try reader.execute("PRAGMA query_only = ON")
        #expect(try reader.schema().objects.map(\.name) == ["a"])
        try reader.execute("BEGIN")
        try reader.beginReading()
        try writer.execute("CREATE TABLE \"b\" (\"x\")")
        // The transaction of the reader sees the earlier state.
        #expect(try reader.schema().objects.map(\.name) == ["a"])
        try reader.execute("COMMIT")
        #expect(try reader.schema().objects.map(\.name) == ["a", "b"])
        #expect(try writer.schema().objects.map(\.name) == ["a", "b"])
        // A copy of pages replaces the schema as well.
        let source = try Connection(opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY)
        try source.execute("CREATE TABLE \"c\" (\"x\")")
        let target = try Connection(opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY)
        try target.execute("CREATE TABLE \"d\" (\"x\")")
        #expect(try target.schema().objects.map(\.name) == ["d"])
        #expect(try source.copy(to: target))
        #expect(try target.schema().objects.map(\.name) == ["c"])
    }

    @Test func aConnectionThatWasReadCanBeClosed() throws {
        _ = try connection.schema().columns(of: "first")
        #expect(connection.close())
    }
}
