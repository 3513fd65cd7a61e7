import DataModel
import SchemaMigration
import Testing

@Suite("Entities come, go and change their names")
struct EntityTests {
    private let author = Entity(name: "Author", attributes: [optional("name")])

    @Test func added() throws {
        let new = post(optional("title")) + [author]
        let database = try migrate(
            post(optional("title")), to: new, rows: "INSERT INTO Post (id$, version$, title) VALUES (7, 3, 'a')")
        #expect(makePlan(post(optional("title")), new).steps == [.addEntity("Author")])
        #expect(try database.lines("SELECT id$, version$, title FROM Post") == ["7|3|a"])
        #expect(try database.lines("SELECT count(*) FROM Author") == ["0"])
    }

    @Test func removed() throws {
        let old = post(optional("title")) + [author]
        let database = try migrate(
            old, to: post(optional("title")), rows: "INSERT INTO Post (title) VALUES ('a')",
            "INSERT INTO Author (name) VALUES ('b')")
        let plan = makePlan(old, post(optional("title")))
        #expect(plan.steps == [.removeEntity("Author")])
        #expect(plan.steps.map(\.isDestructive) == [true])
        #expect(plan.statements.map(\.sql) == ["DROP TABLE \"Author\""])
        #expect(try database.lines("SELECT title FROM Post") == ["a"])
        #expect(try database.lines("SELECT name FROM sqlite_sequence") == ["Post"])
    }

    @Test func renamed() throws {
        let writer = Entity(name: "Writer", attributes: [optional("name")], renamingIdentifier: "Author")
        let database = try migrate(
            [author], to: [writer], rows: "INSERT INTO Author (id$, version$, name) VALUES (5, 2, 'a')",
            "INSERT INTO Author (id$, name) VALUES (9, 'b')", "DELETE FROM Author WHERE id$ = 9")
        #expect(makePlan([author], [writer]).steps == [.renameEntity(from: "Author", to: "Writer")])
        #expect(statements([author], to: [writer]) == ["ALTER TABLE \"Author\" RENAME TO \"Writer\""])
        #expect(try database.lines("SELECT id$, version$, name FROM Writer") == ["5|2|a"])
        #expect(try database.lines("SELECT * FROM sqlite_sequence") == ["Writer|9"])
        try database.run("INSERT INTO Writer (name) VALUES ('c')")
        #expect(try database.lines("SELECT max(id$) FROM Writer") == ["10"])
    }

    @Test("A renamed entity is one thing removed and another added where no identifier says so")
    func renamedWithoutIdentifier() {
        let plan = makePlan([author], [Entity(name: "Writer", attributes: [optional("name")])])
        #expect(plan.steps == [.addEntity("Writer"), .removeEntity("Author")])
    }

    @Test("Names that two entities exchange, and a name of which only the case changes")
    func exchanged() throws {
        func entities(_ first: String, _ second: String, _ isNew: Bool) -> [Entity] {
            [
                Entity(name: first, attributes: [optional("left")], renamingIdentifier: isNew ? second : nil),
                Entity(name: second, attributes: [optional("right")], renamingIdentifier: isNew ? first : nil),
            ]
        }
        let database = try migrate(
            entities("A", "B", false), to: entities("B", "A", true),
            rows: "INSERT INTO A (id$, left) VALUES (3, 'l')", "INSERT INTO B (id$, right) VALUES (4, 'r')")
        #expect(try database.lines("SELECT id$, left FROM B") == ["3|l"])
        #expect(try database.lines("SELECT id$, right FROM A") == ["4|r"])
        let cased = try migrate(
            [Entity(name: "Url")], to: [Entity(name: "URL", renamingIdentifier: "Url")],
            rows: "INSERT INTO Url (id$) VALUES (6)")
        #expect(try cased.lines("SELECT id$ FROM URL") == ["6"])
        #expect(try cased.lines("SELECT name FROM sqlite_schema WHERE name LIKE 'url'") == ["URL"])
    }

    @Test("References follow a renamed entity, and those to a removed one are cleared")
    func references() throws {
        func posts(_ destination: String) -> Entity {
            Entity(name: "Post", attributes: [optional("title")], relationships: [toOne("author", destination)])
        }
        let rows = [
            "INSERT INTO Author (id$, name) VALUES (5, 'a')", "INSERT INTO Post (id$, author) VALUES (1, 5), (2, NULL)",
        ]
        let writer = Entity(name: "Writer", attributes: [optional("name")], renamingIdentifier: "Author")
        let renamed = try Upgrade([author, posts("Author")], [writer, posts("Writer")], rows: rows)
        expectSound(renamed)
        #expect(try renamed.database.lines("SELECT id$, author FROM Post ORDER BY 1") == ["1|5", "2|-"])
        let removed = try Upgrade([author, posts("Author")], post(optional("title")), rows: rows)
        expectSound(removed)
        #expect(try removed.database.lines("SELECT id$ FROM Post ORDER BY 1") == ["1", "2"])
    }

    @Test("The identifier chain of three versions, written as the first name or as the one before")
    func chain() throws {
        for identifier in ["A", "B"] {
            func entity(_ name: String, _ attribute: String, was: (String, String)?) -> [Entity] {
                [
                    Entity(
                        name: name, attributes: [optional(attribute, was: was?.1)], renamingIdentifier: was?.0)
                ]
            }
            let first = entity("A", "a", was: nil)
            let second = entity("B", "b", was: ("A", "a"))
            let third = entity("C", "c", was: (identifier, identifier.lowercased()))
            let upgrade = try Upgrade(first, second, rows: ["INSERT INTO A (id$, a) VALUES (4, 'x')"])
            expectSound(upgrade)
            let plan = makePlan(second, third)
            #expect(
                plan.steps == [
                    .renameEntity(from: "B", to: "C"),
                    .renameAttribute(from: PropertyName("B", "b"), to: PropertyName("C", "c")),
                ])
            try upgrade.database.run(plan.statements.map(\.sql))
            #expect(try upgrade.database.lines("SELECT id$, c FROM C") == ["4|x"])
            expectProven(plan)
            #expect(makePlan(third, third).steps == [])
            #expect(makePlan(third, third).statements == [])
        }
    }
}
