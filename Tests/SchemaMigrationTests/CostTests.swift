import DataModel
import RandomNumbers
import SchemaMigration
import Testing

@Suite("The statements are the cheapest that do it")
struct CostTests {
    @Test("Equal versions need none, nor do changes that no store shows")
    func nothing() {
        let old = post(optional("title"), required("likes", .integer64, default: "0"))
        #expect(statements(old, to: old) == [])
        var entity = old[0]
        entity.representedClassName = "Other"
        entity.attributes.reverse()
        entity.versionHashModifier = "2"
        entity.attributes[0].minimumValue = "1"
        #expect(statements(old, to: [entity]) == [])
        #expect(makePlan(old, [entity]).steps == [])
    }

    @Test("Several changes that need a rebuild rebuild the table once")
    func oneRebuild() throws {
        let old = post(optional("a"), optional("b", .integer16), required("c"), optional("d"), optional("e"))
        let new = post(
            required("a", default: "x"), optional("b", .double), optional("c"), optional("f", was: "d"),
            optional("g", .date))
        let sql = statements(old, to: new)
        #expect(sql.count { $0.hasPrefix("CREATE TABLE") } == 1)
        #expect(sql.count { $0.hasPrefix("INSERT INTO \"Post") } == 1)
        #expect(sql.count { $0.hasPrefix("DROP TABLE") } == 1)
        #expect(!sql.contains { $0.contains("COLUMN") })
        let database = try migrate(
            old, to: new, rows: "INSERT INTO Post (id$, version$, a, b, c, d, e) VALUES (7, 3, NULL, 2, 'c', 'd', 'e')")
        #expect(try database.lines("SELECT id$, version$, a, b, c, f, g FROM Post") == ["7|3|x|2.0|c|d|-"])
    }

    @Test("A column that goes is dropped; two that go cost one copy instead of two passes")
    func drops() {
        let old = post(optional("a"), optional("b"), optional("c"))
        #expect(statements(old, to: post(optional("a"), optional("b"))).count == 1)
        let sql = statements(old, to: post(optional("a")))
        #expect(sql.count { $0.hasPrefix("CREATE TABLE") } == 1)
        #expect(!sql.contains { $0.contains("DROP COLUMN") })
    }

    @Test("So many changes of one table that a copy is cheaper are one copy")
    func manyChanges() throws {
        func entities(_ count: Int) -> [Entity] {
            [Entity(name: "Post", attributes: (0..<count).map { optional("a\($0)", .integer64, default: "7") })]
        }
        #expect(statements(entities(1), to: entities(101)).count { $0.hasPrefix("ALTER TABLE") } == 100)
        let sql = statements(entities(1), to: entities(1001))
        #expect(sql.count { $0.hasPrefix("CREATE TABLE") } == 1)
        #expect(!sql.contains { $0.contains("ADD COLUMN") })
        let database = try migrate(entities(1), to: entities(1001), rows: "INSERT INTO Post (id$, a0) VALUES (3, 1)")
        #expect(try database.lines("SELECT id$, a0, a1, a1000 FROM Post") == ["3|1|7|7"])
    }

    @Test("A table that did not change is not touched when another is rebuilt or renamed")
    func neighbours() {
        func entities(_ author: Entity) -> [Entity] {
            [author, Entity(name: "Post", relationships: [toOne("author", author.name)])]
        }
        let old = entities(Entity(name: "Author", attributes: [optional("name")]))
        let rebuilt = entities(Entity(name: "Author", attributes: [required("name", default: "")]))
        #expect(!statements(old, to: rebuilt).contains { $0.contains("\"Post\"") })
        let renamed = entities(
            Entity(name: "Writer", attributes: [optional("name")], renamingIdentifier: "Author"))
        #expect(statements(old, to: renamed) == ["ALTER TABLE \"Author\" RENAME TO \"Writer\""])
    }

    @Test("row 158: the same versions give the same statements, byte for byte")
    func deterministic() {
        let old = RandomModel(seed: 5).entities
        var generator = SeededGenerator(seed: 9)
        let new = RandomModel(seed: 5).changed(&generator).entities
        let first = makePlan(old, new)
        for _ in 0..<5 {
            let again = makePlan(old, new)
            #expect(again.statements == first.statements)
            #expect(again.steps == first.steps)
        }
    }
}
