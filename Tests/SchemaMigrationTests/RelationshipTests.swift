import DataModel
import SchemaMigration
import TestDatabase
import Testing

@Suite("Relationships come, go and change their names")
struct RelationshipTests {
    private let rows = [
        "INSERT INTO Author (id$) VALUES (3), (4)", "INSERT INTO Post (id$, version$) VALUES (7, 2), (8, 1)",
    ]

    private func entities(_ author: [Relationship], _ post: [Relationship]) -> [Entity] {
        [Entity(name: "Author", relationships: author), Entity(name: "Post", relationships: post)]
    }

    private var bare: [Entity] { entities([], []) }
    private var oneToOne: [Entity] {
        entities([toOne("post", "Post", inverse: "author")], [toOne("author", "Author", inverse: "post")])
    }
    private var oneToMany: [Entity] {
        entities([toMany("posts", "Post", inverse: "author")], [toOne("author", "Author", inverse: "posts")])
    }
    private var manyToMany: [Entity] {
        entities([toMany("posts", "Post", inverse: "authors")], [toMany("authors", "Author", inverse: "posts")])
    }

    private func migrated(_ old: [Entity], _ new: [Entity], links: String...) throws -> Database {
        let upgrade = try Upgrade(old, new, rows: rows + links)
        expectSound(upgrade)
        #expect(try upgrade.database.lines("SELECT id$ FROM Author ORDER BY 1") == ["3", "4"])
        #expect(try upgrade.database.lines("SELECT id$, version$ FROM Post ORDER BY 1") == ["7|2", "8|1"])
        return upgrade.database
    }

    @Test func added() throws {
        for kind in [oneToOne, oneToMany, manyToMany] {
            let steps = makePlan(bare, kind).steps
            #expect(steps.count == 2)
            for step in steps {
                guard case .addRelationship = step else {
                    Issue.record("\(step)")
                    continue
                }
            }
            _ = try migrated(bare, kind)
        }
        #expect(
            statements(bare, to: oneToMany) == [
                """
                ALTER TABLE "Post" ADD COLUMN "author" INTEGER REFERENCES "Author"("id$") ON DELETE SET NULL \
                DEFERRABLE INITIALLY DEFERRED
                """,
                """
                CREATE INDEX "reference$Post$author"
                    ON "Post" ("author")
                """,
            ])
    }

    @Test func removed() throws {
        let links = [
            "UPDATE Author SET post = 7 WHERE id$ = 3", "UPDATE Post SET author = 3",
            "INSERT INTO Author$posts VALUES (3, 7), (3, 8), (4, 8)",
        ]
        for (kind, link) in zip([oneToOne, oneToMany, manyToMany], links) {
            #expect(makePlan(kind, bare).steps.map(\.isDestructive) == [true, true])
            _ = try migrated(kind, bare, links: link)
        }
        #expect(statements(manyToMany, to: bare) == ["DROP TABLE \"Author$posts\""])
    }

    @Test func renamedOneToOne() throws {
        let new = entities(
            [toOne("latest", "Post", inverse: "writer", was: "post")],
            [toOne("writer", "Author", inverse: "latest", was: "author")])
        let database = try migrated(oneToOne, new, links: "UPDATE Author SET post = 8 WHERE id$ = 3")
        #expect(try database.lines("SELECT id$, latest FROM Author ORDER BY 1") == ["3|8", "4|-"])
    }

    @Test("A one-to-one relationship whose column goes over to the other side")
    func oneToOneOnTheOtherSide() throws {
        let new = entities(
            [toOne("post", "Post", inverse: "author", rule: .cascade)], [toOne("author", "Author", inverse: "post")])
        let link = "UPDATE Author SET post = 8 WHERE id$ = 3"
        let database = try migrated(oneToOne, new, links: link)
        #expect(try database.lines("SELECT id$, author FROM Post ORDER BY 1") == ["7|-", "8|3"])
        let back = try migrated(new, oneToOne, links: "UPDATE Post SET author = 3 WHERE id$ = 8")
        #expect(try back.lines("SELECT id$, post FROM Author ORDER BY 1") == ["3|8", "4|-"])
    }

    @Test func renamedOneToMany() throws {
        let new = entities(
            [toMany("works", "Post", inverse: "writer", was: "posts")],
            [toOne("writer", "Author", inverse: "works", was: "author")])
        #expect(
            makePlan(oneToMany, new).steps == [
                .renameRelationship(from: PropertyName("Author", "posts"), to: PropertyName("Author", "works")),
                .renameRelationship(from: PropertyName("Post", "author"), to: PropertyName("Post", "writer")),
            ])
        #expect(
            statements(oneToMany, to: new).filter { !$0.contains("INDEX") }
                == ["ALTER TABLE \"Post\" RENAME COLUMN \"author\" TO \"writer\""])
        let database = try migrated(oneToMany, new, links: "UPDATE Post SET author = 4")
        #expect(try database.lines("SELECT id$, writer FROM Post ORDER BY 1") == ["7|4", "8|4"])
    }

    @Test("The links stay even where only the side with many says that it was renamed")
    func renamedOnOneSide() throws {
        let new = entities(
            [toMany("works", "Post", inverse: "writer", was: "posts")],
            [toOne("writer", "Author", inverse: "works")])
        let database = try migrated(oneToMany, new, links: "UPDATE Post SET author = 4 WHERE id$ = 8")
        #expect(try database.lines("SELECT id$, writer FROM Post ORDER BY 1") == ["7|-", "8|4"])
    }

    @Test func renamedManyToMany() throws {
        let new = entities(
            [toMany("works", "Post", inverse: "writers", was: "posts")],
            [toMany("writers", "Author", inverse: "works", was: "authors")])
        let links = "INSERT INTO Author$posts VALUES (3, 7), (3, 8), (4, 8)"
        let database = try migrated(manyToMany, new, links: links)
        #expect(try database.lines("SELECT * FROM Author$works ORDER BY 1, 2") == ["3|7", "3|8", "4|8"])
        #expect(
            statements(manyToMany, to: new).filter { !$0.contains("INDEX") }
                == ["ALTER TABLE \"Author$posts\" RENAME TO \"Author$works\""])
    }

    @Test("A many-to-many relationship whose other side owns the table afterwards")
    func manyToManyFromTheOtherSide() throws {
        func renamed(_ identifier: String?) -> [Entity] {
            [
                Entity(
                    name: identifier == nil ? "Author" : "Writer",
                    relationships: [toMany("posts", "Post", inverse: "authors", ordered: true)],
                    renamingIdentifier: identifier),
                Entity(
                    name: "Post",
                    relationships: [toMany("authors", identifier == nil ? "Author" : "Writer", inverse: "posts")]),
            ]
        }
        let upgrade = try Upgrade(
            renamed(nil), renamed("Author"),
            rows: rows + ["INSERT INTO Author$posts VALUES (3, 7, 20), (3, 8, 10), (4, 8, 5)"])
        expectSound(upgrade)
        let links = try upgrade.database.lines(
            "SELECT target$, source$, source$order FROM Post$authors ORDER BY target$, source$order")
        #expect(links == ["3|8|10", "3|7|20", "4|8|5"])
    }

    @Test("A required relationship is refused where there are objects without")
    func required() throws {
        let new = entities(
            [toMany("posts", "Post", inverse: "author")],
            [toOne("author", "Author", inverse: "posts", optional: false)])
        #expect(try Upgrade(bare, new, rows: rows).run()?.entityName == "Post")
        #expect(try Upgrade(oneToMany, new, rows: rows).run()?.identifier == "7")
        let database = try migrated(oneToMany, new, links: "UPDATE Post SET author = 4")
        #expect(try database.lines("SELECT id$, author FROM Post ORDER BY 1") == ["7|4", "8|4"])
    }

    @Test("Another deletion rule is another action of the reference")
    func deletionRule() throws {
        let new = entities(
            [toMany("posts", "Post", inverse: "author", rule: .cascade)], [toOne("author", "Author", inverse: "posts")])
        let database = try migrated(oneToMany, new, links: "UPDATE Post SET author = 4 WHERE id$ = 7")
        try database.run("PRAGMA foreign_keys = ON", "DELETE FROM Author WHERE id$ = 4")
        #expect(try database.lines("SELECT id$ FROM Post") == ["8"])
    }

    @Test("A destination that those objects are not is an error at the relationship")
    func destination() {
        let location = SourceLocation(file: "contents", line: 4, column: 2)
        func entities(_ destination: String) -> [Entity] {
            [
                Entity(name: "A"), Entity(name: "B"),
                Entity(name: "C", relationships: [toOne("to", destination, at: location)]),
            ]
        }
        let errors = makePlan(entities("A"), entities("B")).diagnostics.all
        #expect(errors.map(\.code) == [.migrationNotInferrable])
        #expect(errors.map(\.location) == [location])
    }
}
