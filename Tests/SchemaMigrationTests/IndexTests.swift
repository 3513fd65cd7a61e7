import DataModel
import RelationalSchema
import SchemaMigration
import Testing

@Suite("Indexes and constraints come and go")
struct IndexTests {
    private let rows = "INSERT INTO Place (id$, name, x, y) VALUES (1, 'a', 1, 2), (2, 'b', 3, NULL), (4, 'a', 5, 6)"

    private func place(_ indexes: FetchIndex..., unique: [String] = []) -> [Entity] {
        [
            Entity(
                name: "Place",
                attributes: [optional("name"), optional("x", .double), optional("y", .double)], indexes: indexes,
                uniquenessConstraints: unique.isEmpty ? [] : [UniquenessConstraint(unique)])
        ]
    }

    private let byName = FetchIndex(name: "byName", elements: [.init(propertyName: "name")])
    private let byLocation = FetchIndex(
        name: "byLocation", kind: .rtree, elements: [.init(propertyName: "x"), .init(propertyName: "y")])

    @Test func uniqueness() throws {
        let new = place(unique: ["name"])
        let refused = try refusal(place(), to: new, rows: rows)
        #expect(refused?.entityName == "Place")
        #expect(refused?.identifier == "4")
        #expect(refused?.reason.contains("name") == true)
        let database = try migrate(
            place(), to: new, rows: rows, "DELETE FROM Place WHERE id$ = 4", "INSERT INTO Place DEFAULT VALUES",
            "INSERT INTO Place DEFAULT VALUES")
        #expect(try database.lines("SELECT id$, name FROM Place ORDER BY 1") == ["1|a", "2|b", "5|-", "6|-"])
        #expect(throws: Database.Failure.self) { try database.run("INSERT INTO Place (name) VALUES ('a')") }
        let back = try migrate(new, to: place(), rows: "INSERT INTO Place (name) VALUES ('a')")
        try back.run("INSERT INTO Place (name) VALUES ('a')")
    }

    @Test("The constraint of a sub-entity is that of its objects alone")
    func uniquenessOfSubEntity() throws {
        func entities(_ constraints: [UniquenessConstraint]) -> [Entity] {
            place() + [Entity(name: "City", parentName: "Place", uniquenessConstraints: constraints)]
        }
        let new = entities([UniquenessConstraint(["name"])])
        let city = "INSERT INTO Place (id$, entity$, name) VALUES (7, 'City', 'a')"
        let database = try migrate(entities([]), to: new, rows: rows, city)
        #expect(try database.lines("SELECT count(*) FROM Place WHERE name = 'a'") == ["3"])
        let second = "INSERT INTO Place (id$, entity$, name) VALUES (9, 'City', 'a')"
        #expect(try refusal(entities([]), to: new, rows: rows, city, second)?.identifier == "9")
    }

    @Test("Together unique means that each may be there more than once")
    func uniquenessOfTwo() throws {
        let database = try migrate(place(), to: place(unique: ["name", "x"]), rows: rows)
        #expect(throws: Database.Failure.self) { try database.run("INSERT INTO Place (name, x) VALUES ('a', 5)") }
    }

    @Test func fetchIndex() throws {
        #expect(makePlan(place(), place(byName)).steps == [.addIndex(name: "index$Place$byName")])
        #expect(
            statements(place(), to: place(byName)) == [
                """
                CREATE INDEX "index$Place$byName"
                    ON "Place" ("name")
                """
            ])
        #expect(makePlan(place(byName), place()).steps == [.removeIndex(name: "index$Place$byName")])
        #expect(statements(place(byName), to: place()) == ["DROP INDEX \"index$Place$byName\""])
        for (old, new) in [(place(), place(byName)), (place(byName), place())] {
            let database = try migrate(old, to: new, rows: rows)
            #expect(try database.lines("SELECT id$ FROM Place WHERE name = 'a' ORDER BY 1") == ["1", "4"])
        }
        var changed = byName
        changed.elements[0].isAscending = false
        #expect(makePlan(place(byName), place(changed)).steps == [.changeIndex(name: "index$Place$byName")])
        _ = try migrate(place(byName), to: place(changed), rows: rows)
    }

    @Test("An R-tree is filled when it is added, and kept from then on")
    func rtree() throws {
        let database = try migrate(place(), to: place(byLocation), rows: rows)
        let tree = "\"rtree$Place$byLocation\""
        #expect(try database.lines("SELECT id$, \"x$min\" FROM \(tree) ORDER BY 1") == ["1|1.0", "4|5.0"])
        try database.run("UPDATE Place SET y = 4 WHERE id$ = 2", "DELETE FROM Place WHERE id$ = 1")
        #expect(try database.lines("SELECT id$ FROM \(tree) ORDER BY 1") == ["2", "4"])
        let back = try migrate(place(byLocation), to: place(), rows: rows)
        #expect(try back.lines("SELECT name FROM sqlite_schema WHERE name LIKE '%rtree%'") == [])
        try back.run("UPDATE Place SET x = 9")
    }

    @Test("An R-tree stays through changes of other columns, a rebuild and a new name")
    func rtreeThroughChanges() throws {
        func entity(_ name: String = "Place", _ attribute: Attribute, _ x: String = "x") -> [Entity] {
            [
                Entity(
                    name: name,
                    attributes: [attribute, optional(x, .double, was: x == "x" ? nil : "x"), optional("y", .double)],
                    indexes: [
                        FetchIndex(
                            name: "byLocation", kind: .rtree,
                            elements: [.init(propertyName: x), .init(propertyName: "y")])
                    ],
                    renamingIdentifier: name == "Place" ? nil : "Place")
            ]
        }
        let old = entity("Place", optional("name"))
        let candidates = [
            entity("Place", required("name", default: "z")), entity("Place", optional("title", was: "name")),
            entity("Town", optional("name")), entity("Place", optional("name"), "longitude"),
        ]
        for new in candidates {
            let database = try migrate(old, to: new, rows: rows)
            let tree = "\"rtree$\(new[0].name)$byLocation\""
            #expect(try database.lines("SELECT id$ FROM \(tree) ORDER BY 1") == ["1", "4"])
            try database.run("UPDATE \(new[0].name) SET y = 4 WHERE id$ = 2")
            #expect(try database.lines("SELECT id$ FROM \(tree) ORDER BY 1") == ["1", "2", "4"])
        }
        let removed = [Entity(name: "Place", attributes: [optional("name"), optional("y", .double)])]
        _ = try migrate(old, to: removed, rows: rows)
    }

    @Test("Indexes stay with a table that is rebuilt, and follow a renamed column")
    func indexesThroughChanges() throws {
        let strict = [
            Entity(
                name: "Place",
                attributes: [required("name", default: ""), optional("x", .double), optional("y", .double)],
                indexes: [byName])
        ]
        _ = try migrate(place(byName), to: strict, rows: rows)
        let renamed = [
            Entity(
                name: "Place",
                attributes: [optional("title", was: "name"), optional("x", .double), optional("y", .double)],
                indexes: [FetchIndex(name: "byName", elements: [.init(propertyName: "title")])])
        ]
        _ = try migrate(place(byName), to: renamed, rows: rows)
        #expect(!statements(place(byName), to: renamed).contains { $0.contains("INDEX") })
    }
}
