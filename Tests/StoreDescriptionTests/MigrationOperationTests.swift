import StoreDescription
import Testing

/// The SQL of a migration's operations, printed from values.
@Suite struct MigrationOperationTests {
    @Test(arguments: [
        (MigrationOperation.createTable("T", definition: "CREATE TABLE T (a)"), "CREATE TABLE T (a)"),
        (.createReplacement(of: "T", definition: "CREATE TABLE \"T$$new\" (a)"), "CREATE TABLE \"T$$new\" (a)"),
        (.replaceTable("T\"x"), "ALTER TABLE \"T\"\"x$$new\" RENAME TO \"T\"\"x\""),
        (.dropTable("T"), "DROP TABLE \"T\""), (.renameTable("T", to: "U"), "ALTER TABLE \"T\" RENAME TO \"U\""),
        (.addColumn(definition: "\"c\" TEXT", to: "T"), "ALTER TABLE \"T\" ADD COLUMN \"c\" TEXT"),
        (.dropColumn("c", of: "T"), "ALTER TABLE \"T\" DROP COLUMN \"c\""),
        (.renameColumn("c", of: "T", to: "d"), "ALTER TABLE \"T\" RENAME COLUMN \"c\" TO \"d\""),
        (.dropIndex("i"), "DROP INDEX \"i\""), (.dropTrigger("t"), "DROP TRIGGER \"t\""),
        (.dropVirtualTable("v"), "DROP TABLE \"v\""),
        (.deleteRows(of: "T", condition: "a = 1"), "DELETE FROM \"T\"\nWHERE a = 1"),
        (
            .copyRows(RowCopy(into: "T$$new", columns: ["a", "b"], values: ["\"a\"", "1"], from: "T", where: nil)),
            "INSERT INTO \"T$$new\" (\"a\", \"b\")\nSELECT \"a\", 1\nFROM \"T\""
        ),
        (
            .copyRows(RowCopy(into: "U", columns: ["a"], values: ["\"a\""], from: "T", where: "b")),
            "INSERT INTO \"U\" (\"a\")\nSELECT \"a\"\nFROM \"T\"\nWHERE b"
        ),
        (
            .updateRows(RowUpdate(of: "T", columns: ["a", "b"], values: ["1", "2"], where: "c")),
            "UPDATE \"T\"\nSET \"a\" = 1,\n    \"b\" = 2\nWHERE c"
        ),
        (.query(reading: ["T"], statement: "SELECT 1 FROM T"), "SELECT 1 FROM T"), (.other("VALUES (1)"), "VALUES (1)"),
    ])
    func statements(_ operation: MigrationOperation, _ sql: String) { #expect(operation.sql == sql) }

    @Test func whatNeedNotBeThere() {
        #expect(MigrationOperation.dropIndex("i").tolerant.sql == "DROP INDEX IF EXISTS \"i\"")
        #expect(MigrationOperation.dropTrigger("t").tolerant.sql == "DROP TRIGGER IF EXISTS \"t\"")
        #expect(MigrationOperation.dropVirtualTable("v").tolerant.sql == "DROP TABLE IF EXISTS \"v\"")
        // A table holds rows, so its removal must not be tolerant.
        #expect(MigrationOperation.dropTable("T").tolerant == .dropTable("T"))
    }

    @Test func names() {
        #expect(MigrationOperation.replacedTable(by: MigrationOperation.replacementName(of: "T")) == "T")
        #expect(MigrationOperation.replacedTable(by: "T") == nil)
        #expect(MigrationOperation.replaceTable("T").isReplacement)
        #expect(!MigrationOperation.renameTable("U", to: "T").isReplacement)
    }

    @Test func whereValuesComeFrom() {
        let copy = RowCopy(
            into: "T", columns: ["a", "b", "c", "d"], values: ["\"a\"", "\"x\"\"y\"", "\"a\" || \"b\"", "1"], from: "U",
            where: nil)
        #expect(copy.sources.map(\.column) == ["a", "b", "c", "d"])
        #expect(copy.sources.map(\.source) == ["a", "x\"y", nil, nil])
    }

    @Test func rowsThatQueriesTell() {
        let query = MigrationOperation.query(reading: ["T"], statement: "SELECT a FROM T")
        #expect(query.reading([]) == query)
        #expect(
            query.reading(["T AS (SELECT 1 AS a)"])
                == .query(reading: ["T"], statement: "WITH T AS (SELECT 1 AS a)\nSELECT a FROM T"))
    }
}
