import DataModel
import RelationalSchema
import SchemaMigration
import TestDatabase
import Testing

@Suite("Attributes come, go and change")
struct AttributeTests {
    private let title = optional("title")
    private let row = "INSERT INTO Post (id$, version$, title) VALUES (7, 3, 'a')"
    private let rowWithoutTitle = "INSERT INTO Post (id$, title) VALUES (8, NULL)"

    private func name(_ name: String) -> PropertyName { PropertyName("Post", name) }

    @Test func addedOptional() throws {
        let new = post(title, optional("likes", .integer64))
        let database = try migrate(post(title), to: new, rows: row)
        #expect(makePlan(post(title), new).steps == [.addAttribute(name("likes"))])
        #expect(statements(post(title), to: new) == ["ALTER TABLE \"Post\" ADD COLUMN \"likes\" INTEGER"])
        #expect(try database.lines("SELECT id$, version$, title, likes FROM Post") == ["7|3|a|-"])
    }

    @Test func addedWithDefault() throws {
        let new = post(title, required("likes", .integer64, default: "5"), optional("size", .double, default: "0.5"))
        let database = try migrate(post(title), to: new, rows: row)
        #expect(
            statements(post(title), to: new) == [
                "ALTER TABLE \"Post\" ADD COLUMN \"likes\" INTEGER NOT NULL DEFAULT 5",
                "ALTER TABLE \"Post\" ADD COLUMN \"size\" REAL DEFAULT 0.5",
            ])
        #expect(try database.lines("SELECT id$, version$, title, likes, size FROM Post") == ["7|3|a|5|0.5"])
    }

    @Test func addedRequiredWithoutDefault() throws {
        let location = SourceLocation(file: "contents", line: 12, column: 5)
        let new = post(title, required("likes", .integer64, at: location))
        let plan = makePlan(post(title), new)
        #expect(!plan.diagnostics.hasErrors)
        #expect(plan.diagnostics.all.map(\.location) == [location])
        #expect(plan.diagnostics.all.map(\.severity) == [.warning])
        let refusal = try refusal(post(title), to: new, rows: row)
        #expect(refusal?.entityName == "Post")
        #expect(refusal?.identifier == "7")
        #expect(refusal?.reason.contains("'Post.likes'") == true)
        let database = try migrate(post(title), to: new)
        #expect(throws: Database.Failure.self) { try database.run("INSERT INTO Post (title) VALUES ('b')") }
    }

    @Test func removed() throws {
        let old = post(title, optional("likes", .integer64))
        let database = try migrate(
            old, to: post(title), rows: "INSERT INTO Post (id$, version$, title, likes) VALUES (7, 3, 'a', 5)")
        let plan = makePlan(old, post(title))
        #expect(plan.steps == [.removeAttribute(name("likes"))])
        #expect(plan.steps.map(\.isDestructive) == [true])
        #expect(plan.statements.map(\.sql) == ["ALTER TABLE \"Post\" DROP COLUMN \"likes\""])
        #expect(try database.lines("SELECT * FROM Post") == ["7|3|a"])
    }

    @Test("row 25: renamed") func renamed() throws {
        let new = post(optional("heading", was: "title"))
        let database = try migrate(post(title), to: new, rows: row)
        #expect(makePlan(post(title), new).steps == [.renameAttribute(from: name("title"), to: name("heading"))])
        #expect(
            statements(post(title), to: new) == ["ALTER TABLE \"Post\" RENAME COLUMN \"title\" TO \"heading\""])
        #expect(try database.lines("SELECT id$, version$, heading FROM Post") == ["7|3|a"])
    }

    @Test("Two attributes exchange their names")
    func exchanged() throws {
        let old = post(optional("first"), optional("second"))
        let new = post(optional("first", was: "second"), optional("second", was: "first"))
        let database = try migrate(old, to: new, rows: "INSERT INTO Post (first, second) VALUES ('a', 'b')")
        #expect(try database.lines("SELECT first, second FROM Post") == ["b|a"])
    }

    @Test("Two new attributes take the values of one old one")
    func copied() throws {
        let new = post(optional("heading", was: "title"), optional("summary", was: "title"))
        let database = try migrate(post(title), to: new, rows: row)
        #expect(try database.lines("SELECT heading, summary FROM Post") == ["a|a"])
    }

    @Test func requiredWithDefault() throws {
        let new = post(required("title", default: "none"))
        let database = try migrate(post(title), to: new, rows: row, rowWithoutTitle)
        #expect(
            makePlan(post(title), new).steps == [
                .changeOptionality(name("title"), isOptional: false),
                .changeDefault(name("title"), from: nil, to: "'none'"),
            ])
        #expect(try database.lines("SELECT id$, version$, title FROM Post") == ["7|3|a", "8|1|none"])
        #expect(try database.lines("SELECT seq FROM sqlite_sequence") == ["8"])
    }

    @Test func requiredWithoutDefault() throws {
        let location = SourceLocation(file: "contents", line: 3, column: 1)
        let new = post(required("title", at: location))
        #expect(makePlan(post(title), new).diagnostics.all.map(\.location) == [location])
        #expect(try refusal(post(title), to: new, rows: row, rowWithoutTitle)?.identifier == "8")
        let database = try migrate(post(title), to: new, rows: row)
        #expect(try database.lines("SELECT id$, version$, title FROM Post") == ["7|3|a"])
    }

    @Test("A default for migrations is for objects that are there, and not for those to come")
    func migrationDefault() throws {
        func entities(_ attribute: Attribute) -> [Entity] {
            var attribute = attribute
            attribute.userInfo = UserInfo([.init(key: "ashlar.migrationDefault", value: "unknown")])
            return post(attribute)
        }
        let added = try migrate(post(), to: entities(required("title")), rows: "INSERT INTO Post DEFAULT VALUES")
        #expect(try added.lines("SELECT title FROM Post") == ["unknown"])
        #expect(throws: (any Error).self) { try added.run("INSERT INTO Post DEFAULT VALUES") }
        let required = try migrate(post(title), to: entities(required("title")), rows: row, rowWithoutTitle)
        #expect(try required.lines("SELECT id$, title FROM Post ORDER BY 1") == ["7|a", "8|unknown"])
        let optional = try migrate(post(), to: entities(title), rows: "INSERT INTO Post DEFAULT VALUES")
        try optional.run("INSERT INTO Post DEFAULT VALUES")
        #expect(try optional.lines("SELECT title FROM Post ORDER BY id$") == ["unknown", "-"])
        let other = try migrate(post(title), to: entities(title), rows: row, rowWithoutTitle)
        #expect(try other.lines("SELECT title FROM Post ORDER BY id$") == ["a", "-"])
    }

    @Test func optionalNow() throws {
        let old = post(required("title"))
        let database = try migrate(old, to: post(title), rows: row)
        #expect(makePlan(old, post(title)).steps == [.changeOptionality(name("title"), isOptional: true)])
        #expect(try database.lines("SELECT id$, version$, title FROM Post") == ["7|3|a"])
        try database.run("INSERT INTO Post (title) VALUES (NULL)")
    }

    @Test("Another default changes no value that is there")
    func anotherDefault() throws {
        let new = post(optional("title", default: "none"))
        let database = try migrate(post(title), to: new, rows: row, rowWithoutTitle)
        #expect(makePlan(post(title), new).steps == [.changeDefault(name("title"), from: nil, to: "'none'")])
        try database.run("INSERT INTO Post DEFAULT VALUES")
        #expect(try database.lines("SELECT id$, title FROM Post") == ["7|a", "8|-", "9|none"])
    }

    @Test("An attribute that is not stored leaves the table alone, and one that is stored no longer goes")
    func transient() throws {
        var kept = title
        kept.isTransient = true
        #expect(statements(post(), to: post(kept)) == [])
        #expect(makePlan(post(title), post(kept)).steps == [.removeAttribute(name("title"))])
        _ = try migrate(post(title), to: post(kept), rows: row)
        _ = try migrate(post(kept), to: post(title), rows: "INSERT INTO Post DEFAULT VALUES")
    }

    @Test("An identifier that is reused after a deletion would mean another object: the mark comes along")
    func mark() throws {
        let database = try migrate(
            post(title, optional("a")), to: post(required("title", default: "x")),
            rows: "INSERT INTO Post (id$, title) VALUES (50, 'a')", "DELETE FROM Post")
        try database.run("INSERT INTO Post (title) VALUES ('b')")
        #expect(try database.lines("SELECT id$ FROM Post") == ["51"])
        #expect(try database.lines("SELECT * FROM sqlite_sequence") == ["Post|51"])
    }
}
