import DataModel
import RelationalSchema
import SchemaMigration
import TestDatabase
import Testing

@Suite("Derived attributes come, go and change")
struct DerivationTests {
    private static func derived(_ name: String, _ type: AttributeType, _ expression: String) -> Attribute {
        Attribute(name: name, type: type, isOptional: true, derivationExpression: expression)
    }

    private func library(author: [Attribute] = [], book: [Attribute] = []) -> [Entity] {
        [
            Entity(
                name: "Author", attributes: [optional("name")] + author,
                relationships: [toMany("books", "Book", inverse: "author")]),
            Entity(
                name: "Book", attributes: [optional("title"), optional("pages", .integer32)] + book,
                relationships: [toOne("author", "Author", inverse: "books")]),
        ]
    }

    private let rows = [
        "INSERT INTO \"Author\" (\"id$\", \"name\") VALUES (1, 'Éva'), (2, 'Bo')",
        "INSERT INTO \"Book\" (\"title\", \"pages\", \"author\") VALUES ('One', 10, 1), ('Two', 20, 1), ('Three', 30, NULL)",
    ]

    private func migrate(_ old: [Entity], _ new: [Entity]) throws -> Database {
        let upgrade = try Upgrade(old, new, rows: rows)
        expectSound(upgrade)
        return upgrade.database
    }

    @Test func aNewOneHasItsValuesAndKeepsThem() throws {
        let new = library(
            author: [
                Self.derived("count", .integer64, "books.@count"), Self.derived("sum", .integer64, "books.pages.@sum"),
                Self.derived("key", .string, "canonical:(name)"), Self.derived("alias", .string, "name"),
            ], book: [Self.derived("by", .string, "author.key")])
        let database = try migrate(library(), new)
        let query = "SELECT \"count\", \"sum\", \"key\", \"alias\" FROM \"Author\" ORDER BY \"id$\""
        #expect(try database.lines(query) == ["2|30|eva|Éva", "0|0|bo|Bo"])
        #expect(try database.lines("SELECT \"by\" FROM \"Book\" ORDER BY \"id$\"") == ["eva", "eva", "-"])
        try database.run(
            "UPDATE \"Book\" SET \"author\" = 2", "UPDATE \"Author\" SET \"name\" = 'ÖRE' WHERE \"id$\" = 2")
        #expect(try database.lines(query) == ["0|0|eva|Éva", "3|60|ore|ÖRE"])
        #expect(try database.lines("SELECT DISTINCT \"by\" FROM \"Book\"") == ["ore"])
        #expect(makePlan(library(), new).steps.count == 5)
    }

    @Test func oneThatGoesTakesItsTriggersAndTablesAlong() throws {
        let old = library(author: [
            Self.derived("count", .integer64, "books.@count"), Self.derived("key", .string, "canonical:(name)"),
            Self.derived("alias", .string, "name"),
        ])
        let database = try migrate(old, library())
        #expect(try database.lines("SELECT \"name\" FROM \"sqlite_schema\" WHERE \"type\" = 'trigger'") == [])
        #expect(try database.lines("SELECT \"name\" FROM \"sqlite_schema\" WHERE \"name\" LIKE 'ashlar$c%'") == [])
        #expect(try database.lines("SELECT \"name\" FROM \"Author\"") == ["Éva", "Bo"])
    }

    @Test func anotherExpressionGivesOtherValuesAndTouchesNoTable() throws {
        let old = library(author: [Self.derived("value", .integer64, "books.@count")])
        let new = library(author: [Self.derived("value", .integer64, "books.pages.@sum")])
        let database = try migrate(old, new)
        #expect(try database.lines("SELECT \"value\" FROM \"Author\"") == ["30", "0"])
        let plan = makePlan(old, new)
        #expect(
            plan.steps == [
                .changeDerivation(PropertyName("Author", "value"), from: "books.@count", to: "books.pages.@sum")
            ])
        #expect(!plan.statements.contains { $0.sql.hasPrefix("CREATE TABLE") || $0.sql.hasPrefix("ALTER TABLE") })
    }

    @Test func anOrdinaryAttributeBecomesDerivedAndTheReverse() throws {
        let plain = library(book: [optional("by")])
        for expression in ["author.name", "title"] {
            let derived = library(book: [Self.derived("by", .string, expression)])
            let query = "SELECT \"by\" FROM \"Book\" ORDER BY \"id$\""
            let expected = expression == "title" ? ["One", "Two", "Three"] : ["Éva", "Éva", "-"]
            #expect(try migrate(plain, derived).lines(query) == expected)
            // The last derived values stay, and from now on the program sets them.
            let database = try migrate(derived, plain)
            #expect(try database.lines(query) == expected)
            try database.run("UPDATE \"Book\" SET \"by\" = 'me'", "UPDATE \"Author\" SET \"name\" = 'you'")
            #expect(try database.lines("SELECT DISTINCT \"by\" FROM \"Book\"") == ["me"])
        }
    }

    @Test func renamesRebuildsAndMovedLinksKeepTheValues() throws {
        let old = library(
            author: [Self.derived("count", .integer64, "books.@count")],
            book: [Self.derived("by", .string, "author.name"), Self.derived("copy", .string, "title")])
        let new = [
            Entity(
                name: "Writer",
                attributes: [
                    required("fullName", was: "name", default: "nobody"),
                    Self.derived("count", .integer64, "works.@count"),
                ],
                relationships: [toMany("works", "Book", inverse: "writer", ordered: true, was: "books")],
                renamingIdentifier: "Author"),
            Entity(
                name: "Book",
                attributes: [
                    optional("name", was: "title"), Self.derived("by", .string, "writer.fullName"),
                    Self.derived("copy", .string, "name"),
                ],
                relationships: [toOne("writer", "Writer", inverse: "works", was: "author")]),
        ]
        let database = try migrate(old, new)
        #expect(try database.lines("SELECT \"fullName\", \"count\" FROM \"Writer\"") == ["Éva|2", "Bo|0"])
        #expect(try database.lines("SELECT \"by\", \"copy\" FROM \"Book\"") == ["Éva|One", "Éva|Two", "-|Three"])
    }

    /// Rows that are removed with their entity are not counted any more.
    @Test func removedObjectsAreCountedNoMore() throws {
        let author = Entity(
            name: "Author", attributes: [Self.derived("count", .integer64, "books.@count")],
            relationships: [toMany("books", "Book", inverse: "author")])
        let book = Entity(
            name: "Book", attributes: [optional("title")], relationships: [toOne("author", "Author", inverse: "books")])
        let comic = Entity(name: "Comic", parentName: "Book")
        let upgrade = try Upgrade(
            [author, book, comic], [author, book],
            rows: [
                "INSERT INTO \"Author\" (\"id$\") VALUES (1)",
                "INSERT INTO \"Book\" (\"entity$\", \"author\") VALUES (NULL, 1), ('Comic', 1), ('Comic', 1)",
            ])
        #expect(try upgrade.database.lines("SELECT \"count\" FROM \"Author\"") == ["3"])
        expectSound(upgrade)
        #expect(try upgrade.database.lines("SELECT \"count\" FROM \"Author\"") == ["1"])
    }

    @Test func theTimeOfTheLastChangeIsKept() throws {
        let old = library(book: [Self.derived("changed", .date, "now()")])
        let new = library(book: [Self.derived("changed", .date, "now()"), required("more", .integer16, default: "1")])
        let upgrade = try Upgrade(old, new, rows: rows + ["UPDATE \"Book\" SET \"changed\" = \"id$\""])
        expectSound(upgrade)
        #expect(try upgrade.database.lines("SELECT \"changed\" FROM \"Book\"") == ["1.0", "2.0", "3.0"])
        // A new attribute has the time of the migration.
        let added = try migrate(library(), old)
        #expect(try added.lines("SELECT count(*) FROM \"Book\" WHERE \"changed\" > 0") == ["3"])
    }

    @Test func equalVersionsNeedNothingAndAnIndexLeavesTriggersAlone() {
        let old = library(author: [Self.derived("count", .integer64, "books.@count")])
        #expect(makePlan(old, old).statements.isEmpty)
        var new = old
        new[1].indexes = [FetchIndex(name: "i", elements: [.init(propertyName: "title")])]
        #expect(statements(old, to: new) == ["CREATE INDEX \"index$Book$i\"\n    ON \"Book\" (\"title\")"])
    }

    // MARK: Tables that nothing is derived from

    /// The library with derived attributes over both entities, and a shelf without any connection to them.
    private func libraryWithShelves(_ shelf: [Attribute], book: [Attribute] = [], author: [Attribute] = []) -> [Entity]
    {
        library(
            author: [
                Self.derived("count", .integer64, "books.@count"), Self.derived("key", .string, "canonical:(name)"),
            ] + author, book: [Self.derived("by", .string, "author.key")] + book)
            + [Entity(name: "Shelf", attributes: shelf)]
    }

    @Test func aNewColumnIsAddedAndNothingElseIsTouched() throws {
        let old = libraryWithShelves([optional("place")])
        let kind = required("kind", .integer16, default: "1")
        #expect(
            statements(old, to: libraryWithShelves([optional("place"), kind])) == [
                "ALTER TABLE \"Shelf\" ADD COLUMN \"kind\" INTEGER NOT NULL DEFAULT 1"
            ])
        let new = libraryWithShelves([optional("place")], book: [kind], author: [optional("born", .date)])
        #expect(
            statements(old, to: new).sorted() == [
                "ALTER TABLE \"Author\" ADD COLUMN \"born\" REAL",
                "ALTER TABLE \"Book\" ADD COLUMN \"kind\" INTEGER NOT NULL DEFAULT 1",
            ])
        let database = try migrate(old, new)
        try database.run(
            "UPDATE \"Author\" SET \"name\" = 'ÖRE' WHERE \"id$\" = 1", "DELETE FROM \"Book\" WHERE \"pages\" = 20")
        #expect(try database.lines("SELECT \"count\", \"key\" FROM \"Author\" ORDER BY \"id$\"") == ["1|ore", "0|bo"])
        #expect(try database.lines("SELECT \"by\" FROM \"Book\" ORDER BY \"id$\"") == ["ore", "-"])
    }

    @Test func aTableThatIsWrittenAnewConcernsOnlyWhatIsDerivedFromIt() throws {
        func triggers(_ old: [Entity], _ new: [Entity]) -> [String] {
            makePlan(old, new).statements.map(\.sql).filter { $0.contains("TRIGGER") || $0.contains("IS NOT (") }
        }
        let old = libraryWithShelves(
            [optional("place"), optional("a"), optional("b")], book: [optional("c"), optional("d")])
        let shelves = libraryWithShelves([optional("place")], book: [optional("c"), optional("d")])
        #expect(triggers(old, shelves) == [])
        _ = try migrate(old, shelves)
        // A rewritten book table affects the author's count and the book's copy, but not the author's key, which needs
        // no book.
        let books = triggers(shelves, libraryWithShelves([optional("place")]))
        #expect(
            books.contains { $0.contains("derived$Author$count") } && books.contains { $0.contains("derived$Book$by") })
        #expect(!books.contains { $0.contains("derived$Author$key") })
        let database = try migrate(shelves, libraryWithShelves([optional("place")]))
        #expect(try database.lines("SELECT \"count\" FROM \"Author\" ORDER BY \"id$\"") == ["2", "0"])
    }

    @Test func whatIsDerivedFromAnotherDerivedAttributeFollowsIt() throws {
        func entities(_ expression: String) -> [Entity] {
            library(
                author: [Self.derived("key", .string, expression)], book: [Self.derived("by", .string, "author.key")])
        }
        let database = try migrate(entities("canonical:(name)"), entities("uppercase:(name)"))
        #expect(try database.lines("SELECT \"by\" FROM \"Book\" ORDER BY \"id$\"") == ["ÉVA", "ÉVA", "-"])
        try database.run("UPDATE \"Author\" SET \"name\" = 'öre'")
        #expect(try database.lines("SELECT DISTINCT \"by\" FROM \"Book\" WHERE \"by\" IS NOT NULL") == ["ÖRE"])
    }

    // MARK: Indexes

    @Test func anIndexWithAnotherPredicateOrExpressionIsMadeAnew() throws {
        func books(_ predicate: String?, _ expression: String) -> [Entity] {
            var entities = library()
            entities[1].indexes = [
                FetchIndex(
                    name: "i", elements: [.init(propertyName: "title"), .init(expression: expression)],
                    partialIndexPredicate: predicate)
            ]
            return entities
        }
        let texts = ["pages > 1", "pages > 2", nil]
        for (old, new) in zip(texts, texts.dropFirst()) {
            let plan = makePlan(books(old, "pages * 2"), books(new, "pages * 2"))
            #expect(plan.steps == [.changeIndex(name: "index$Book$i")])
            #expect(plan.statements.count == 2)
            expectProven(plan)
        }
        let plan = makePlan(books(nil, "pages * 2"), books(nil, "pages * 3"))
        #expect(plan.statements.map { $0.sql.prefix(12) } == ["DROP INDEX \"", "CREATE INDEX"])
        expectProven(plan)
        #expect(makePlan(books("pages > 1", "pages * 2"), books("pages > 1", "pages * 2")).statements.isEmpty)
    }

    @Test func aRenamedColumnIsRenamedInPredicatesAndExpressions() throws {
        var old = library()
        old[1].indexes = [
            FetchIndex(name: "i", elements: [.init(expression: "pages * 2")], partialIndexPredicate: "pages > 1")
        ]
        var new = library()
        new[1].attributes[1] = optional("sheets", .integer32, was: "pages")
        new[1].indexes = [
            FetchIndex(name: "i", elements: [.init(expression: "sheets * 2")], partialIndexPredicate: "sheets > 1")
        ]
        let database = try migrate(old, new)
        #expect(
            try database.lines("SELECT count(*) FROM \"Book\" INDEXED BY \"index$Book$i\" WHERE \"sheets\" > 1") == [
                "3"
            ])
    }
}
