import DataModel
import RelationalSchema
import TestDatabase
import Testing

@Suite("Full-text indexes")
struct FullTextTests {
    private let table = "\"fulltext$Note$search\""

    private func schema(onSubEntity: Bool = false) -> Schema {
        let attributes = [
            Attribute(name: "title", type: .string, isOptional: true),
            Attribute(name: "rank", type: .string, isOptional: true),
            Attribute(name: "number", type: .integer64, isOptional: true),
        ]
        let author = Entity(
            name: "Author", attributes: [Attribute(name: "name", type: .string, isOptional: true)],
            relationships: [
                Relationship(
                    name: "notes", destinationName: onSubEntity ? "Thing" : "Note", inverseName: "author",
                    inverseEntityName: onSubEntity ? "Thing" : "Note", isToMany: true, deletionRule: .cascade)
            ])
        let copy = Attribute(name: "copy", type: .string, isOptional: true, derivationExpression: "title")
        let name = Attribute(name: "authorName", type: .string, isOptional: true, derivationExpression: "author.name")
        let relationship = Relationship(
            name: "author", destinationName: "Author", inverseName: "notes", inverseEntityName: "Author")
        var index = FetchIndex(
            name: "search", kind: .fullText,
            elements: ["title", "rank", "copy", "authorName"].map { .init(propertyName: $0) })
        index.fullText = FullTextOptions(tokenizer: .porter, prefixLengths: [2, 3])
        let note = Entity(
            name: onSubEntity ? "Thing" : "Note", attributes: attributes + [copy, name], relationships: [relationship],
            indexes: onSubEntity ? [] : [index], uniquenessConstraints: [UniquenessConstraint(["number"])])
        if !onSubEntity { return makeSchema(author, note) }
        return makeSchema(
            author, note, Entity(name: "Note", parentName: "Thing", indexes: [index]),
            Entity(name: "Letter", parentName: "Note"))
    }

    private func expectInStep(
        _ database: Database, _ schema: Schema, _ comment: Comment? = nil,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        try database.run("INSERT INTO \(table) (\(table)) VALUES ('integrity-check')")
        let index = try #require(schema.fullTextTables.first)
        let expected = try database.run("\(index.selection) WHERE \(index.coverage) ORDER BY 1")
        let names = index.virtualColumnNames.map { "\"\($0)\"" }.joined(separator: ", ")
        let found = try database.run("SELECT rowid, \(names) FROM \(table) ORDER BY 1")
        #expect(found == expected, comment, sourceLocation: sourceLocation)
    }

    private func found(_ database: Database, _ query: String) throws -> [String?] {
        try database.column("SELECT rowid FROM \(table) WHERE \(table) MATCH '\(query)' ORDER BY 1")
    }

    @Test("inserted, changed, deleted")
    func basics() throws {
        let schema = schema()
        let database = try makeDatabase(schema)
        try database.run(
            "INSERT INTO Author (name) VALUES ('Lu Xun')",
            "INSERT INTO Note (title, rank, author) VALUES ('Great walls', NULL, 1), (NULL, 'Café', NULL), (NULL, NULL, NULL)"
        )
        #expect(try found(database, "wall") == ["1"])
        #expect(try found(database, "cafe") == ["2"])
        #expect(try found(database, "xun") == ["1"])
        #expect(try found(database, "copy : gre*") == ["1"])
        try expectInStep(database, schema)
        try database.run("UPDATE Note SET title = 'Small' WHERE id$ = 1", "UPDATE Author SET name = 'Zhou'")
        #expect(try found(database, "great") == [])
        #expect(try found(database, "zhou small") == ["1"])
        try database.run("UPDATE Note SET rank = NULL WHERE id$ = 2", "UPDATE Note SET rank = 'x' WHERE id$ = 3")
        try expectInStep(database, schema)
        try database.run("DELETE FROM Note WHERE id$ = 3")
        try expectInStep(database, schema)
        try database.run("PRAGMA foreign_keys = ON", "DELETE FROM Author")
        #expect(try found(database, "small") == [])
        try expectInStep(database, schema)
    }

    @Test("Only texts that differ are put in anew")
    func otherColumns() throws {
        let database = try makeDatabase(schema())
        try database.run("INSERT INTO Note (title) VALUES ('a')")
        let before = try database.column("SELECT count(*) FROM \"fulltext$Note$search_data\"")
        try database.run("UPDATE Note SET number = 3", "UPDATE Note SET title = 'a'")
        #expect(try database.column("SELECT count(*) FROM \"fulltext$Note$search_data\"") == before)
    }

    @Test(
        "Under every kind of write, with triggers that run again or do not", arguments: [false, true], [false, true])
    func writes(isRecursive: Bool, onSubEntity: Bool) throws {
        let schema = schema(onSubEntity: onSubEntity)
        let database = try makeDatabase(schema)
        let name = onSubEntity ? "Thing" : "Note"
        let entity = onSubEntity ? ", \"entity$\"" : ""
        func values(_ text: String, _ kind: String = "Note") -> String {
            "(\(text)\(onSubEntity ? ", \(kind == "NULL" ? kind : "'\(kind)'")" : ""))"
        }
        try database.run(
            "PRAGMA recursive_triggers = \(isRecursive)", "PRAGMA foreign_keys = ON",
            "INSERT INTO Author (name) VALUES ('one'), ('two')")
        let head = "INTO \(name) (id$, title, number, author\(entity)) VALUES"
        let writes = [
            "INSERT \(head) \(values("1, 'a', 1, 1")), \(values("2, 'b', 2, 2", "Letter")), \(values("3, 'c', 3, NULL", "NULL"))",
            "INSERT \(head) \(values("9, 'd', 1, 2")) ON CONFLICT (number) DO UPDATE SET title = 'upserted'",
            "INSERT \(head) \(values("9, 'd', 1, 2")) ON CONFLICT DO NOTHING",
            "INSERT OR IGNORE \(head) \(values("1, 'd', 7, 2"))",
            // Ashlar never runs this statement; another program may.
            "INSERT OR REPLACE \(head) \(values("2, 'replaced', 2, 1"))",
            "INSERT OR REPLACE \(head) \(values("3, 'replaced itself', 3, 1"))",
            "REPLACE \(head) \(values("4, 'e', 4, 1")), \(values("5, 'f', 5, NULL"))",
            "UPDATE \(name) SET id$ = id$ + 100", "UPDATE \(name) SET rowid = rowid - 50 WHERE id$ > 102",
            "UPDATE \(name) SET oid = 200, title = NULL WHERE number = 4",
            "UPDATE \(name) SET _rowid_ = 201, rank = 'r' WHERE number = 4",
            "UPDATE OR REPLACE \(name) SET id$ = 201, title = 'moved' WHERE number = 5",
            "UPDATE \(name) SET title = (SELECT name FROM Author WHERE id$ = author)",
            "UPDATE \(name) SET author = NULL WHERE number = 2", "UPDATE Author SET name = name || ' more'",
            onSubEntity ? "UPDATE \(name) SET entity$ = NULL WHERE number = 1" : "UPDATE \(name) SET rank = 'q'",
            onSubEntity ? "UPDATE \(name) SET entity$ = 'Letter'" : "UPDATE \(name) SET rank = title || rank",
            "UPDATE \(name) SET title = NULL, rank = NULL", "UPDATE \(name) SET title = 'z' || number",
            "DELETE FROM Author WHERE id$ = 1", "DELETE FROM \(name) WHERE number > 4", "DELETE FROM \(name)",
        ]
        for write in writes {
            try database.run(write)
            try expectInStep(database, schema, "\(write)")
        }
        #expect(try database.column("SELECT count(*) FROM \(table)") == ["0"])
    }

    @Test("What a replacement displaces under another number stays until it is asked for, and never comes back")
    func displaced() throws {
        let database = try makeDatabase(schema())
        try database.run(
            "INSERT INTO Note (id$, title, number) VALUES (1, 'old', 1)",
            "REPLACE INTO Note (id$, title, number) VALUES (2, 'new', 1)")
        #expect(try found(database, "new") == ["2"])
        let joined = "SELECT id$ FROM Note WHERE id$ IN (SELECT rowid FROM \(table) WHERE \(table) MATCH 'old')"
        #expect(try database.column(joined) == [])
        try database.run("INSERT INTO Note (id$, title) VALUES (1, 'again')")
        #expect(try database.column(joined) == [])
    }

    @Test("A program that does not trust the schema may write, or is refused before it changes anything")
    func distrust() throws {
        let schema = schema()
        let database = try makeDatabase(schema)
        try database.run("INSERT INTO Note (title) VALUES ('a')", "PRAGMA trusted_schema = OFF")
        for write in ["INSERT INTO Note (title) VALUES ('b')", "UPDATE Note SET title = 'c'", "DELETE FROM Note"] {
            // SQLite before 3.44 considers virtual tables unsafe.
            _ = try? database.run(write)
            try expectInStep(database, schema, "\(write)")
        }
    }

    @Test("Filled from what is there already")
    func backfill() throws {
        for onSubEntity in [false, true] {
            let schema = schema(onSubEntity: onSubEntity)
            let database = try makeDatabase(schema)
            let name = onSubEntity ? "Thing" : "Note"
            try database.run("INSERT INTO \(name) (title, rank) VALUES ('a', NULL), (NULL, NULL), ('c', 'd')")
            if onSubEntity { try database.run("UPDATE Thing SET entity$ = 'Letter' WHERE id$ > 1") }
            try database.run("DELETE FROM \(table)", try #require(schema.fullTextTables.first).contents.filling)
            try expectInStep(database, schema)
        }
    }

    @Test("The statements")
    func statements() throws {
        let index = try #require(schema(onSubEntity: true).fullTextTables.first)
        #expect(
            ([index.definition, index.contents.filling] + index.triggers.map(\.definition)).joined(separator: ";\n")
                == goldenFullText)
    }

    @Test("An index over what is not there is left out")
    func unknownColumns() {
        let index = FetchIndex(name: "i", kind: .fullText, elements: [.init(propertyName: "gone")])
        #expect(makeSchema(Entity(name: "E", indexes: [index])).fullTextTables.isEmpty)
    }
}
