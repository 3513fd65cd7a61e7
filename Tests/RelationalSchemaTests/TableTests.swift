import DataModel
import RelationalSchema
import TestDatabase
import Testing

@Suite("Tables and columns")
struct TableTests {
    @Test("Every root entity is a strict table; a rowid is never used twice")
    func rootTable() throws {
        let schema = makeSchema(Entity(name: "Post", attributes: [Attribute(name: "title", type: .string)]))
        let database = try makeDatabase(schema)
        let facts = try database.run("SELECT strict, wr FROM pragma_table_list('Post')")
        #expect(facts == [["1", "0"]])
        try database.run("INSERT INTO Post (title) VALUES ('a')", "DELETE FROM Post")
        try database.run("INSERT INTO Post (title) VALUES ('b')")
        let row = try database.run("SELECT \"id$\", \"version$\" FROM Post")
        #expect(row == [["2", "1"]])
    }

    @Test("Only a root with sub-entities tells entities apart")
    func discriminator() {
        let alone = makeSchema(Entity(name: "Post"))
        #expect(alone.columnNames("Post") == ["id$", "version$"])
        #expect(alone.storage(ofEntityNamed: "Post")?.hasDiscriminator == false)
        let both = makeSchema(Entity(name: "Post"), Entity(name: "Link", parentName: "Post"))
        #expect(both.columnNames("Post") == ["id$", "version$", "entity$"])
        #expect(both.column("Post", "entity$")?.isRequired == false)
        #expect(both.storage(ofEntityNamed: "Post")?.discriminator == nil)
        #expect(both.storage(ofEntityNamed: "Link")?.discriminator == "Link")
        #expect(both.storage(ofEntityNamed: "Link")?.tableName == "Post")
        #expect(both.tables.count == 2)
    }

    @Test("Columns are ordered by entity depth first, then attributes, to-one, order columns")
    func columnOrder() {
        let schema = makeSchema(
            Entity(
                name: "Node", attributes: [Attribute(name: "z", type: .string), Attribute(name: "b", type: .string)],
                relationships: [
                    toOne("a", "Node", inverse: "children"), toMany("children", "Node", inverse: "a", ordered: true),
                ]),
            Entity(name: "Y", parentName: "Node", attributes: [Attribute(name: "y", type: .string)]),
            Entity(name: "X", parentName: "Node", attributes: [Attribute(name: "x", type: .string)]),
            Entity(name: "W", parentName: "Y", attributes: [Attribute(name: "w", type: .string)]))
        #expect(
            schema.columnNames("Node") == ["id$", "version$", "entity$", "b", "z", "a", "a$order", "x", "y", "w"])
        let own = schema.storage(ofEntityNamed: "W")?.ownColumns.map(\.name)
        #expect(own == ["b", "z", "a", "a$order", "y", "w"])
        #expect(schema.storage(ofEntityNamed: "X")?.columns.map(\.entityName).last == "W")
    }

    @Test("Branches that declare one name have a column each, whatever its case")
    func clashes() {
        let schema = makeSchema(
            Entity(name: "Root", attributes: [Attribute(name: "same", type: .string)]),
            Entity(name: "A", parentName: "Root", attributes: [Attribute(name: "url", type: .uri)]),
            Entity(name: "B", parentName: "Root", attributes: [Attribute(name: "URL", type: .binary)]),
            Entity(name: "C", parentName: "Root", relationships: [toOne("Url", "A")]))
        #expect(schema.columnNames("Root").suffix(4) == ["same", "A$url", "B$URL", "C$Url"])
        #expect(schema.storage("C", "Url") == .column(name: "C$Url"))
        #expect(schema.index("reference$C$Url")?.elements.first?.columnName == "C$Url")
    }

    @Test("Names that only differ in case, which the checker refuses, still give a schema")
    func indistinct() throws {
        let attributes = [Attribute(name: "url", type: .uri), Attribute(name: "URL", type: .uri)]
        let schema = makeSchema(Entity(name: "A", attributes: attributes), Entity(name: "a"))
        #expect(schema.columnNames("A").suffix(2) == ["URL", "url$2"])
        _ = try makeDatabase(schema)
    }

    @Test(
        "Types",
        arguments: [
            (AttributeType.integer16, Column.DataType.integer), (.integer32, .integer), (.integer64, .integer),
            (.boolean, .integer), (.double, .real), (.float, .real), (.date, .real), (.string, .text), (.uri, .text),
            (.uuid, .blob), (.binary, .blob), (.transformable, .blob), (.decimal, .text),
        ])
    func types(type: AttributeType, expected: Column.DataType) {
        let column = makeSchema(Entity(name: "E", attributes: [Attribute(name: "a", type: type)])).column("E", "a")
        #expect(column?.type == expected)
        #expect(column?.collation == (type == .decimal ? "ashlar_decimal" : nil))
    }

    @Test("What is transient or not built has no column")
    func notStored() {
        let schema = makeSchema(
            Entity(
                name: "E",
                attributes: [
                    Attribute(name: "a", type: .string, isTransient: true), Attribute(name: "b", type: .undefined),
                    Attribute(name: "c", type: .composite), Attribute(name: "d", type: .objectID),
                ],
                relationships: [
                    Relationship(name: "r", destinationName: "E", isTransient: true),
                    Relationship(name: "s", destinationName: "E", isToMany: true, isTransient: true),
                ]))
        #expect(schema.columnNames("E") == ["id$", "version$"])
        #expect(schema.tables.count == 2)
        #expect(schema.storage("E", "r") == nil)
    }

    @Test("Decimal numbers sort as numbers")
    func decimals() throws {
        let database = try makeDatabase(
            makeSchema(Entity(name: "E", attributes: [Attribute(name: "d", type: .decimal)])))
        try database.run("INSERT INTO E (d) VALUES ('10'), ('9.5'), ('-3')")
        #expect(try database.column("SELECT d FROM E ORDER BY d") == ["-3", "9.5", "10"])
        #expect(try database.column("SELECT count(*) FROM E WHERE d = '10.0'") == ["1"])
    }

    @Test("Required attributes refuse NULL in the root only, as others' rows lack those of a sub-entity")
    func required() throws {
        let schema = makeSchema(
            Entity(name: "Root", attributes: [Attribute(name: "a", type: .string)]),
            Entity(name: "Sub", parentName: "Root", attributes: [Attribute(name: "b", type: .string)]))
        #expect(schema.column("Root", "a")?.isRequired == true)
        #expect(schema.column("Root", "b")?.isRequired == false)
        let database = try makeDatabase(schema)
        try database.run("INSERT INTO Root (a) VALUES ('x')")
        #expect(throws: Database.Failure.self) { try database.run("INSERT INTO Root (a) VALUES (NULL)") }
    }

    @Test("The metadata table comes first and holds any value")
    func metadata() throws {
        let schema = makeSchema(Entity(name: "ashlar", relationships: [toMany("metadata", "ashlar")]))
        #expect(schema.tables.map(\.name) == ["ashlar$metadata", "ashlar", "ashlar$metadata$2"])
        let database = try makeDatabase(schema)
        try database.run("INSERT INTO \"ashlar$metadata\" (\"key\", \"value\") VALUES ('a', 1), ('b', x'00')")
        let types = try database.column("SELECT typeof(\"value\") FROM \"ashlar$metadata\" ORDER BY \"key\"")
        #expect(types == ["integer", "blob"])
    }
}
