import DataModel
import RelationalSchema
import TestDatabase
import Testing

@Suite("Relationships")
struct RelationshipTests {
    @Test("One-to-many is a column with an index; the other side has nothing")
    func oneToMany() {
        let schema = makeSchema(
            Entity(name: "Author", relationships: [toMany("posts", "Post", inverse: "author")]),
            Entity(name: "Post", relationships: [toOne("author", "Author", inverse: "posts")]))
        #expect(schema.columnNames("Post") == ["id$", "version$", "author"])
        #expect(schema.columnNames("Author") == ["id$", "version$"])
        #expect(schema.storage("Post", "author") == .column(name: "author"))
        #expect(
            schema.storage("Author", "posts")
                == .inverseColumn(tableName: "Post", columnName: "author", orderColumnName: nil))
        #expect(schema.index("reference$Post$author")?.tableName == "Post")
        #expect(schema.index("reference$Post$author")?.isUnique == false)
    }

    @Test("An ordered one-to-many keeps positions beside the column")
    func ordered() {
        let schema = makeSchema(
            Entity(name: "Author", relationships: [toMany("posts", "Post", inverse: "author", ordered: true)]),
            Entity(name: "Post", relationships: [toOne("author", "Author", inverse: "posts")]))
        #expect(schema.columnNames("Post") == ["id$", "version$", "author", "author$order"])
        #expect(
            schema.storage("Author", "posts")
                == .inverseColumn(tableName: "Post", columnName: "author", orderColumnName: "author$order"))
        let stored = schema.storage(ofEntityNamed: "Post")?.columns.last
        guard case .order("Author", let relationship) = stored?.content else {
            Issue.record("no order column")
            return
        }
        #expect(relationship.name == "posts")
    }

    @Test(
        "The action is that of the inverse's rule, and NULL is set only where it may be",
        arguments: [
            (Relationship.DeletionRule.cascade, true, ForeignKey.Action?.some(.cascade)), (.cascade, false, .cascade),
            (.nullify, true, .setNull), (.nullify, false, .noAction), (.deny, true, .noAction),
            (.deny, false, .noAction), (.noAction, true, nil), (.noAction, false, nil),
        ])
    func actions(rule: Relationship.DeletionRule, optional: Bool, expected: ForeignKey.Action?) {
        let schema = makeSchema(
            Entity(name: "Author", relationships: [toMany("posts", "Post", inverse: "author", rule: rule)]),
            Entity(name: "Post", relationships: [toOne("author", "Author", inverse: "posts", optional: optional)]))
        let column = schema.column("Post", "author")
        #expect(column?.isRequired == !optional)
        #expect(column?.reference?.action == expected)
    }

    @Test("A to-one without inverse is cleared where it may be; that of a sub-entity always may")
    func withoutInverse() {
        let schema = makeSchema(
            Entity(
                name: "Post", relationships: [toOne("author", "Author"), toOne("owner", "Author", optional: false)]),
            Entity(name: "Link", parentName: "Post", relationships: [toOne("site", "Author", optional: false)]),
            Entity(name: "Author"))
        #expect(schema.column("Post", "author")?.reference?.action == .setNull)
        #expect(schema.column("Post", "owner")?.reference?.action == .noAction)
        #expect(schema.column("Post", "site")?.isRequired == false)
        #expect(schema.column("Post", "site")?.reference?.action == .setNull)
    }

    @Test("A sub-entity is referred to by its root's table")
    func subEntity() {
        let schema = makeSchema(
            Entity(name: "Animal"), Entity(name: "Dog", parentName: "Animal"),
            Entity(name: "Owner", relationships: [toOne("dog", "Dog")]))
        #expect(schema.column("Owner", "dog")?.reference?.tableName == "Animal")
        let dog = schema.graph.entity(named: "Dog")
        #expect(dog.flatMap { schema.storage(ofRelationshipNamed: "none", in: $0) } == nil)
    }

    @Test("Deleting works as the rules say, also in plain SQL")
    func deletion() throws {
        func entities(_ rule: Relationship.DeletionRule) -> Schema {
            makeSchema(
                Entity(name: "A", relationships: [toMany("bs", "B", inverse: "a", rule: rule)]),
                Entity(name: "B", relationships: [toOne("a", "A", inverse: "bs")]))
        }
        func remaining(_ rule: Relationship.DeletionRule) throws -> [String?] {
            let database = try makeDatabase(entities(rule))
            try database.run("INSERT INTO A DEFAULT VALUES", "INSERT INTO B (a) VALUES (1)", "DELETE FROM A")
            return try database.column("SELECT a FROM B")
        }
        #expect(try remaining(.cascade) == [])
        #expect(try remaining(.nullify) == [nil])
        #expect(try remaining(.noAction) == ["1"])
        #expect(throws: Database.Failure.self) { try remaining(.deny) }
        let database = try makeDatabase(entities(.deny))
        try database.run("INSERT INTO A DEFAULT VALUES", "INSERT INTO B (a) VALUES (1)")
        try database.run("BEGIN", "DELETE FROM A", "DELETE FROM B", "COMMIT")
        #expect(try database.column("SELECT count(*) FROM A") == ["0"])
    }

    @Test("One-to-one: on the child's side, else on the required one, else on the first by name")
    func oneToOne() {
        func holder(_ left: Relationship, _ right: Relationship) -> [String] {
            let schema = makeSchema(Entity(name: "A", relationships: [left]), Entity(name: "B", relationships: [right]))
            return ["A", "B"].filter { schema.columnNames($0).count == 3 }
        }
        let (a, b) = (toOne("b", "B", inverse: "a"), toOne("a", "A", inverse: "b"))
        #expect(holder(toOne("b", "B", inverse: "a", rule: .cascade), b) == ["B"])
        #expect(holder(a, toOne("a", "A", inverse: "b", rule: .cascade)) == ["A"])
        #expect(holder(a, toOne("a", "A", inverse: "b", optional: false)) == ["B"])
        #expect(holder(toOne("b", "B", inverse: "a", optional: false), b) == ["A"])
        #expect(holder(a, b) == ["A"])
        let both = Relationship.DeletionRule.cascade
        #expect(holder(toOne("b", "B", inverse: "a", rule: both), toOne("a", "A", inverse: "b", rule: both)) == ["A"])
        let schema = makeSchema(Entity(name: "A", relationships: [a]), Entity(name: "B", relationships: [b]))
        #expect(
            schema.storage("B", "a") == .inverseColumn(tableName: "A", columnName: "b", orderColumnName: nil))
        #expect(schema.storage("A", "b") == .column(name: "b"))
        #expect(schema.index("reference$A$b")?.isUnique == false)
    }

    @Test("Many-to-many is a join table of the first side by name, with positions for ordered sides")
    func manyToMany() throws {
        let schema = makeSchema(
            Entity(name: "Tag", relationships: [toMany("posts", "Post", inverse: "tags", ordered: true)]),
            Entity(name: "Post", relationships: [toMany("tags", "Tag", inverse: "posts", ordered: true)]))
        #expect(schema.columnNames("Post$tags") == ["source$", "target$", "target$order", "source$order"])
        #expect(
            schema.storage("Post", "tags")
                == .joinTable(
                    tableName: "Post$tags", ownColumnName: "source$", otherColumnName: "target$",
                    orderColumnName: "target$order"))
        #expect(
            schema.storage("Tag", "posts")
                == .joinTable(
                    tableName: "Post$tags", ownColumnName: "target$", otherColumnName: "source$",
                    orderColumnName: "source$order"))
        #expect(schema.index("reference$Post$tags")?.elements.map(\.columnName) == ["target$"])
        let database = try makeDatabase(schema)
        #expect(try database.run("SELECT strict, wr FROM pragma_table_list('Post$tags')") == [["1", "1"]])
        try database.run("INSERT INTO Post DEFAULT VALUES", "INSERT INTO Tag DEFAULT VALUES")
        try database.run("INSERT INTO \"Post$tags\" (\"source$\", \"target$\") VALUES (1, 1)")
        #expect(throws: Database.Failure.self) {
            try database.run("INSERT INTO \"Post$tags\" (\"source$\", \"target$\") VALUES (1, 1)")
        }
        try database.run("DELETE FROM Tag")
        #expect(try database.column("SELECT count(*) FROM \"Post$tags\"") == ["0"])
    }

    @Test("To-many without inverse is a join table of its own; relationships with themselves are one")
    func withoutInverseAndReflexive() {
        let schema = makeSchema(
            Entity(
                name: "Person",
                relationships: [
                    toMany("friends", "Person", inverse: "friends", ordered: true), toMany("seen", "Person"),
                    toOne("spouse", "Person", inverse: "spouse"),
                ]))
        #expect(schema.tables.map(\.name) == ["ashlar$metadata", "Person", "Person$friends", "Person$seen"])
        #expect(schema.columnNames("Person$friends") == ["source$", "target$", "target$order"])
        #expect(schema.storage("Person", "spouse") == .column(name: "spouse"))
    }

    @Test("Inverses that do not name each other are stored apart, and unknown destinations refer to nothing")
    func broken() throws {
        let schema = makeSchema(
            Entity(name: "A", relationships: [toMany("bs", "B", inverse: "a"), toOne("b", "B", inverse: "a")]),
            Entity(name: "B", relationships: [toOne("a", "A", inverse: "b"), toOne("c", "C"), toMany("cs", "C")]))
        #expect(
            schema.storage("A", "bs")
                == .joinTable(
                    tableName: "A$bs", ownColumnName: "source$", otherColumnName: "target$", orderColumnName: nil))
        #expect(schema.column("B", "c")?.reference == nil)
        #expect(schema.storage("B", "cs") == nil)
        _ = try makeDatabase(schema)
    }
}
