import DataModel
import RelationalSchema
import SchemaMigration
import Testing

@Suite("Entities get parents, lose them and exchange properties with them")
struct HierarchyTests {
    private let person = Entity(name: "Person", attributes: [optional("name")])
    private let name = optional("name")

    @Test("An entity moves under a new parent: the rows become its, the identifiers and references survive")
    func underNewParent() throws {
        let visit = Entity(name: "Visit", relationships: [toOne("author", "Author")])
        let old = [Entity(name: "Author", attributes: [name, optional("pen")]), visit]
        let new = [person, Entity(name: "Author", parentName: "Person", attributes: [optional("pen")]), visit]
        #expect(
            makePlan(old, new).steps.contains(.changeParent(entityName: "Author", from: nil, to: "Person")))
        #expect(
            makePlan(old, new).steps.contains(
                .moveAttribute(from: PropertyName("Author", "name"), to: PropertyName("Person", "name"))))
        let database = try migrate(
            old, to: new,
            rows: "INSERT INTO Author (id$, version$, name, pen) VALUES (5, 4, 'a', 'b'), (9, 1, 'c', 'd')",
            "DELETE FROM Author WHERE id$ = 9", "INSERT INTO Visit (author) VALUES (5)")
        #expect(try database.lines("SELECT id$, version$, entity$, name, pen FROM Person") == ["5|4|Author|a|b"])
        #expect(try database.lines("SELECT author FROM Visit") == ["5"])
        #expect(try database.lines("SELECT seq FROM sqlite_sequence WHERE name = 'Person'") == ["9"])
    }

    @Test("Two entities move under one parent: the second's objects get identifiers that were never used")
    func merged() throws {
        let entities = [Entity(name: "Author", attributes: [name]), Entity(name: "Reader", attributes: [name])]
        let visit = Entity(
            name: "Visit",
            relationships: [toOne("author", "Author"), toOne("reader", "Reader"), toMany("all", "Reader")])
        let moved = entities.map { Entity(name: $0.name, parentName: "Person") }
        let database = try migrate(
            entities + [visit], to: [person, visit] + moved,
            rows: "INSERT INTO Author (id$, name) VALUES (1, 'a'), (8, 'b')", "DELETE FROM Author WHERE id$ = 8",
            "INSERT INTO Reader (id$, version$, name) VALUES (1, 6, 'c'), (2, 7, 'd')",
            "INSERT INTO Visit (id$, author, reader) VALUES (1, 1, 2)", "INSERT INTO Visit$all VALUES (1, 1)")
        #expect(
            try database.lines("SELECT id$, version$, entity$, name FROM Person ORDER BY 1")
                == ["1|1|Author|a", "9|6|Reader|c", "10|7|Reader|d"])
        #expect(try database.lines("SELECT author, reader FROM Visit") == ["1|10"])
        #expect(try database.lines("SELECT * FROM Visit$all") == ["1|9"])
        #expect(try database.lines("SELECT seq FROM sqlite_sequence WHERE name = 'Person'") == ["10"])
    }

    @Test("Two entities move under a parent whose objects are unique: proven, and refused for what both have")
    func mergedUnique() throws {
        let code = required("code", .integer16, default: "0")
        let entities = ["Author", "Reader"].map { Entity(name: $0, attributes: [code, name]) }
        let parent = Entity(
            name: "Person", isAbstract: true, attributes: [code, name],
            uniquenessConstraints: [UniquenessConstraint(["code"])])
        let moved = entities.map { Entity(name: $0.name, parentName: "Person") }
        let rows = "INSERT INTO Author (id$, code) VALUES (1, 1), (2, 2)"
        let database = try migrate(
            entities, to: [parent] + moved, rows: rows, "INSERT INTO Reader (id$, code) VALUES (1, 3)")
        #expect(
            try database.lines("SELECT entity$, code FROM Person ORDER BY 2") == ["Author|1", "Author|2", "Reader|3"])
        let refusal = try refusal(
            entities, to: [parent] + moved, rows: rows, "INSERT INTO Reader (id$, code) VALUES (1, 2)")
        #expect(refusal?.entityName == "Person")
    }

    @Test("A sub-entity becomes an entity of its own")
    func splitOff() throws {
        let old = [person, Entity(name: "Author", parentName: "Person", attributes: [optional("pen")])]
        let new = [person, Entity(name: "Author", attributes: [name, optional("pen")])]
        let database = try migrate(
            old, to: new, rows: "INSERT INTO Person (id$, name) VALUES (1, 'a')",
            "INSERT INTO Person (id$, version$, entity$, name, pen) VALUES (2, 3, 'Author', 'b', 'c')")
        #expect(try database.lines("SELECT id$, name FROM Person") == ["1|a"])
        #expect(try database.lines("SELECT id$, version$, name, pen FROM Author") == ["2|3|b|c"])
        #expect(try database.lines("SELECT seq FROM sqlite_sequence WHERE name = 'Author'") == ["2"])
    }

    @Test("An attribute moves up to the parent, whose other objects have the default")
    func attributeMovesUp() throws {
        let old = [person, Entity(name: "Author", parentName: "Person", attributes: [required("likes", .integer64)])]
        var parent = person
        parent.attributes.append(required("likes", .integer64, default: "5"))
        let new = [parent, Entity(name: "Author", parentName: "Person")]
        let database = try migrate(
            old, to: new, rows: "INSERT INTO Person (id$, name) VALUES (1, 'a')",
            "INSERT INTO Person (id$, entity$, name, likes) VALUES (2, 'Author', 'b', 7)")
        #expect(try database.lines("SELECT id$, entity$, likes FROM Person ORDER BY 1") == ["1|-|5", "2|Author|7"])
    }

    @Test("An attribute moves down: the objects of other entities give their values up")
    func attributeMovesDown() throws {
        let names = ["Author", "Reader"]
        let old = [Entity(name: "Person", attributes: [name])] + names.map { Entity(name: $0, parentName: "Person") }
        let new = [
            Entity(name: "Person"), Entity(name: "Author", parentName: "Person", attributes: [name]),
            Entity(name: "Reader", parentName: "Person"),
        ]
        let database = try migrate(
            old, to: new, rows: "INSERT INTO Person (id$, name) VALUES (1, 'a')",
            "INSERT INTO Person (id$, entity$, name) VALUES (2, 'Author', 'b'), (3, 'Reader', 'c')")
        #expect(try database.lines("SELECT entity$, name FROM Person ORDER BY id$") == ["-|-", "Author|b", "Reader|-"])
    }

    @Test("A new sub-entity of a root without any costs one column")
    func newSubEntity() throws {
        let new = [person, Entity(name: "Author", parentName: "Person", attributes: [required("pen", default: "x")])]
        let database = try migrate([person], to: new, rows: "INSERT INTO Person (id$, name) VALUES (4, 'a')")
        #expect(makePlan([person], new).steps == [.addEntity("Author")])
        #expect(
            statements([person], to: new) == [
                "ALTER TABLE \"Person\" ADD COLUMN \"entity$\" TEXT",
                "ALTER TABLE \"Person\" ADD COLUMN \"pen\" TEXT DEFAULT 'x'",
            ])
        #expect(try database.lines("SELECT id$, entity$, name FROM Person") == ["4|-|a"])
    }

    @Test func renamedSubEntity() throws {
        let old = [person, Entity(name: "Author", parentName: "Person", attributes: [optional("pen")])]
        let new = [
            person,
            Entity(
                name: "Writer", parentName: "Person", attributes: [optional("pen")], renamingIdentifier: "Author"),
        ]
        let database = try migrate(
            old, to: new, rows: "INSERT INTO Person (id$, name) VALUES (1, 'a')",
            "INSERT INTO Person (id$, version$, entity$, pen) VALUES (2, 5, 'Author', 'b')")
        #expect(
            try database.lines("SELECT id$, version$, entity$, pen FROM Person ORDER BY 1") == [
                "1|1|-|-", "2|5|Writer|b",
            ])
        #expect(!statements(old, to: new).contains { $0.hasPrefix("CREATE TABLE") })
    }

    @Test("A sub-entity that goes takes its objects along, and references to them")
    func removedSubEntity() throws {
        let visit = Entity(name: "Visit", relationships: [toOne("person", "Person"), toMany("people", "Person")])
        let old = [person, Entity(name: "Author", parentName: "Person", attributes: [optional("pen")]), visit]
        let new = [person, visit]
        let database = try migrate(
            old, to: new, rows: "INSERT INTO Person (id$, name) VALUES (1, 'a')",
            "INSERT INTO Person (id$, entity$, pen) VALUES (2, 'Author', 'b')",
            "INSERT INTO Visit (id$, person) VALUES (1, 1), (2, 2)", "INSERT INTO Visit$people VALUES (1, 1), (1, 2)")
        #expect(try database.lines("SELECT id$, name FROM Person") == ["1|a"])
        #expect(try database.lines("SELECT id$, person FROM Visit ORDER BY 1") == ["1|1", "2|-"])
        #expect(try database.lines("SELECT * FROM Visit$people") == ["1|1"])
    }

    @Test("The parent goes, and its child becomes the root")
    func removedRoot() throws {
        let old = [person, Entity(name: "Author", parentName: "Person", attributes: [optional("pen")])]
        let new = [Entity(name: "Author", attributes: [name, optional("pen")])]
        let database = try migrate(
            old, to: new, rows: "INSERT INTO Person (id$, name) VALUES (1, 'a')",
            "INSERT INTO Person (id$, entity$, name, pen) VALUES (2, 'Author', 'b', 'c')")
        #expect(try database.lines("SELECT id$, name, pen FROM Author") == ["2|b|c"])
    }

    @Test("A required attribute without default that a parent gets counts the objects of its children")
    func requiredInParent() throws {
        let child = Entity(name: "Author", parentName: "Person")
        var parent = person
        parent.attributes.append(required("likes", .integer64))
        let refusal = try refusal(
            [person, child], to: [parent, child], rows: "INSERT INTO Person (id$, entity$) VALUES (6, 'Author')")
        #expect(refusal?.identifier == "6")
        let grown = Entity(name: "Author", parentName: "Person", attributes: [required("likes", .integer64)])
        let database = try migrate(
            [person, child], to: [person, grown], rows: "INSERT INTO Person (id$, name) VALUES (1, 'a')")
        #expect(try database.lines("SELECT id$, likes FROM Person") == ["1|-"])
    }

    @Test("An entity that leaves its parent gives up what it inherited, and the plan says so")
    func leavingParent() throws {
        let parent = Entity(name: "Person", attributes: [name], relationships: [toMany("visits", "Visit")])
        func entities(_ parentName: String) -> [Entity] {
            [
                parent, Entity(name: "Author", parentName: parentName, attributes: [optional("pen")]),
                Entity(name: "Thing"), Entity(name: "Visit"),
            ]
        }
        let (old, new) = (entities("Person"), entities("Thing"))
        #expect(
            makePlan(old, new).steps == [
                .changeParent(entityName: "Author", from: "Person", to: "Thing"),
                .removeAttribute(PropertyName("Author", "name")),
                .removeRelationship(PropertyName("Author", "visits")),
            ])
        let database = try migrate(
            old, to: new, rows: "INSERT INTO Person (id$, name) VALUES (1, 'a')",
            "INSERT INTO Person (id$, entity$, name, pen) VALUES (2, 'Author', 'b', 'c')",
            "INSERT INTO Visit (id$) VALUES (1)", "INSERT INTO Person$visits VALUES (1, 1), (2, 1)")
        #expect(try database.lines("SELECT id$, name FROM Person") == ["1|a"])
        #expect(try database.lines("SELECT id$, entity$, pen FROM Thing") == ["1|Author|c"])
        #expect(try database.lines("SELECT * FROM Person$visits") == ["1|1"])
    }

    @Test("A relationship must not lead to objects that are not of its destination any more")
    func leavingDestination() throws {
        let location = SourceLocation(file: "contents", line: 6, column: 3)
        let visit = Entity(name: "Visit", relationships: [toMany("people", "Person", at: location)])
        let child = Entity(name: "Author", parentName: "Person")
        let old = [person, child, visit, Entity(name: "Thing")]
        let new = [person, Entity(name: "Author", parentName: "Thing"), visit, Entity(name: "Thing")]
        let errors = makePlan(old, new).diagnostics.all
        #expect(errors.map(\.code) == [.migrationNotInferrable])
        #expect(errors.map(\.location) == [location])
        #expect(errors.first?.message.contains("'Author'") == true)
        #expect(errors.first?.notes.isEmpty == false)
    }

    @Test("Of an abstract destination there are no objects, so it may be narrowed to its only child")
    func abstractDestination() throws {
        func entities(_ destination: String) -> [Entity] {
            [
                Entity(name: "Person", isAbstract: true, attributes: [name]),
                Entity(name: "Author", parentName: "Person"),
                Entity(name: "Visit", relationships: [toOne("person", destination)]),
            ]
        }
        let database = try migrate(
            entities("Person"), to: entities("Author"),
            rows: "INSERT INTO Person (id$, entity$) VALUES (3, 'Author')", "INSERT INTO Visit (person) VALUES (3)")
        #expect(try database.lines("SELECT person FROM Visit") == ["3"])
    }
}
