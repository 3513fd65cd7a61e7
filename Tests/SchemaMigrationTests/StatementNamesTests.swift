import DataModel
import RandomNumbers
import RandomSeeds
import Testing

@testable import SchemaMigration

@Suite("The names in a statement")
struct StatementNamesTests {
    private func names(_ sql: String, isCustom: Bool = false) -> [String] {
        StatementNames(sql, isCustom: isCustom).names
    }

    @Test("Names and literals are found, keywords and what foreign keys lead to are not")
    func planned() {
        #expect(names("UPDATE \"Post\"\nSET \"a\" = 'it''s' WHERE b IS NULL") == ["Post", "a", "it's"])
        #expect(
            names("ALTER TABLE \"Post\" ADD COLUMN \"author\" INTEGER REFERENCES \"Author\"(\"id$\")")
                == ["Post", "author", "id$"])
    }

    @Test("An author's words may all be names")
    func custom() {
        #expect(names("DELETE FROM main.Post", isCustom: true) == ["DELETE", "FROM", "main", "Post"])
    }

    @Test(
        "What a statement creates",
        arguments: [
            ("CREATE TABLE \"a\" (\"b\" TEXT)", "a"), ("CREATE UNIQUE INDEX IF NOT EXISTS b ON c (d)", "b"),
            ("CREATE TEMP TABLE c AS SELECT 1", "c"), ("CREATE VIRTUAL TABLE \"d\" USING rtree(a, b, c)", "d"),
            ("ALTER TABLE \"a\" RENAME TO \"e\"", "e"), ("ALTER TABLE a RENAME COLUMN b TO c", nil),
            ("ALTER TABLE a RENAME b TO c", nil), ("DROP TABLE a", nil), ("INSERT INTO a VALUES (1)", nil),
        ] as [(String, String?)])
    func created(sql: String, name: String?) {
        #expect(StatementNames(sql, isCustom: false).created == name)
    }

    @Test(
        "Which statements keep all rows",
        arguments: [
            "SELECT 1", "CREATE TABLE a (b)", "CREATE UNIQUE INDEX a ON b (c)", "DROP INDEX a", "DROP TRIGGER a",
            "ALTER TABLE a ADD COLUMN b", "ALTER TABLE a DROP COLUMN b", "ALTER TABLE a RENAME COLUMN b TO c",
        ])
    func keepsRows(sql: String) {
        #expect(StatementNames(sql, isCustom: false).keepsRows)
    }

    @Test(
        "Which statements may not keep all rows",
        arguments: [
            "DELETE FROM a", "INSERT INTO a VALUES (1)", "UPDATE a SET b = 1", "DROP TABLE a", "DROP VIEW a",
            "ALTER TABLE a RENAME TO b", "CREATE TRIGGER a AFTER UPDATE ON b BEGIN DELETE FROM c; END",
            "CREATE TEMP TRIGGER a AFTER UPDATE ON b BEGIN DELETE FROM c; END", "WITH a AS (SELECT 1) DELETE FROM b",
            "REPLACE INTO a VALUES (1)",
        ])
    func changesRows(sql: String) {
        #expect(!StatementNames(sql, isCustom: false).keepsRows)
    }

    @Test("What a planned statement says that it does is what its text does")
    func plannedStatements() {
        for seed in seeds(20) {
            var generator = SeededGenerator(seed: seed.number &+ 9_000_000)
            let model = RandomModel(seed: seed.number)
            let next = model.changed(&generator, limit: 6)
            let plan = MigrationPlan(from: ModelGraph(model.model), to: ModelGraph(next.model))
            for statement in plan.statements {
                let (said, read) = (StatementNames(statement), StatementNames(statement.sql, isCustom: false))
                #expect(said.created == read.created, "\(statement)")
                #expect(said.keepsRows == read.keepsRows, "\(statement)")
                #expect(said.checksSchema == read.checksSchema, "\(statement)")
            }
        }
    }
}
