import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// A migration keeps objects that were added to a store by hand, or refuses them by name.
@Suite struct AddedByHandTests {
    let folder: TemporaryFolder
    var url: URL { folder.file() }

    init() throws {
        folder = try TemporaryFolder()
        try Harbour.makeStore(at: folder.file())
    }

    @Test func kept() throws {
        try Harbour.execute(
            url, "CREATE VIEW heavy AS SELECT name, tons FROM Ship WHERE tons > 50",
            "CREATE VIEW names AS SELECT name FROM Sailor UNION ALL SELECT name FROM heavy",
            "CREATE TABLE log (what TEXT)", "CREATE INDEX mine ON Ship (name, tons)",
            "CREATE INDEX entryText ON Entry (text DESC)", "CREATE INDEX sailors ON Sailor (nick)",
            "CREATE TRIGGER noting AFTER UPDATE OF tons ON Ship BEGIN INSERT INTO log VALUES ('ship ' || NEW.tons); END",
            "CREATE TRIGGER removing AFTER DELETE ON Entry BEGIN INSERT INTO log VALUES (OLD.text); END",
            "CREATE TRIGGER through INSTEAD OF DELETE ON heavy BEGIN INSERT INTO log VALUES (OLD.name); END",
            "ALTER TABLE Buoy ADD COLUMN mine TEXT DEFAULT 'm'", "INSERT INTO log VALUES ('kept')")
        let plan = try ModelContainer.plannedMigration(
            ofStoreAt: url, for: Harbour.current, options: MigrationOptions())
        let names = ["entryText", "heavy", "mine", "names", "noting", "removing", "sailors", "through"]
        #expect(plan.addedObjects == names)
        try Harbour.open(url)
        try Harbour.expectCurrent(url)
        let connection = try Harbour.connect(url)
        // The migration changed and copied rows, and fired none of the triggers.
        #expect(try connection.integer("SELECT count(*) FROM log") == 1)
        #expect(try MigrationRehearsal.addedObjects(connection).map(\.name).sorted() == names)
        #expect(try connection.integer("SELECT count(*) FROM names") == 12 + 6)
        #expect(try connection.integer("SELECT count(*) FROM Mark WHERE mine = 'm'") == 12)
        // The objects refer to renamed tables and columns by their new names.
        try connection.execute("UPDATE Ship SET weight = 7 WHERE id$ = 1")
        try connection.execute("DELETE FROM heavy WHERE name = 'Ship 8'")
        try connection.execute("DELETE FROM Entry WHERE text = 'entry 1' AND number = 1")
        #expect(
            try connection.rows("SELECT what FROM log").map { $0[0].text }
                == ["kept", "ship 7", "Ship 8", "entry 1"])
    }

    @Test(
        arguments: [
            ("CREATE VIEW colours AS SELECT colour FROM Ship", "the view colours"),
            ("CREATE VIEW crates AS SELECT label FROM Crate", "the view crates"),
            ("CREATE INDEX colours ON Ship (colour)", "the index colours"),
            ("CREATE INDEX remarks ON Ship (remark)", "the index remarks"),
            ("CREATE INDEX crates ON Crate (label)", "the index crates"),
            (
                "CREATE TRIGGER colouring AFTER INSERT ON Ship BEGIN SELECT NEW.colour; END",
                "the trigger colouring"
            ),
            ("CREATE TRIGGER crating AFTER INSERT ON Crate BEGIN SELECT 1; END", "the trigger crating"),
            ("CREATE TRIGGER other AFTER INSERT ON Buoy BEGIN DELETE FROM Crate; END", "the trigger other"),
            ("ALTER TABLE Ship ADD COLUMN mine TEXT", "the column Ship.mine"),
            ("ALTER TABLE Crate ADD COLUMN mine TEXT", "the column Crate.mine"),
            ("CREATE TABLE Dock (mine TEXT)", "the table Dock"),
        ])
    func refused(_ statement: String, _ name: String) throws {
        try Harbour.execute(url, statement)
        let before = try Data(contentsOf: url)
        var withoutLog = MigrationOptions()
        withoutLog.rollbackJournalThreshold = 0
        for work in [
            { _ = try Harbour.open(url) },
            { [withoutLog] in _ = try Harbour.open(url, migration: withoutLog) },
            {
                _ = try ModelContainer.plannedMigration(
                    ofStoreAt: url, for: Harbour.current, options: MigrationOptions())
            },
        ] as [() throws -> Void] {
            #expect {
                try work()
            } throws: {
                guard case StoreError.migrationObstructed(url, name, _) = $0 else { return false }
                return "\($0)".contains(name)
            }
        }
        #expect(try Data(contentsOf: url) == before)
    }

    /// The rows after a migration may violate a unique index that was added by hand.
    @Test func anIndexThatTheRowsDoNotFit() throws {
        try Harbour.execute(url, "CREATE UNIQUE INDEX codes ON Ship (code)")
        let before = try Harbour.rows(of: url)
        #expect {
            try Harbour.open(url)
        } throws: {
            if case StoreError.migrationObstructed(url, "the index codes", _) = $0 { true } else { false }
        }
        #expect(try Harbour.rows(of: url) == before)
    }

    /// A table of another program's module, which this SQLite lacks, does not belong to the model.
    @Test func aTableOfAnUnknownModule() throws {
        try Harbour.execute(
            url, "PRAGMA writable_schema = ON",
            """
            INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
            VALUES ('table', 'strange', 'strange', 0, 'CREATE VIRTUAL TABLE strange USING unknown(a)')
            """, "PRAGMA writable_schema = RESET")
        try Harbour.open(url)
        try Harbour.expectCurrent(url)
        #expect(try Harbour.connect(url).text("SELECT sql FROM sqlite_schema WHERE name = 'strange'") != nil)
    }

    @Test func theSchemaIsNotTrusted() throws {
        try Harbour.execute(url, "CREATE VIEW heavy AS SELECT name FROM Ship WHERE latitude > 1")
        try Harbour.open(url)
        let connection = try Harbour.connect(url)
        try connection.execute("PRAGMA trusted_schema = OFF")
        #expect(try connection.integer("SELECT count(*) FROM heavy") == 9)
        try connection.execute("INSERT INTO Entry (text, ship) VALUES ('by another', 3)")
        #expect(try connection.integer("SELECT entryCount FROM Ship WHERE id$ = 3") == 4)
    }
}
