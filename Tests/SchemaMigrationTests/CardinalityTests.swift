import DataModel
import SchemaMigration
import TestDatabase
import Testing

@Suite("Relationships lead to more objects, or keep an order")
struct CardinalityTests {
    private let rows = [
        "INSERT INTO Author (id$) VALUES (3), (4)", "INSERT INTO Post (id$) VALUES (7), (8), (9)",
    ]

    private func entities(_ author: Relationship, _ post: Relationship) -> [Entity] {
        [Entity(name: "Author", relationships: [author]), Entity(name: "Post", relationships: [post])]
    }

    private var oneToMany: [Entity] {
        entities(toMany("posts", "Post", inverse: "author"), toOne("author", "Author", inverse: "posts"))
    }
    private var ordered: [Entity] {
        entities(toMany("posts", "Post", inverse: "author", ordered: true), toOne("author", "Author", inverse: "posts"))
    }

    private func migrated(_ old: [Entity], _ new: [Entity], links: String...) throws -> Database {
        let upgrade = try Upgrade(old, new, rows: rows + links)
        expectSound(upgrade)
        #expect(try upgrade.database.lines("SELECT id$ FROM Author ORDER BY 1") == ["3", "4"])
        #expect(try upgrade.database.lines("SELECT id$ FROM Post ORDER BY 1") == ["7", "8", "9"])
        return upgrade.database
    }

    @Test func oneToManyBecomesManyToMany() throws {
        let new = entities(
            toMany("posts", "Post", inverse: "author"), toMany("author", "Author", inverse: "posts"))
        #expect(
            makePlan(oneToMany, new).steps == [.changeCardinality(PropertyName("Post", "author"), isToMany: true)])
        let database = try migrated(oneToMany, new, links: "UPDATE Post SET author = 3 WHERE id$ < 9")
        #expect(try database.lines("SELECT * FROM Author$posts ORDER BY 1, 2") == ["3|7", "3|8"])
    }

    @Test("The order comes along into the join table")
    func orderedBecomesManyToMany() throws {
        let new = entities(
            toMany("posts", "Post", inverse: "author", ordered: true), toMany("author", "Author", inverse: "posts"))
        let database = try migrated(
            ordered, new, links: "UPDATE Post SET author = 3, author$order = 100 - id$ WHERE id$ > 7")
        #expect(
            try database.lines("SELECT source$, target$ FROM Author$posts ORDER BY target$order") == ["3|9", "3|8"])
    }

    @Test func oneToOneBecomesOneToMany() throws {
        let old = entities(toOne("posts", "Post", inverse: "author"), toOne("author", "Author", inverse: "posts"))
        let database = try migrated(old, oneToMany, links: "UPDATE Author SET posts = 9 WHERE id$ = 4")
        #expect(try database.lines("SELECT id$, author FROM Post ORDER BY 1") == ["7|-", "8|-", "9|4"])
        let withOrder = try migrated(old, ordered, links: "UPDATE Author SET posts = 9 WHERE id$ = 4")
        let position = "SELECT id$ FROM Post WHERE author$order IS NOT NULL"
        #expect(try withOrder.lines(position) == ["9"])
    }

    @Test("A relationship to one object without inverse becomes one to many, with and without an inverse")
    func withoutInverse() throws {
        let old = [
            Entity(name: "Author"), Entity(name: "Post", relationships: [toOne("readers", "Author")]),
        ]
        let link = "UPDATE Post SET readers = 4 WHERE id$ > 7"
        let alone = [Entity(name: "Author"), Entity(name: "Post", relationships: [toMany("readers", "Author")])]
        let first = try migrated(old, alone, links: link)
        #expect(try first.lines("SELECT * FROM Post$readers ORDER BY 1, 2") == ["8|4", "9|4"])
        let both = entities(
            toMany("seen", "Post", inverse: "readers"), toMany("readers", "Author", inverse: "seen"))
        let second = try migrated(old, both, links: link)
        #expect(try second.lines("SELECT * FROM Author$seen ORDER BY 1, 2") == ["4|8", "4|9"])
        let inverse = entities(toMany("seen", "Post", inverse: "readers"), toOne("readers", "Author", inverse: "seen"))
        let third = try migrated(old, inverse, links: link)
        #expect(try third.lines("SELECT id$, readers FROM Post ORDER BY 1") == ["7|-", "8|4", "9|4"])
    }

    @Test("A set without inverse gets one: the links stay, and several owners of one object are refused")
    func joinTableBecomesColumn() throws {
        let old = [Entity(name: "Author", relationships: [toMany("posts", "Post")]), Entity(name: "Post")]
        let database = try migrated(old, oneToMany, links: "INSERT INTO Author$posts VALUES (3, 7), (3, 9), (4, 8)")
        #expect(try database.lines("SELECT id$, author FROM Post ORDER BY 1") == ["7|3", "8|4", "9|3"])
        let shared = try Upgrade(old, oneToMany, rows: rows + ["INSERT INTO Author$posts VALUES (3, 7), (4, 7)"]).run()
        #expect(shared?.identifier == "7")
        #expect(shared?.reason.contains("'Post.author'") == true)
    }

    @Test("An order begins as that of the identifiers, and ends without a trace")
    func oneToManyOrdered() throws {
        #expect(
            makePlan(oneToMany, ordered).steps == [.changeOrdering(PropertyName("Author", "posts"), isOrdered: true)])
        let link = "UPDATE Post SET author = 3 WHERE id$ <> 8"
        let database = try migrated(oneToMany, ordered, links: link)
        let positions = try database.lines("SELECT id$, author$order IS NULL FROM Post ORDER BY author$order")
        #expect(positions == ["8|1", "7|0", "9|0"])
        let back = try migrated(ordered, oneToMany, links: "UPDATE Post SET author = 3, author$order = 100 - id$")
        #expect(try back.lines("SELECT id$, author FROM Post ORDER BY 1") == ["7|3", "8|3", "9|3"])
        #expect(
            statements(ordered, to: oneToMany) == ["ALTER TABLE \"Post\" DROP COLUMN \"author$order\""])
    }

    @Test func manyToManyOrdered() throws {
        func both(_ isOrdered: Bool) -> [Entity] {
            entities(
                toMany("posts", "Post", inverse: "authors", ordered: isOrdered),
                toMany("authors", "Author", inverse: "posts"))
        }
        let links = "INSERT INTO Author$posts (source$, target$) VALUES (3, 9), (3, 7), (4, 7)"
        let database = try migrated(both(false), both(true), links: links)
        let order = "SELECT source$, target$ FROM Author$posts ORDER BY source$, target$order"
        #expect(try database.lines(order) == ["3|7", "3|9", "4|7"])
        #expect(try database.lines("SELECT count(*) FROM Author$posts WHERE target$order IS NULL") == ["0"])
        let back = try migrated(both(true), both(false), links: links)
        #expect(try back.lines("SELECT * FROM Author$posts ORDER BY 1, 2") == ["3|7", "3|9", "4|7"])
    }

    @Test("Many objects that become one are an error at the new relationship")
    func toManyBecomesToOne() {
        let location = SourceLocation(file: "contents", line: 5, column: 1)
        let new = entities(
            toOne("posts", "Post", inverse: "author", at: location), toOne("author", "Author", inverse: "posts"))
        let errors = makePlan(oneToMany, new).diagnostics.all
        #expect(errors.map(\.code) == [.migrationNotInferrable])
        #expect(errors.map(\.location) == [location])
    }

    @Test("With a check they become one, where they are no more than that; sides may be exchanged")
    func toManyBecomesToOneWithCheck() throws {
        let checked = UserInfo([.init(key: "ashlar.migrationCheck", value: "lossless")])
        func checking(_ relationship: Relationship) -> Relationship {
            var relationship = relationship
            relationship.userInfo = checked
            return relationship
        }
        let links = "UPDATE Post SET author = id$ - 4 WHERE id$ < 9"
        let turned = entities(
            checking(toOne("posts", "Post", inverse: "author")), toMany("author", "Author", inverse: "posts"))
        let database = try migrated(oneToMany, turned, links: links)
        #expect(try database.lines("SELECT id$, posts FROM Author ORDER BY 1") == ["3|7", "4|8"])
        let single = entities(
            checking(toOne("posts", "Post", inverse: "author")), toOne("author", "Author", inverse: "posts"))
        let both = try migrated(oneToMany, single, links: links)
        let column = try both.lines("SELECT name FROM pragma_table_info('Author') WHERE name = 'posts'")
        let pairs = column.isEmpty ? "SELECT author, id$ FROM Post" : "SELECT id$, posts FROM Author"
        #expect(try both.lines("SELECT * FROM (\(pairs)) ORDER BY 2").filter { !$0.hasPrefix("-") } == ["3|7", "4|8"])
        for new in [turned, single] {
            let refusal = try Upgrade(oneToMany, new, rows: rows + ["UPDATE Post SET author = 4"]).run()
            #expect(refusal?.identifier == "4")
            #expect(refusal?.entityName == "Author")
        }
        let manyToMany = entities(
            toMany("posts", "Post", inverse: "author"), toMany("author", "Author", inverse: "posts"))
        let table = try migrated(manyToMany, turned, links: "INSERT INTO Author$posts VALUES (3, 8), (4, 8)")
        #expect(try table.lines("SELECT id$, posts FROM Author ORDER BY 1") == ["3|8", "4|8"])
        let shared = try Upgrade(manyToMany, turned, rows: rows + ["INSERT INTO Author$posts VALUES (3, 8), (3, 7)"])
        #expect(try shared.run()?.identifier == "3")
    }

    @Test("A relationship to one object that gets an inverse to one is an error at the inverse, unless it is checked")
    func toOneGetsInverse() throws {
        let location = SourceLocation(file: "contents", line: 7, column: 3)
        func entities(_ item: [Relationship], _ book: [Relationship]) -> [Entity] {
            [Entity(name: "Book", relationships: book), Entity(name: "Item", relationships: item)]
        }
        var inverse = toOne("item", "Item", inverse: "book", at: location)
        let alone = entities([toOne("book", "Book")], [])
        let listed = entities([toOne("book", "Book", inverse: "items")], [toMany("items", "Item", inverse: "book")])
        for old in [alone, listed] {
            inverse.userInfo = UserInfo()
            let errors = makePlan(old, entities([toOne("book", "Book", inverse: "item")], [inverse])).diagnostics.all
            #expect(errors.filter { $0.severity == .error }.map(\.location) == [location])
            inverse.userInfo = UserInfo([.init(key: "ashlar.migrationCheck", value: "lossless")])
            let new = entities([toOne("book", "Book", inverse: "item")], [inverse])
            let rows = [
                "INSERT INTO Book (id$) VALUES (1), (2)", "INSERT INTO Item (id$, book) VALUES (5, 1), (6, NULL)",
            ]
            let database = try Upgrade(old, new, rows: rows)
            expectSound(database)
            #expect(try database.database.lines("SELECT id$, item FROM Book ORDER BY 1") == ["1|5", "2|-"])
            let shared = try Upgrade(old, new, rows: rows + ["UPDATE Item SET book = 1"]).run()
            #expect(shared?.identifier == "1")
            #expect(shared?.entityName == "Book")
        }
    }

    @Test("A relationship that is its own inverse")
    func reflexive() throws {
        func person(_ relationship: Relationship) -> [Entity] {
            [Entity(name: "Person", relationships: [relationship])]
        }
        let one = person(toOne("friends", "Person", inverse: "friends"))
        let many = person(toMany("friends", "Person", inverse: "friends"))
        let people = "INSERT INTO Person (id$) VALUES (1), (2), (3)"
        let database = try migrate(
            one, to: many, rows: people, "UPDATE Person SET friends = 3 - id$ WHERE id$ < 3")
        #expect(try database.lines("SELECT * FROM Person$friends ORDER BY 1, 2") == ["1|2", "2|1"])
        let alone = try migrate(
            person(toMany("friends", "Person")), to: many, rows: people,
            "INSERT INTO Person$friends VALUES (1, 2), (3, 1)")
        #expect(try alone.lines("SELECT * FROM Person$friends ORDER BY 1, 2") == ["1|2", "1|3", "2|1", "3|1"])
    }
}
