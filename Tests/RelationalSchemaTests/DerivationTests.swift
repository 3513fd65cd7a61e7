import DataModel
import Foundation
import RelationalSchema
import Testing

@Suite("Derived attributes")
struct DerivationTests {
    private func derived(_ name: String, _ type: AttributeType, _ expression: String) -> Attribute {
        Attribute(name: name, type: type, isOptional: true, derivationExpression: expression)
    }

    /// The SQL of a count, a copy in the row and a copy from elsewhere, for review.
    @Test func golden() {
        let schema = makeSchema(
            Entity(
                name: "Author",
                attributes: [
                    Attribute(name: "name", type: .string), derived("alias", .string, "name"),
                    derived("booksCount", .integer64, "books.@count"),
                ],
                relationships: [toMany("books", "Book", inverse: "author")]),
            Entity(
                name: "Book", attributes: [derived("authorName", .string, "author.name")],
                relationships: [toOne("author", "Author", inverse: "books")]))
        let text = schema.statements.dropFirst().joined(separator: ";\n\n") + ";\n"
        #expect(text == goldenOfDerivedAttributes)
    }

    @Test func aCopyInTheRowIsAGeneratedColumnAndOthersAreNot() {
        let schema = makeSchema(
            Entity(name: "Root", attributes: [Attribute(name: "name", type: .string, isOptional: true)]),
            Entity(
                name: "Child", parentName: "Root",
                attributes: [
                    derived("copy", .string, "name"), derived("copyOfCopy", .string, "copy"),
                    derived("key", .string, "canonical:(copyOfCopy)"),
                    Attribute(name: "must", type: .string, defaultValueString: "it's", derivationExpression: "name"),
                ]))
        let child = "CASE WHEN \"entity$\" IN ('Child') THEN"
        #expect(schema.column("Root", "copy")?.generation == "\(child) \"name\" END")
        #expect(schema.column("Root", "copyOfCopy")?.generation == "\(child) \"copy\" END")
        #expect(schema.column("Root", "must")?.generation == "\(child) coalesce(\"name\", 'it''s') END")
        #expect(schema.column("Root", "key")?.generation == nil)
        #expect(schema.derivedColumns.first { $0.columnName == "copy" }?.triggers == [])
        #expect(schema.letterTables.map(\.name) == ["ashlar$canonical"])
        // A generated column is never set: the trigger watches its source.
        let update = schema.derivedColumns.first { $0.columnName == "key" }?.triggers.first {
            $0.name.hasSuffix("$update")
        }
        #expect(update?.definition.contains("OLD.\"name\" IS NOT NEW.\"name\"") == true)
    }

    @Test func whatIsDerivedFromOthersComesAfterThem() {
        let schema = makeSchema(
            Entity(
                name: "A", attributes: [derived("a", .string, "next.b"), derived("b", .string, "canonical:(a)")],
                relationships: [toOne("next", "A")]))
        #expect(schema.derivedColumns.map(\.columnName) == [])
        let others = makeSchema(
            Entity(
                name: "A",
                attributes: [
                    derived("a", .string, "next.b"), derived("b", .string, "uppercase:(next.c)"),
                    derived("c", .string, "lowercase:(d)"), Attribute(name: "d", type: .string),
                ],
                relationships: [toOne("next", "A")]))
        #expect(others.derivedColumns.map(\.columnName) == ["c", "b", "a"])
        #expect(others.letterTables.map(\.name) == ["ashlar$uppercase", "ashlar$lowercase"])
    }

    /// SQLite folds every letter that has a case or a mark as Swift does.
    @Test func lettersAreFoldedAsSwiftFoldsThem() throws {
        let schema = makeSchema(
            Entity(
                name: "E",
                attributes: [
                    Attribute(name: "name", type: .string), derived("upper", .string, "uppercase:(name)"),
                    derived("lower", .string, "lowercase:(name)"), derived("key", .string, "canonical:(name)"),
                ]))
        let database = try makeDatabase(schema)
        var scalars = (0x20...0x2FFF).compactMap { Unicode.Scalar($0 as Int) }
        scalars += (0xA640...0xFFFD).compactMap { Unicode.Scalar($0 as Int) }.filter { $0.value % 7 == 0 }
        scalars += (0x10400...0x1E95F).compactMap { Unicode.Scalar($0 as Int) }.filter { $0.value % 11 == 0 }
        scalars = scalars.filter { scalar in scalar.properties.age.map { $0.major <= 15 } ?? false }
        for start in stride(from: 0, to: scalars.count, by: 100) {
            let text = String(String.UnicodeScalarView(scalars[start..<min(start + 100, scalars.count)]))
            try database.run("DELETE FROM \"E\"", "INSERT INTO \"E\" (\"name\") VALUES (\(SQLText.literal(text)))")
            let row = try database.run("SELECT \"upper\", \"lower\", \"key\" FROM \"E\"")[0]
            #expect(row[0]?.unicodeScalars.elementsEqual(text.uppercased().unicodeScalars) == true, "\(text)")
            #expect(row[1]?.unicodeScalars.elementsEqual(text.lowercased().unicodeScalars) == true, "\(text)")
        }
        // The sizes of the tables are pinned, so that no compiler changes their bytes unnoticed.
        let counts = Derivation.Folding.allCases.map { LetterTable(folding: $0).filling.utf8.count }
        #expect(counts == [39_182, 18_074, 16_797])
    }

    @Test func aCountAndASumSurviveAnUpsertAndAConflictClause() throws {
        let schema = makeSchema(
            Entity(
                name: "Author",
                attributes: [
                    derived("count", .integer64, "books.@count"), derived("sum", .integer64, "books.pages.@sum"),
                ],
                relationships: [toMany("books", "Book", inverse: "author")]),
            Entity(
                name: "Book", attributes: [Attribute(name: "pages", type: .integer32, isOptional: true)],
                relationships: [toOne("author", "Author", inverse: "books")],
                uniquenessConstraints: [UniquenessConstraint(["pages"])]))
        let database = try makeDatabase(schema)
        func totals() throws -> [String] {
            try database.run("SELECT \"count\", \"sum\" FROM \"Author\"").map { "\($0[0] ?? "-") \($0[1] ?? "-")" }
        }
        try database.run("INSERT INTO \"Author\" (\"id$\", \"count\", \"sum\") VALUES (1, 7, 7), (2, NULL, NULL)")
        #expect(try totals() == ["0 0", "0 0"])
        try database.run("INSERT INTO \"Book\" (\"pages\", \"author\") VALUES (10, 1), (20, 1), (NULL, 2), (30, NULL)")
        #expect(try totals() == ["2 30", "1 0"])
        try database.run(
            """
            INSERT INTO "Book" ("pages", "author") VALUES (20, 2), (40, 2)
            ON CONFLICT ("pages") DO UPDATE SET "author" = excluded."author", "pages" = excluded."pages" + 1
            """)
        #expect(try totals() == ["1 10", "3 61"])
        try database.run("INSERT OR IGNORE INTO \"Book\" (\"pages\", \"author\") VALUES (10, 2), (50, 1)")
        #expect(try totals() == ["2 60", "3 61"])
        try database.run("UPDATE OR IGNORE \"Book\" SET \"pages\" = 50, \"author\" = 2 WHERE \"pages\" = 10")
        #expect(try totals() == ["2 60", "3 61"])
        try database.run("PRAGMA recursive_triggers = ON")
        // Ashlar never runs this statement; another program may.
        try database.run("INSERT OR REPLACE INTO \"Book\" (\"pages\", \"author\") VALUES (50, 2)")
        #expect(try totals() == ["1 10", "4 111"])
        try database.run("DELETE FROM \"Author\" WHERE \"id$\" = 1", "DELETE FROM \"Book\"")
        #expect(try totals() == ["0 0"])
    }
}
