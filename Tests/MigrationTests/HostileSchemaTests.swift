import AshlarSQLite
import Foundation
import PlannedModel
import RandomNumbers
import Testing

@testable import Ashlar
@testable import AshlarTool

/// Texts in `sqlite_schema` with more than the definition of an object, for every kind of object. No such text runs:
/// not when the store is opened, migrated or updated, and not when it is only inspected.
@Suite struct HostileSchemaTests {
    private let folder: TemporaryFolder
    private var url: URL { folder.file() }
    private var victim: URL { folder.file("victim.db") }
    private var loot: URL { folder.file("loot.db") }

    init() throws {
        folder = try TemporaryFolder()
        let other = try Connection(path: victim.path, flags: 6)
        try other.execute("CREATE TABLE secrets (text)")
        try other.execute("INSERT INTO secrets VALUES ('secret')")
    }

    /// Texts that follow, or replace, the text of an object.
    private static let tails = [
        "; ATTACH DATABASE 'VICTIM' AS p; DELETE FROM p.secrets",
        "; ATTACH DATABASE 'file:VICTIM?mode=rwc' AS p; DELETE FROM p.secrets",
        "; COMMIT; VACUUM INTO 'LOOT'; BEGIN",
        " /* */ ; -- nothing\n ; DELETE FROM Sailor",
        ";;PRAGMA writable_schema = ON",
        "; ROLLBACK",
    ]

    private static let objects = [
        ("evilTrigger", "CREATE TRIGGER evilTrigger AFTER INSERT ON Ship BEGIN SELECT 1; END"),
        ("evilView", "CREATE VIEW evilView AS SELECT name FROM Ship"),
        ("evilIndex", "CREATE INDEX evilIndex ON Ship (name)"),
        ("evilTable", "CREATE TABLE evilTable (a)"),
        ("evilTexts", "CREATE VIRTUAL TABLE evilTexts USING fts5(a)"),
    ]

    private func addObject(_ name: String, _ sql: String, _ tail: String) throws {
        try Harbour.execute(url, sql)
        let tail = tail.replacing("VICTIM", with: victim.path).replacing("LOOT", with: loot.path)
        try alter("UPDATE sqlite_schema SET sql = sql || ?1 WHERE name = ?2", [.text(tail), .text(name)])
    }

    private func alter(_ sql: String, _ values: [SQLiteValue]) throws {
        let connection = try Harbour.connect(url)
        try connection.execute("PRAGMA writable_schema = ON")
        _ = try connection.rows(sql, values)
    }

    private func expectNothingDone(_ comment: Testing.Comment) throws {
        let other = try Connection(path: victim.path, flags: 2)
        #expect(try other.integer("SELECT count(*) FROM secrets") == 1, comment)
        #expect(!FileManager.default.fileExists(atPath: loot.path), comment)
        #expect(try Harbour.connect(url).integer("SELECT count(*) FROM Sailor") == 12, comment)
    }

    private func isExpected(_ error: any Error) -> Bool {
        switch error {
        case StoreError.unsafeSchema(let found, _, _): found == url && "\(error)".contains("not safe")
        // If the schema cannot be read at all, SQLite itself reports it.
        case StoreError.damaged, StoreError.alteredSchema, StoreError.migrationObstructed: true
        default: false
        }
    }

    /// The store's own objects must have no effect, and the file stays unchanged.
    private func work(_ name: String, _ body: () throws -> Void, _ comment: Testing.Comment) throws {
        do {
            try body()
        } catch {
            #expect(isExpected(error), "\(comment): \(name): \(error)")
        }
        try expectNothingDone("\(comment): \(name)")
    }

    @Test(arguments: tails)
    func aStoreOfAnOlderVersion(_ tail: String) throws {
        for (name, sql) in Self.objects {
            try? FileManager.default.removeItem(at: url)
            try Harbour.makeStore(at: url)
            try addObject(name, sql, tail)
            let before = try Data(contentsOf: url)
            let comment: Testing.Comment = "\(name) with \(tail)"
            try work(
                "planning",
                {
                    _ = try ModelContainer.plannedMigration(
                        ofStoreAt: url, for: Harbour.current, options: MigrationOptions())
                }, comment)
            #expect(try Data(contentsOf: url) == before, comment)
            try work("reading the ledger", { _ = try ModelContainer.migrationHistory(ofStoreAt: url) }, comment)
            try work("migrating", { try Harbour.open(url) }, comment)
            try work("opening", { try Harbour.open(url) }, comment)
        }
    }

    /// The error of a refused migration names the object.
    @Test func theErrorNamesTheObject() throws {
        try Harbour.makeStore(at: url)
        try addObject("evilTrigger", Self.objects[0].1, Self.tails[0])
        for work in [
            { _ = try Harbour.open(url) },
            {
                _ = try ModelContainer.plannedMigration(
                    ofStoreAt: url, for: Harbour.current, options: MigrationOptions())
            },
        ] as [() throws -> Void] {
            #expect {
                try work()
            } throws: { error in
                guard case StoreError.unsafeSchema(url, "the trigger evilTrigger", _) = error else { return false }
                return true
            }
        }
    }

    /// Objects of the right kind with a name other than in the schema, and objects of another kind.
    @Test func anObjectThatIsAnother() throws {
        let connection = try Connection(path: ":memory:", flags: 0x86)
        try connection.execute("CREATE TABLE t (a, b)")
        let right: [StoredDefinition] = [
            .init(kind: .index, name: "i", sql: "CREATE INDEX i ON t (a)"),
            .init(kind: .index, name: "j", sql: "CREATE UNIQUE INDEX \"j\" ON t (lower(a)) WHERE b > 1 ; -- done\n"),
            .init(kind: .trigger, name: "g", sql: "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END"),
            .init(kind: .view, name: "v", sql: "CREATE VIEW v AS SELECT a FROM t /* all */"),
            .init(
                kind: .trigger, name: "w",
                sql: "CREATE TRIGGER w INSTEAD OF DELETE ON v BEGIN UPDATE t SET a = NULL; END"),
            .init(
                kind: .table, name: "Other", sql: "CREATE TABLE other (a INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE)"),
            .init(kind: .virtualTable, name: "f", sql: "CREATE VIRTUAL TABLE f USING fts5(a)"),
            .init(kind: .virtualTable, name: "r", sql: "CREATE VIRTUAL TABLE r USING rtree(i, x1, x2)"),
        ]
        for definition in right { try connection.make(definition, of: url) }
        #expect(
            try connection.integer(
                "SELECT count(*) FROM sqlite_schema WHERE name IN ('i','j','g','v','w','other','f','r')") == 8)
        let before = try connection.rows("SELECT name, sql FROM sqlite_schema")
        let wrong: [StoredDefinition] = [
            .init(kind: .index, name: "a", sql: "CREATE INDEX b ON t (a)"),
            .init(kind: .trigger, name: "a", sql: "CREATE VIEW a AS SELECT 1"),
            .init(kind: .view, name: "a", sql: "CREATE TEMP VIEW a AS SELECT 1"),
            .init(kind: .trigger, name: "a", sql: "CREATE TEMP TRIGGER a AFTER INSERT ON t BEGIN SELECT 1; END"),
            .init(kind: .table, name: "a", sql: "CREATE TABLE a AS SELECT * FROM t"),
            .init(kind: .table, name: "a", sql: "CREATE TABLE temp.a (b)"),
            .init(kind: .table, name: "a", sql: "CREATE VIRTUAL TABLE a USING fts5(b)"),
            .init(kind: .view, name: "a", sql: "SELECT 1"),
            .init(kind: .view, name: "a", sql: ""),
            .init(kind: .view, name: "v", sql: "DROP VIEW v"),
            .init(kind: .trigger, name: "t", sql: "DELETE FROM t"),
            .init(kind: .table, name: "t", sql: "ALTER TABLE t RENAME TO u"),
            .init(kind: .trigger, name: "a", sql: "ATTACH DATABASE '\(victim.path)' AS a"),
            .init(kind: .trigger, name: "a", sql: "VACUUM INTO '\(loot.path)'"),
            .init(kind: .trigger, name: "writable_schema", sql: "PRAGMA writable_schema = ON"),
            .init(kind: .index, name: "a", sql: "EXPLAIN CREATE INDEX a ON t (a)"),
            .init(kind: .table, name: "a", sql: "CREATE TABLE IF NOT EXISTS t (a)"),
        ]
        for definition in wrong {
            #expect("\(definition)") {
                try connection.make(definition, of: url)
            } throws: {
                guard case StoreError.unsafeSchema(url, _, _) = $0 else { return false }
                return true
            }
            #expect(try connection.rows("SELECT name, sql FROM sqlite_schema") == before, "\(definition)")
        }
        #expect(try connection.integer("SELECT count(*) FROM pragma_database_list WHERE name <> 'temp'") == 1)
        #expect(try connection.integer("PRAGMA writable_schema") == 0)
    }

    /// A text may only be one statement, wherever it runs.
    @Test func moreThanOneStatement() throws {
        let connection = try Connection(path: ":memory:", flags: 0x86)
        try connection.execute("CREATE TABLE t (a)")
        for (tail, isEmpty) in [
            ("", true), (";", true), (" ; ;\n\t;", true), ("; -- a", true), ("; -- a\n", true), ("; /* a */ ;", true),
            ("; /* a", true), (";SELECT 1", false), ("; -- a\nSELECT 1", false), ("; /* a */ SELECT 1", false),
            ("; x", false), ("; /", false), ("; -", false), ("; /* a *", true), ("; \u{301}", false), ("; \"", false),
        ] {
            for run in [
                { try connection.execute("INSERT INTO t VALUES (1)" + tail) },
                { try connection.statement("INSERT INTO t VALUES (1)" + tail).run() },
            ] {
                let before = try connection.integer("SELECT count(*) FROM t")
                do {
                    try run()
                    #expect(isEmpty, "\(tail)")
                } catch let error as SQLiteError {
                    #expect(!isEmpty && error.code == 21, "\(tail): \(error)")
                }
                let after = try connection.integer("SELECT count(*) FROM t")
                #expect((after ?? 0) - (before ?? 0) == (isEmpty ? 1 : 0), "\(tail)")
            }
        }
        try connection.execute(["INSERT INTO t VALUES (2)", "DELETE FROM t WHERE a = 1"])
        #expect(try connection.integer("SELECT count(*) FROM t WHERE a = 1") == 0)
    }

    /// Statements of a migration that are built from a table's text, as those of a collapsed chain.
    @Test(arguments: tails)
    func tablesOfTheModel(_ tail: String) throws {
        for name in ["Ship", "Sailor", "Entry", "Crate", "Buoy", "Sailor$ships"] {
            try? FileManager.default.removeItem(at: url)
            try Harbour.makeStore(at: url)
            let tail = tail.replacing("VICTIM", with: victim.path).replacing("LOOT", with: loot.path)
            try alter("UPDATE sqlite_schema SET sql = sql || ?1 WHERE name = ?2", [.text(tail), .text(name)])
            let comment: Testing.Comment = "\(name) with \(tail)"
            try work(
                "planning",
                {
                    _ = try ModelContainer.plannedMigration(
                        ofStoreAt: url, for: Harbour.current, options: MigrationOptions())
                }, comment)
            try work("migrating", { try Harbour.open(url) }, comment)
        }
    }

    /// A store of any version, from elsewhere, is compared with the schema of that version, and again when it is
    /// migrated.
    @Test(arguments: 1...4) func anUntrustedStore(_ version: Int) throws {
        try Harbour.makeStore(at: url)
        try Harbour.open(url, Harbour.model(version))
        var options = StoreOptions()
        options.isUntrusted = true
        let sound = try Data(contentsOf: url)
        for change in [
            "CREATE TRIGGER mine AFTER UPDATE ON Ship BEGIN SELECT 1; END", "CREATE INDEX mine ON Ship (version$)",
            "CREATE TRIGGER \"Ship$mine\" AFTER UPDATE ON Ship BEGIN SELECT 1; END",
            "CREATE VIEW mine AS SELECT 1", "ALTER TABLE Ship ADD COLUMN mine TEXT",
        ] {
            try Harbour.execute(url, change)
            let before = try Data(contentsOf: url)
            #expect("\(change)") {
                try Harbour.open(url, Harbour.current, options)
            } throws: {
                if case StoreError.untrustedSchema(url, _) = $0 { true } else { false }
            }
            #expect(try Data(contentsOf: url) == before)
            for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + name) }
            try sound.write(to: url)
        }
        try Harbour.open(url, Harbour.current, options)
        try Harbour.open(url, Harbour.current, options)
        try Harbour.expectCurrent(url)
    }

    /// Tables and columns that a migration will remove later do not count as foreign objects.
    @Test func anUntrustedStoreWithDeferredRemovals() throws {
        try Harbour.makeStore(at: url)
        var options = StoreOptions()
        options.isUntrusted = true
        try Harbour.open(url, Harbour.current, options, migration: MigrationOptions(defersRemovals: true))
        try Harbour.open(url, Harbour.current, options)
    }
}
