import AshlarSQLite
import Foundation
import Testing
import ToolProgram

@testable import StoreReversal

/// `ashlar reverse`.
@Suite(.enabled(if: ToolProgram.isThere)) struct ReverseTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(arguments, in: folder.url)
    }

    private func make(_ statements: String...) throws {
        try TestStore.execute(folder.file("old.sqlite"), statements)
    }

    /// Makes the model and a store, and returns the objects of the store by entity.
    private func reversed() throws -> (report: [String: Any], objects: [String: [[String: Any]]]) {
        let before = try Data(contentsOf: folder.file("old.sqlite"))
        let run = try run(
            "reverse", "old.sqlite", "--to", "Old.xcdatamodeld", "--import", "new.store", "--format", "json")
        #expect(run.status == 0, "\(run.messages)")
        #expect(try Data(contentsOf: folder.file("old.sqlite")) == before)
        let check = try self.run("check", "Old.xcdatamodeld")
        #expect(check.status == 0, "\(check.messages)")
        let dump = try self.run("dump", "new.store", "--model", "Old.xcdatamodeld")
        #expect(dump.status == 0, "\(dump.messages)")
        let list = try #require(try JSONSerialization.jsonObject(with: Data(dump.results.utf8)) as? [[String: Any]])
        let inspection = try self.run("inspect", "new.store", "--model", "Old.xcdatamodeld", "--format", "json").json()
        #expect(inspection["isDamaged"] as? Bool == false)
        #expect((inspection["comparison"] as? [String: Any])?["state"] as? String == "current")
        return (try run.json(), Dictionary(grouping: list) { $0["$entity"] as? String ?? "" })
    }

    private var contents: String {
        get throws {
            try String(contentsOf: folder.file("Old.xcdatamodeld/Old.xcdatamodel/contents"), encoding: .utf8)
        }
    }

    /// Rows whose numbers are at the ends of SQLite's range get new numbers, and a column may have the name of the
    /// row's number.
    @Test func extremeNumbers() throws {
        try make(
            "CREATE TABLE ends (n INTEGER PRIMARY KEY, text TEXT)", "CREATE TABLE low (text TEXT)",
            "CREATE TABLE named (rowid TEXT, oid REAL)",
            "INSERT INTO ends VALUES (-9223372036854775808, 'a'), (9223372036854775807, 'b')",
            "INSERT INTO low (_rowid_, text) VALUES (-9223372036854775807, 'c'), (5, 'd')",
            "INSERT INTO named VALUES ('e', 1.5), ('f', 2.5)")
        let objects = try reversed().objects
        #expect(objects.values.flatMap { $0 }.count == 6)
        let texts = objects.values.flatMap { $0 }.compactMap { $0["text"] as? String }
        #expect(Set(texts) == ["a", "b", "c", "d"])
    }

    /// The report mentions integers that change, and a text that is not UTF-8 is refused.
    @Test func whatWouldChange() throws {
        try make(
            "CREATE TABLE numbers (id INTEGER PRIMARY KEY, mixed, text TEXT)",
            "INSERT INTO numbers VALUES (1, 9007199254740993, 'a'), (2, 0.5, 'b'), (3, 4, 'c')")
        let (report, objects) = try reversed()
        let notes = try #require(report["notes"] as? [String])
        #expect(notes.contains { $0.hasPrefix("numbers.mixed: 1 whole numbers") }, "\(notes)")
        #expect(objects["Numbers"]?.compactMap { $0["text"] as? String } == ["a", "b", "c"])
        try make("UPDATE numbers SET text = CAST(x'ff' AS TEXT) WHERE id = 2")
        let refused = try run("reverse", "old.sqlite", "--to", "Second.xcdatamodeld", "--import", "second.store")
        #expect(refused.status == 3 && refused.messages.contains("row 2 of numbers"), "\(refused.messages)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("second.store").path))
    }

    /// References and pairs of tables with keys other than row numbers, with duplicate keys, and with dangling
    /// references.
    @Test func keysThatAreNoNumbers() throws {
        try make(
            "CREATE TABLE places (code TEXT, label TEXT)",
            "CREATE TABLE tags (name TEXT PRIMARY KEY) WITHOUT ROWID",
            "CREATE TABLE trips (id INTEGER PRIMARY KEY, place TEXT REFERENCES places (code))",
            "CREATE TABLE trip_tags (trip INTEGER NOT NULL REFERENCES trips (id), tag TEXT NOT NULL REFERENCES tags)",
            "INSERT INTO places VALUES ('b', 'B'), ('a', 'A'), ('a', 'second A')",
            "INSERT INTO tags VALUES ('x'), ('y'), ('z')",
            "INSERT INTO trips VALUES (5, 'a'), (7, 'b'), (9, 'none'), (11, NULL)",
            "INSERT INTO trip_tags VALUES (9, 'z'), (5, 'y'), (5, 'x'), (5, 'y'), (9, 'none'), (99, 'x')")
        let objects = try reversed().objects
        let trips = try #require(objects["Trips"])
        #expect(trips.map { $0["$id"] as? Int } == [5, 7, 9, 11])
        #expect(trips.map { $0["place"] as? Int } == [2, 1, nil, nil])
        // Only one side of the relationship is written.
        #expect(objects["Tags"]?.map { $0["name"] as? String } == ["x", "y", "z"])
        #expect(objects["Tags"]?.map { $0["trips"] as? [Int] } == [[5], [5], [9]])
    }

    /// Counts the instructions of SQLite's virtual machine.
    @Test func theWorkGrowsInProportionToTheTables() throws {
        func instructions(_ count: Int) throws -> Int {
            let file = folder.file("circle\(count).sqlite")
            try TestStore.execute(
                file,
                (0..<count).map { number in
                    "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, next INTEGER REFERENCES t\((number + 1) % count))"
                })
            let connection = try Connection(opening: file.path, flags: SQLITE_OPEN_READONLY)
            var tens = 0
            let countTen = {
                tens += 1
                return true
            }
            let reversal = try connection.asking(every: 10, whetherToProceed: countTen) {
                try ModelReversal(connection)
            }
            #expect(reversal.result.tables.count == count)
            return tens
        }
        let (few, many) = try (instructions(50), instructions(400))
        // With eight times as many tables, quadratic work would need 64 times as many instructions.
        #expect(many < few * 16, "\(few) and \(many) tens of instructions")
    }

    @Test func tablesKeysPairsAndTrees() throws {
        try make(
            "CREATE TABLE authors (author_id INTEGER PRIMARY KEY, LAST_NAME TEXT NOT NULL DEFAULT 'x''y', UNIQUE (LAST_NAME))",
            """
            CREATE TABLE posts (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES authors ON DELETE CASCADE,
                title TEXT, hash BLOB, is_new BOOLEAN DEFAULT 1, score REAL,
                parent INTEGER REFERENCES posts (id) ON DELETE SET NULL, country TEXT REFERENCES country (code))
            """,
            "CREATE TABLE country (code TEXT PRIMARY KEY, label TEXT)",
            "CREATE TABLE tags (name TEXT PRIMARY KEY) WITHOUT ROWID",
            "CREATE TABLE post_tags (post INTEGER REFERENCES posts (id), tag TEXT REFERENCES tags, PRIMARY KEY (post, tag))",
            "CREATE TABLE details (post INTEGER PRIMARY KEY REFERENCES posts (id), text TEXT)",
            "CREATE INDEX by_title ON posts (title DESC, score)",
            "CREATE VIRTUAL TABLE posts_tree USING rtree (id, minX, maxX, minY, maxY)",
            "INSERT INTO authors VALUES (-3, 'a'), (2, 'b')", "INSERT INTO country VALUES ('de', 'D'), ('fr', 'F')",
            "INSERT INTO posts VALUES (1, -3, 't1', x'00', 1, 1.5, NULL, 'de'), (2, 2, 't2', NULL, 0, 2, 1, NULL)",
            "INSERT INTO tags VALUES ('swift'), ('sql')",
            "INSERT INTO post_tags VALUES (1, 'swift'), (1, 'sql'), (2, 'sql')",
            "INSERT INTO posts_tree VALUES (1, 0, 1, 2, 3)")
        let (report, objects) = try reversed()
        #expect(report["notRepresentable"] as? [String] == [])
        #expect(report["imported"] as? Int == 8)
        #expect(objects["Authors"]?.map { $0["$id"] as? Int } == [1, 6])
        let posts = try #require(objects["Posts"])
        #expect(posts.map { $0["author"] as? Int } == [1, 6] && posts.map { $0["parent"] as? Int } == [nil, 1])
        #expect(
            posts.map { $0["country"] as? Int } == [1, nil] && posts.map { $0["isNew"] as? Bool } == [true, false])
        #expect(posts[0]["hashColumn"] as? String == "AA==" && posts[0]["maxY"] as? Double == 3)
        let names = try #require(objects["Tags"]).reduce(into: [Int: String]()) {
            $0[$1["$id"] as? Int ?? 0] = $1["name"] as? String
        }
        #expect(
            posts.map { ($0["tags"] as? [Int] ?? []).compactMap { names[$0] }.sorted() } == [
                ["sql", "swift"], ["sql"],
            ])
        let text = try contents
        for part in [
            "defaultValueString=\"x&apos;y\"", "<constraint value=\"lastName\"/>", "type=\"RTree\"",
            "<fetchIndexElement property=\"title\" type=\"Binary\" order=\"descending\"/>", "deletionRule=\"Cascade\"",
        ] {
            #expect(
                text.contains(part) || part.contains("apos") && text.contains("defaultValueString=\"x'y\""), "\(part)")
        }
    }

    /// A unique column that refers to another table becomes a relationship to one from both sides.
    @Test func oneToOne() throws {
        try make(
            "CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT)",
            "CREATE TABLE profile (id INTEGER PRIMARY KEY, author INTEGER UNIQUE REFERENCES authors(id), bio TEXT)",
            "INSERT INTO authors VALUES (1, 'Ada'), (2, 'Eve')",
            "INSERT INTO profile VALUES (5, 2, 'x'), (6, NULL, 'y')")
        let (_, objects) = try reversed()
        #expect(try !contents.contains("toMany"))
        #expect(objects["Profile"]?.count == 2 && objects["Authors"]?.count == 2)
        let connection = try Connection(opening: folder.file("new.store").path, flags: SQLITE_OPEN_READWRITE)
        let columns = try connection.rows("SELECT \"profile\" FROM \"Authors\" ORDER BY id$")
        #expect(columns == [[.null], [.integer(5)]])
    }

    @Test func otherNamesAndOrders() throws {
        try make(
            "CREATE TABLE words (user_name TEXT, \"a-b\" TEXT, aB TEXT, title TEXT COLLATE NOCASE)",
            "INSERT INTO words VALUES ('u', 'x', 'y', 'z')")
        let (report, objects) = try reversed()
        let notes = try #require(report["notes"] as? [String])
        let names = try #require(objects["Words"]?.first).filter { $0.value as? String == "y" }.keys
        #expect(
            notes.contains("words.aB is Words.\(names.first ?? "").") || notes.contains("words.a-b is Words.aB2."),
            "\(notes)")
        #expect(!notes.contains { $0.contains("user_name") || $0.contains("title") })
        let lost = try #require(report["notRepresentable"] as? [String])
        #expect(lost == ["words: a column of it compares texts in an order of its own, which the model does not."])
    }

    @Test func infinity() throws {
        try make("CREATE TABLE i (x REAL)", "INSERT INTO i VALUES (9e999), (-9e999), (1.5)")
        #expect(try reversed().objects["I"]?.map { "\($0["x"] ?? "")" } == ["inf", "-inf", "1.5"])
    }

    @Test func whatIsNotRepresentable() throws {
        try make(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, mixed, twice INTEGER AS (id * 2), at DATE, n INTEGER DEFAULT (1 + 1),
                x INTEGER, y INTEGER, flag BOOLEAN, lost INTEGER REFERENCES a (id),
                gone INTEGER REFERENCES nowhere (id), CHECK (x > 0), FOREIGN KEY (x, y) REFERENCES b (x, y))
            """,
            "CREATE TABLE b (x INTEGER, y INTEGER, PRIMARY KEY (x, y))", "CREATE INDEX part ON a (x) WHERE y > 1",
            "CREATE INDEX expression ON a (x + y)", "CREATE VIEW v AS SELECT 1",
            "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END",
            "CREATE VIRTUAL TABLE words USING fts5 (text)",
            "INSERT INTO a (mixed, at, x, flag, lost) VALUES (1, '2026', 1, 2, 99), ('b', 5, 2, 0, 1)")
        let (report, objects) = try reversed()
        let all = try #require(report["notRepresentable"] as? [String]) + #require(report["notes"] as? [String])
        for part in [
            "a.mixed: it holds values of several types: 1 integer, 1 text", "twice is computed", "its default 1 + 1",
            "several columns together",
            "part has some rows only", "expression has expressions", "The view v", "1 triggers",
            "The virtual table words", "it checks its rows",
            "a.lost: 1 rows refer to no row of a",
        ] { #expect(all.contains { $0.contains(part) }, "\(part): \(all)") }
        let rows = try #require(objects["A"])
        #expect(rows.map { $0["lost"] as? Int } == [nil, 1] && rows.map { $0["flag"] as? Int } == [2, 0])
        #expect(try contents.contains("name=\"flag\" optional=\"YES\" attributeType=\"Integer 64\""))
    }

    @Test func hostileNames() throws {
        try make(
            "CREATE TABLE \"a\"\"'b\u{1B}[2J\n\" (\"select\" TEXT, \"\u{1F9F1}\" TEXT, \"x y\" TEXT, \"X_Y\" TEXT, \"1\" TEXT, id TEXT)",
            "CREATE TABLE \"A_B\" (\"class\" TEXT, self TEXT, description TEXT)", "CREATE TABLE \"<&>\" (x)",
            "INSERT INTO \"a\"\"'b\u{1B}[2J\n\" VALUES ('1', '2', '3', '4', '5', '6')")
        let (report, objects) = try reversed()
        #expect((report["entities"] as? [[String: Any]])?.count == 3)
        #expect(objects.values.joined().count == 1)
        let values = try #require(objects.values.first?.first)
        #expect(Set(values.values.compactMap { $0 as? String }).isSuperset(of: ["1", "2", "3", "4", "5", "6"]))
        let text = try run("reverse", "old.sqlite")
        let expected = try contents
        #expect(text.status == 0 && text.results == expected)
        #expect(!text.messages.contains("\u{1B}"))
    }

    @Test func whatCannotBeReversed() throws {
        #expect(try run("reverse", "none").status == 4)
        #expect(try run("reverse", ".").status == 3)
        try Data("no database".utf8).write(to: folder.file("text"))
        #expect(try run("reverse", "text").status == 3)
        try Data().write(to: folder.file("empty"))
        #expect(try run("reverse", "empty").status == 3)
        try make("CREATE TABLE t (x TEXT)", "INSERT INTO t VALUES ('a')")
        let model = try folder.writeModel("Feed", [("Feed", "<entity name=\"A\"/>")])
        try TestStore.make(folder.file("ours.store"), model: model)
        #expect(try run("reverse", "ours.store").status == 64)
        #expect(try run("reverse", "old.sqlite", "--to", "Old").status == 64)
        #expect(try run("reverse", "old.sqlite", "--import", "new.store").status == 64)
        #expect(try run("reverse", "old.sqlite", "--to", "none/Old.xcdatamodeld", "--import", "old.sqlite").status != 0)
        #expect(!FileManager.default.fileExists(atPath: folder.file("none/Old.xcdatamodeld").path))
        #expect(try run("reverse", "old.sqlite", "--to", "Old.xcdatamodeld").status == 0)
        #expect(try run("reverse", "old.sqlite", "--to", "Old.xcdatamodeld").status == 73)
    }
}
