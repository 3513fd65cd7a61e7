import DataModel
import RelationalSchema
import TestDatabase
import Testing

@Suite("R-trees")
struct RTreeTests {
    private let tree = "\"rtree$Place$byLocation\""

    private func placesDatabase(onSubEntity: Bool = false) throws -> Database {
        let coordinates = [
            Attribute(name: "latitude", type: .double, isOptional: true),
            Attribute(name: "longitude", type: .double, isOptional: true),
        ]
        let index = FetchIndex(
            name: "byLocation", kind: .rtree,
            elements: [.init(propertyName: "latitude"), .init(propertyName: "longitude")])
        let name = Attribute(name: "name", type: .string, isOptional: true)
        if !onSubEntity {
            return try makeDatabase(
                makeSchema(
                    Entity(
                        name: "Place", attributes: coordinates + [name], indexes: [index],
                        uniquenessConstraints: [UniquenessConstraint(["name"])])))
        }
        return try makeDatabase(
            makeSchema(
                Entity(name: "Thing", attributes: coordinates + [name]),
                Entity(name: "Place", parentName: "Thing", indexes: [index]),
                Entity(name: "City", parentName: "Place")))
    }

    private func entries(_ database: Database) throws -> [[String?]] {
        try database.run(
            "SELECT \"id$\", \"latitude$min\", \"longitude$max\" FROM \(tree) ORDER BY \"id$\"")
    }

    /// The entries must equal those of an empty tree that is filled.
    private func expectInStep(_ database: Database, where condition: String = "true") throws {
        let expected = try database.column(
            "SELECT \"id$\" FROM \(try database.column("SELECT name FROM sqlite_schema WHERE name IN ('Place', 'Thing')")[0] ?? "") WHERE latitude IS NOT NULL AND longitude IS NOT NULL AND \(condition) ORDER BY \"id$\""
        )
        #expect(try database.column("SELECT \"id$\" FROM \(tree) ORDER BY \"id$\"") == expected)
        #expect(try database.column("SELECT rtreecheck('rtree$Place$byLocation')") == ["ok"])
    }

    @Test("rows 17, 153: inserted, moved, deleted")
    func basics() throws {
        let database = try placesDatabase()
        try database.run("INSERT INTO Place (latitude, longitude) VALUES (1, 2), (3, 4)")
        #expect(try entries(database) == [["1", "1.0", "2.0"], ["2", "3.0", "4.0"]])
        try database.run("UPDATE Place SET latitude = 8 WHERE \"id$\" = 2")
        #expect(try entries(database) == [["1", "1.0", "2.0"], ["2", "8.0", "4.0"]])
        try database.run("DELETE FROM Place WHERE \"id$\" = 1")
        #expect(try entries(database) == [["2", "8.0", "4.0"]])
        try expectInStep(database)
    }

    @Test("Objects without coordinates are not in it, and come and go as they get and lose them")
    func missing() throws {
        let database = try placesDatabase()
        try database.run("INSERT INTO Place (latitude, longitude) VALUES (1, NULL), (NULL, NULL), (3, 4)")
        #expect(try entries(database).map { $0[0] } == ["3"])
        try database.run("UPDATE Place SET longitude = 5 WHERE \"id$\" = 1")
        #expect(try entries(database).map { $0[0] } == ["1", "3"])
        try database.run("UPDATE Place SET latitude = NULL")
        #expect(try entries(database) == [])
        try database.run("UPDATE Place SET longitude = NULL", "DELETE FROM Place")
        try expectInStep(database)
    }

    @Test("The identifier changes, by whatever name", arguments: ["\"id$\"", "rowid", "_rowid_", "oid"])
    func identifiers(name: String) throws {
        let database = try placesDatabase()
        try database.run("INSERT INTO Place (latitude, longitude) VALUES (1, 2), (3, NULL)")
        try database.run("UPDATE Place SET \(name) = \"id$\" + 10")
        try expectInStep(database)
        try database.run("UPDATE Place SET \(name) = 1, latitude = 9 WHERE \"id$\" = 11")
        #expect(try entries(database) == [["1", "9.0", "2.0"]])
        try database.run("UPDATE Place SET \(name) = 5, latitude = NULL WHERE \"id$\" = 1")
        #expect(try entries(database) == [])
        try database.run("UPDATE Place SET \(name) = 6, latitude = 1 WHERE \"id$\" = 5")
        try expectInStep(database)
    }

    @Test("Upserts and conflict clauses, which hold for the triggers' statements too")
    func upserts() throws {
        let database = try placesDatabase()
        let upsert = """
            INSERT INTO Place (name, latitude, longitude) VALUES ('a', %, 2)
            ON CONFLICT (name) DO UPDATE SET latitude = excluded.latitude, longitude = excluded.longitude
            """
        for value in ["1", "5", "NULL", "7", "7"] {
            try database.run(upsert.replacing("%", with: value))
            try expectInStep(database)
        }
        try database.run("INSERT OR IGNORE INTO Place (name, latitude, longitude) VALUES ('a', 9, 9)")
        try database.run("UPDATE OR REPLACE Place SET latitude = 3")
        try database.run("UPDATE OR IGNORE Place SET latitude = 4, longitude = 4")
        #expect(try entries(database) == [["1", "4.0", "4.0"]])
    }

    @Test("Other columns' changes do not touch it")
    func untouched() throws {
        let database = try placesDatabase()
        try database.run("INSERT INTO Place (latitude, longitude) VALUES (1, 2)")
        let before = try database.column("SELECT total_changes()")
        try database.run("UPDATE Place SET name = 'x'", "UPDATE Place SET latitude = 1, longitude = 2")
        let after = try database.column("SELECT total_changes() - \(before[0] ?? "0")")
        #expect(after == ["2"])
    }

    @Test("Deleting what a search finds")
    func deleteFound() throws {
        let database = try placesDatabase()
        for number in 0..<200 { try database.run("INSERT INTO Place (latitude, longitude) VALUES (\(number), 0)") }
        try database.run(
            "DELETE FROM Place WHERE \"id$\" IN (SELECT \"id$\" FROM \(tree) WHERE \"latitude$min\" < 100)")
        try database.run("UPDATE Place SET latitude = latitude - 50")
        #expect(try database.column("SELECT count(*) FROM \(tree)") == ["100"])
        try expectInStep(database)
    }

    @Test("A sub-entity's has no rows of others, and filling it selects what the triggers keep")
    func subEntity() throws {
        let database = try placesDatabase(onSubEntity: true)
        let condition = "\"entity$\" IN ('Place', 'City')"
        try database.run(
            "INSERT INTO Thing (\"entity$\", latitude, longitude) VALUES (NULL, 1, 1), ('Place', 2, 2), ('City', 3, 3)")
        try expectInStep(database, where: condition)
        try database.run("UPDATE Thing SET latitude = 9", "UPDATE Thing SET \"entity$\" = 'City' WHERE \"id$\" = 1")
        try expectInStep(database, where: condition)
        try database.run("UPDATE Thing SET \"entity$\" = NULL WHERE \"id$\" = 2")
        try expectInStep(database, where: condition)
        try database.run("UPDATE Thing SET latitude = NULL, \"id$\" = 70 WHERE \"id$\" = 1")
        let rtree = RTree(
            name: "rtree$Place$byLocation", tableName: "Thing", columnNames: ["latitude", "longitude"],
            entityNames: ["Place", "City"])
        try database.run("DELETE FROM \(tree)", rtree.contents.filling)
        try expectInStep(database, where: condition)
    }

    @Test("An index over what is no column, or over too much, is none")
    func impossible() {
        let index = FetchIndex(name: "i", kind: .rtree, elements: [.init(propertyName: "gone")])
        #expect(makeSchema(Entity(name: "E", indexes: [index])).rtrees.isEmpty)
    }
}
