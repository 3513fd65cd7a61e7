import AshlarSQLite
import Testing

@testable import Ashlar

/// A connection registers the functions with the first statement that uses one.
@Suite struct RegisteredFunctionsTests {
    let folder: TemporaryFolder
    let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Self.connect(folder)
    }

    private static func connect(_ folder: TemporaryFolder) throws -> Connection {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        return try Connection(path: folder.file().path, flags: flags, registersFunctions: false)
    }

    private func knowsFunctions() throws -> Bool {
        try connection.integer("SELECT 1 FROM pragma_function_list WHERE \"name\" = 'ashlar_uppercase'") != nil
    }

    @Test func aStatement() throws {
        #expect(try !knowsFunctions())
        #expect(try connection.text("SELECT ashlar_uppercase('a')") == "A")
        #expect(try knowsFunctions())
    }

    @Test func anAggregate() throws {
        #expect(try connection.integer("SELECT ashlar_sum(1)") == 1)
    }

    /// Statements that ran before the one with the missing function do not run again.
    @Test func oneOfSeveralStatements() throws {
        try connection.execute([
            "CREATE TABLE \"a\" (\"x\"); -- a comment; with a semicolon\n",
            "INSERT INTO \"a\" (\"x\") VALUES (1)",
            "INSERT INTO \"a\" (\"x\") VALUES (ashlar_uppercase('ä'));;",
        ])
        #expect(try connection.rows("SELECT \"x\" FROM \"a\"").map { $0[0] } == [.integer(1), .text("Ä")])
    }

    /// A trigger of the program may call a function.
    @Test func aTrigger() throws {
        try connection.execute("CREATE TABLE \"a\" (\"x\")")
        try connection.execute(
            """
            CREATE TRIGGER "t" AFTER INSERT ON "a" BEGIN
                UPDATE "a" SET "x" = ashlar_uppercase("x");
            END
            """)
        let other = try Self.connect(folder)
        try other.execute("INSERT INTO \"a\" (\"x\") VALUES ('b')")
        #expect(try other.text("SELECT \"x\" FROM \"a\"") == "B")
    }

    /// `ALTER` goes over the triggers of the schema while it runs.
    @Test(arguments: ["ALTER TABLE \"a\" RENAME TO \"b\"", " alter table \"a\" DROP COLUMN \"y\"", "-- why\nVACUUM"])
    func aStatementThatGoesOverTheSchema(_ sql: String) throws {
        try connection.execute("CREATE TABLE \"a\" (\"x\", \"y\")")
        // A connection with the functions writes the trigger.
        try connection.execute(
            """
            CREATE TRIGGER "t" AFTER INSERT ON "a" BEGIN
                UPDATE "a" SET "x" = ashlar_uppercase("x");
            END
            """)
        try connection.execute("CREATE INDEX \"i\" ON \"a\" (ashlar_uppercase(\"x\"))")
        let other = try Self.connect(folder)
        try other.execute(sql)
        #expect(try other.text("SELECT ashlar_uppercase('a')") == "A")
    }

    /// SQLite has another error message for a missing function of an index.
    @Test func anIndex() throws {
        try connection.execute("CREATE TABLE \"a\" (\"x\")")
        try connection.execute("CREATE INDEX \"i\" ON \"a\" (ASHLAR_uppercase(\"x\"))")
        let other = try Self.connect(folder)
        try other.execute("INSERT INTO \"a\" (\"x\") VALUES ('b')")
        #expect(try other.text("PRAGMA integrity_check") == "ok")
    }

    @Test func whatNobodyKnows() throws {
        for function in ["ashlar_unknown", "unknown"] {
            do {
                try connection.execute(["CREATE TABLE IF NOT EXISTS \"a\" (\"x\")", "SELECT \(function)(1)"])
                Issue.record("there is no such function")
            } catch {
                #expect(error.message == "no such function: \(function)")
            }
        }
    }
}
