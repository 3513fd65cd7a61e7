import Testing

@testable import SchemaMigration

/// Catalogues of schemas that were made in different ways.
@Suite struct CatalogueTests {
    @Test("Dropping the columns after a generated one writes the table's end on its line")
    func generatedColumnsAtTheEnd() throws {
        let columns =
            #""id$" INTEGER, "b" INTEGER GENERATED ALWAYS AS (CASE WHEN "a" IN (')', '(') THEN 1 END) VIRTUAL"#
            .replacing(", \"b\"", with: ",\n    \"a\" TEXT,\n    \"b\"")
        let migrated = try ProofDatabase()
        _ = try migrated.run("CREATE TABLE \"Post\" (\n    \(columns),\n    \"c\" TEXT\n) STRICT")
        _ = try migrated.run("ALTER TABLE \"Post\" DROP COLUMN \"c\"")
        let new = try ProofDatabase()
        _ = try new.run("CREATE TABLE \"Post\" (\n    \(columns)\n) STRICT")
        let facts = try (Catalogue(migrated, ["Post"]).facts, Catalogue(new, ["Post"]).facts)
        #expect(facts.0 == facts.1 && facts.1.contains { $0.hasSuffix("THEN 1 END) VIRTUAL") })
    }
}
