import Ashlar
import AshlarSQLite
import Foundation
import Testing

@testable import AshlarTesting

/// Each check finds the damage that it looks for.
@Suite struct DamageTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The statement that damages the migrated store.
        var sql: String
        /// The beginning of the problem's place.
        var place: String
        /// The problem's reason.
        var reason: String

        init(_ name: String, _ sql: String, _ place: String, _ reason: String) {
            testDescription = name
            self.sql = sql
            self.place = place
            self.reason = reason
        }
    }

    private static let damages = [
        Damage(
            "the version", "UPDATE \"ashlar$metadata\" SET value = 'x' WHERE key = 'versionHash'", "",
            "another version than Garden 2"),
        Damage(
            "the file",
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, '"name" TEXT', '"name" INTEGER') WHERE name = 'Tool';
            UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'Tool')
            WHERE name = 'reference$Tool$holder'
            """, "", "finds the file damaged"),
        Damage(
            "a reference", "UPDATE Shed SET owner = 9999 WHERE id$ = (SELECT min(id$) FROM Shed)", "Shed of the object",
            "A reference to Keeper leads nowhere"),
        Damage("a column too many", "ALTER TABLE Bed ADD COLUMN more TEXT", "", "The column Bed.more is left"),
        Damage("a table too many", "CREATE TABLE more (a TEXT) STRICT", "", "The table more is left"),
        Damage("a missing column", "ALTER TABLE Tool DROP COLUMN name", "", "The column Tool.name is missing"),
        Damage("a missing table", "DROP TABLE Tool", "", "The table Tool is missing"),
        Damage(
            "a missing index", "DROP INDEX \"unique$Shed$number\"", "", "The index unique$Shed$number is missing"),
        Damage("an index too many", "CREATE INDEX \"more$\" ON Bed (title)", "", "The index more$ is left"),
        Damage(
            "a default",
            "ALTER TABLE Bed DROP COLUMN soil; ALTER TABLE Bed ADD COLUMN soil TEXT NOT NULL DEFAULT 'clay'",
            "", "The table Bed has other defaults"),
        Damage(
            "a derived value", "UPDATE Bed SET plantCount = plantCount + 1 WHERE id$ = (SELECT max(id$) FROM Bed)",
            "Bed.plantCount", "does not match its expression"),
        Damage(
            "a place too few", "DELETE FROM \"rtree$Bed$byPlace\" WHERE id$ = (SELECT max(id$) FROM Bed)",
            "Bed of the object", "The R-tree rtree$Bed$byPlace"),
        Damage(
            "a place too many",
            """
            INSERT INTO "rtree$Bed$byPlace" (id$, latitude$min, latitude$max, longitude$min, longitude$max)
            VALUES (9999, 0, 0, 0, 0)
            """, "Bed of the object 9999", "The R-tree rtree$Bed$byPlace"),
        Damage(
            "a place that is too large",
            "UPDATE \"rtree$Bed$byPlace\" SET latitude$max = 1000 WHERE id$ = (SELECT max(id$) FROM Bed)",
            "Bed of the object", "The R-tree rtree$Bed$byPlace"),
        Damage(
            "a text too few", "DELETE FROM \"fulltext$Plant$fullText\" WHERE rowid = (SELECT max(id$) FROM Plant)",
            "Plant of the object", "The full-text index fulltext$Plant$fullText has not the texts"),
        Damage(
            "another text",
            "UPDATE \"fulltext$Plant$fullText\" SET name = 'other' WHERE rowid = (SELECT max(id$) FROM Plant)",
            "Plant of the object", "The full-text index fulltext$Plant$fullText has not the texts"),
        Damage(
            "a stranger",
            "UPDATE Plant SET entity$ = 'Moss' WHERE id$ = (SELECT max(id$) FROM Plant WHERE entity$ = 'Tree')",
            "Plant of the object", "Its entity Moss"),
        Damage(
            "another entity",
            "UPDATE Plant SET entity$ = NULL WHERE id$ = (SELECT max(id$) FROM Plant WHERE entity$ = 'Tree')",
            "Tree of the object", "The object is gone"),
        Damage(
            "an object too few", "PRAGMA foreign_keys = ON; DELETE FROM Bed WHERE id$ = (SELECT max(id$) FROM Bed)",
            "Bed of the object", "The object is gone"),
        Damage(
            "an object too many", "INSERT INTO Tool (name) VALUES ('rake')", "Tool of the object", "not there before"),
        Damage(
            "an object with a new number too few",
            "PRAGMA foreign_keys = ON; DELETE FROM Plant WHERE id$ = (SELECT max(id$) FROM Plant WHERE entity$ = 'Weed')",
            "Weed", "Of 8 objects 1 are gone"),
        Damage(
            "a value of an object with a new number",
            "UPDATE Plant SET isRare = 1 - isRare WHERE id$ = (SELECT max(id$) FROM Plant WHERE entity$ = 'Weed')",
            "Weed.isRare of the object", "It should be"),
        Damage(
            "a value", "UPDATE Bed SET title = 'other' WHERE id$ = (SELECT max(id$) FROM Bed)",
            "Bed.title of the object",
            "and is \"other\""),
        Damage(
            "a renamed value",
            "UPDATE Plant SET size = 31 WHERE id$ = (SELECT min(id$) FROM Plant WHERE entity$ IS NULL)",
            "Plant.size of the object", "and is 31.0"),
        Damage(
            "a default value", "UPDATE Bed SET soil = 'clay' WHERE id$ = (SELECT max(id$) FROM Bed)",
            "Bed.soil of the object", "It should be \"loam\", and is \"clay\""),
        Damage(
            "a part of a composite",
            "UPDATE Plant SET place$row = 77 WHERE id$ = (SELECT min(id$) FROM Plant WHERE place$$present = 1)",
            ".place.row of the object", "and is 77"),
        Damage(
            "the presence of a composite",
            """
            UPDATE Plant SET place$$present = NULL, place$row = NULL, place$side = NULL
            WHERE id$ = (SELECT min(id$) FROM Plant WHERE place$$present = 1)
            """, ".place of the object", "It should be 1, and is nil"),
        Damage(
            "a link",
            "UPDATE Plant SET bed = NULL, bed$order = NULL WHERE id$ = (SELECT min(id$) FROM Plant WHERE bed > 0)",
            "Bed.plants of the object", "It should lead to"),
        Damage(
            "an order", "UPDATE Plant SET bed$order = -bed$order", "Bed.plants of the object", "It should lead to"),
        Damage(
            "a pair",
            """
            DELETE FROM "Bed$gardeners" WHERE source$ = (SELECT min(source$) FROM "Bed$gardeners")
            """, "Bed.gardeners of the object", "It should lead to"),
        Damage(
            "an order of pairs", "UPDATE \"Bed$gardeners\" SET source$order = -source$order",
            "Keeper.beds of the object", "It should lead to"),
    ]

    @Test(arguments: damages) func isFound(_ damage: Damage) throws {
        let store = try Garden.store("Garden", objectsPerEntity: 8)
        let check = MigratedStoreCheck(
            try Garden.model(), from: 0, to: 1, before: try store.contents(), changing: [])
        let copy = try store.copy(for: check)
        _ = try store.open(copy, as: 1, nil)
        #expect(try check.problems(ofStoreAt: copy) == [])
        try Connection(toWrite: copy).execute(damage.sql.split(separator: ";").map { String($0) })
        let problems = try check.problems(ofStoreAt: copy)
        #expect(
            problems.contains {
                $0.reason.contains(damage.reason)
                    && (damage.place.isEmpty ? $0.entity == nil : $0.description.contains(damage.place))
            },
            "\(problems.map(\.description))")
    }

    /// Rows that the program's classes cannot read.
    @Test func whatCannotBeReadIsFound() throws {
        let store = try Garden.store("Garden 3", objectsPerEntity: 8)
        let container = try store.migrated(with: GardenMigrations.self, changing: Garden.changing)
        let schema = try Garden.model().schemas[3]
        func problems() throws -> [MigrationProblem] {
            ObjectReading(container, try StoreContents(Connection(toWrite: container.configuration.url), schema))
                .problems
        }
        #expect(try problems() == [])
        let connection = try Connection(toWrite: container.configuration.url)
        try connection.execute("UPDATE Plant SET place$$present = 1, place$row = NULL WHERE entity$ = 'Tree'")
        let found = try problems()
        // Objects that refer to one of them are found too.
        #expect(Set(found.map(\.entity)).isSuperset(of: ["Plant", "Tree"]), "\(found)")
        for entity in ["Plant", "Tree"] {
            #expect(found.contains { $0.entity == entity && $0.reason.contains("place.row") }, "\(found)")
            #expect(found.contains { $0.entity == entity && $0.reason.contains("cannot be fetched") }, "\(found)")
        }
    }

    @Test func aProblemTellsWhere() {
        let problem = MigrationProblem(entity: "Plant", property: "size", rowID: 7, "It should be 1.0, and is 2.0.")
        let migration = TestedMigration(source: "Garden", destination: "Garden 2", seed: 5)
        #expect(
            MigrationTestError.wrong(migration, [problem]).description
                == "Garden → Garden 2, ASHLAR_TEST_SEED=5:\n  Plant.size of the object 7: It should be 1.0, and is 2.0."
        )
    }
}
