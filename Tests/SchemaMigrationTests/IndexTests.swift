import DataModel
import RelationalSchema
import SchemaMigration
import TestDatabase
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

    private func note(
        _ attributes: [Attribute], of columns: String..., name: String = "Note",
        tokenizer: FullTextOptions.Tokenizer = .unicode61,
        was: String? = nil
    ) -> [Entity] {
        var index = FetchIndex(name: "search", kind: .fullText, elements: columns.map { .init(propertyName: $0) })
        index.fullText.tokenizer = tokenizer
        return [
            Entity(
                name: name, attributes: attributes, indexes: columns.isEmpty ? [] : [index], renamingIdentifier: was)
        ]
    }

    @Test("A full-text index is filled when it is added, and goes with all that is its own")
    func fullText() throws {
        let attributes = [optional("title"), optional("text")]
        let notes =
            "INSERT INTO Note (id$, title, text) VALUES (1, 'great', 'wall'), (2, NULL, 'walls'), (4, NULL, NULL)"
        let plain = note(attributes)
        let searched = note(attributes, of: "title", "text")
        #expect(makePlan(plain, searched).steps == [.addIndex(name: "fulltext$Note$search")])
        let database = try migrate(plain, to: searched, rows: notes)
        let table = "\"fulltext$Note$search\""
        func found(_ database: Database, _ query: String) throws -> [String] {
            try database.lines("SELECT rowid FROM \(table) WHERE \(table) MATCH '\(query)' ORDER BY 1")
        }
        #expect(try found(database, "wal*") == ["1", "2"])
        try database.run("UPDATE Note SET text = 'wallet' WHERE id$ = 4", "DELETE FROM Note WHERE id$ = 1")
        #expect(try found(database, "wal*") == ["2", "4"])
        let back = try migrate(searched, to: plain, rows: notes)
        #expect(try back.lines("SELECT name FROM sqlite_schema WHERE name LIKE '%fulltext%'") == [])
        try back.run("UPDATE Note SET text = 'x'")
        let stemmed = note(attributes, of: "title", "text", tokenizer: .porter)
        #expect(makePlan(searched, stemmed).steps == [.changeIndex(name: "fulltext$Note$search")])
        #expect(try found(migrate(searched, to: stemmed, rows: notes), "wall") == ["1", "2"])
        #expect(makePlan(searched, searched).statements.isEmpty)
        // A change that does not concern the texts leaves the index as it is.
        let other = note(attributes + [optional("other")], of: "title", "text")
        #expect(!statements(searched, to: other).contains { $0.contains("fulltext") })
        #expect(try found(migrate(searched, to: other, rows: notes), "wal*") == ["1", "2"])
    }

    @Test("A full-text index comes through changes of its columns, its entity and its place")
    func fullTextThroughChanges() throws {
        let attributes = [optional("title"), optional("text")]
        let old = note(attributes, of: "title", "text")
        let notes =
            "INSERT INTO Note (id$, title, text) VALUES (1, 'great', 'wall'), (2, NULL, 'walls'), (4, NULL, NULL)"
        let candidates = [
            note([optional("heading", was: "title"), optional("text")], of: "heading", "text"),
            note([required("title", default: "none"), optional("text")], of: "title", "text"),
            note(attributes, of: "title", "text", name: "Memo", was: "Note"),
            note([optional("text")], of: "text"), note(attributes, of: "text", "title"),
            [Entity(name: "Thing", attributes: [optional("kind")])]
                + note(attributes, of: "title", "text").map { entity in
                    var entity = entity
                    entity.parentName = "Thing"
                    return entity
                },
        ]
        for new in candidates {
            let database = try migrate(old, to: new, rows: notes)
            let name = new.last?.name ?? ""
            let table = "\"fulltext$\(name)$search\""
            let query = "SELECT count(*) FROM \(table) WHERE \(table) MATCH 'wal*'"
            #expect(try database.lines(query) == ["2"], "\(new)")
            let root = new.first?.name ?? ""
            try database.run("UPDATE \(root) SET text = 'wallaby'")
            #expect(try database.lines(query) == ["3"], "\(new)")
            _ = try migrate(new, to: new + [Entity(name: "Added")], rows: "SELECT 1")
        }
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
