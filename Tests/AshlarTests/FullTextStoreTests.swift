import AshlarSQLite
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Full-text indexes of stores that other programs write, and of stores that were created without the indexes.
@Suite struct FullTextStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var url: URL { folder.file() }

    private func makeStore() throws {
        let context = ModelContext(try ModelContainer(for: LibraryModel.self, at: url))
        let writer = Scribe(name: "Lu Xun")
        context.insert(Tome(number: "1", title: "Great walls", writer: writer))
        context.insert(Novelette(number: "2", title: "Walking", plot: "a great plot"))
        context.insert(Tome(number: "3"))
        try context.save()
        writer.name = "Zhou Shuren"
        try context.save()
    }

    /// The objects that each index finds for words in the store.
    private func found() throws -> [String] {
        let container = try ModelContainer(for: LibraryModel.self, at: url)
        #expect(try container.integrityProblems().isEmpty)
        let context = ModelContext(container)
        var result: [String] = []
        for word in ["great", "walls", "zhou", "plot", "wal", "eat"] {
            result += try context.fetch(
                Tome.where { $0.search.matches(word) || $0.parts.matches(word) }.order { $0.number.ascending }
            ).map { "\(word) \($0.number ?? "")" }
            result += try context.fetch(Novelette.where { $0.plots.matches(word) }).map { "\(word) in \($0.title)" }
            result += try context.fetch(Scribe.where { $0.fullText.matches(word) }).map { "\(word) by \($0.name)" }
        }
        return result
    }

    @Test func indexesAreMadeAnewWhereTheyAreMissing() throws {
        try makeStore()
        let expected = try found()
        #expect(expected.contains("zhou 1") && expected.contains("great in Walking") && expected.contains("eat 1"))
        let names = try SchemaCatalogue(ForeignDatabase.connect(url)).objects.filter { $0.value.kind == .virtualTable }
            .map(\.key)
        #expect(
            names.sorted()
                == ["Novelette$plots", "Novelette$values", "Scribe$fullText", "Tome$parts", "Tome$search"].map {
                    "fulltext$\($0)"
                })
        let whole = try SchemaCatalogue(ForeignDatabase.connect(url))
        for name in names {
            let triggers = ["insert", "update", "delete", "renumber"].map { "DROP TRIGGER \"\(name)$\($0)\"" }
            for changes in [
                triggers + ["DROP TABLE \"\(name)\""], [triggers[1], "UPDATE Tome SET title = title || ' changed'"],
                [
                    triggers[0], "INSERT INTO Tome (title, number) VALUES ('great', 'new')",
                    "DELETE FROM Tome WHERE number = 'new'",
                ],
                ["DELETE FROM \"\(name)\"", triggers[3]],
            ] {
                let connection = try ForeignDatabase.connect(url)
                for change in changes { try connection.execute(change) }
                try connection.execute("UPDATE Tome SET title = replace(title, ' changed', '')")
                #expect(try found() == expected, "\(changes)")
                #expect(try SchemaCatalogue(ForeignDatabase.connect(url)) == whole)
            }
        }
    }

    /// Missing indexes are filled, whatever line breaks their triggers contain.
    @Test func triggersWithOtherLineBreaks() throws {
        try makeStore()
        let expected = try found()
        let current = LibraryModel.modelDescription
        let schema = current.schema.map { $0.hasPrefix("CREATE TRIGGER") ? $0.replacing("\n", with: "\t ") : $0 }
        #expect(schema != current.schema)
        let model = ModelDescription(
            name: current.name, entities: current.entities, versions: current.versions, schema: schema)
        let objects = try SchemaCatalogue(of: current.schema).objects
        let connection = try ForeignDatabase.connect(url)
        for name in objects.keys.sorted() where objects[name]?.kind == .trigger && name.hasPrefix("fulltext$") {
            try connection.execute("DROP TRIGGER \(name.quotedIdentifier)")
        }
        for name in objects.keys.sorted() where objects[name]?.kind == .virtualTable {
            try connection.execute("DROP TABLE \(name.quotedIdentifier)")
        }
        _ = try StoreOpener(model: model, configuration: ModelConfiguration(url: url)).open()
        #expect(try found() == expected)
    }

    /// FTS5 stores an index in five tables. Any of their rows may be damaged, or a table may be missing.
    @Test func aDamagedIndexIsMadeAnew() throws {
        try makeStore()
        let expected = try found()
        let name = "fulltext$Tome$search"
        for (damage, isSeen) in [
            ("UPDATE \"\(name)_data\" SET block = X'FFFFFFFFFFFFFFFFFF' WHERE id = 10", true),
            ("UPDATE \"\(name)_data\" SET block = X'01' WHERE id = 10", true),
            ("DELETE FROM \"\(name)_data\" WHERE id = 10", true),
            ("DELETE FROM \"\(name)_data\"", true),
            ("UPDATE \"\(name)_data\" SET block = X'7F7F' || substr(block, 3) WHERE id > 10", true),
            ("DELETE FROM \"\(name)_idx\"", false),
            ("DELETE FROM \"\(name)_content\" WHERE id = 1", true),
            ("DELETE FROM \"\(name)_docsize\"", false),
            ("UPDATE \"\(name)_config\" SET v = 99", false),
        ] {
            // Damaged before the store is opened, because FTS5 caches pages.
            try ForeignDatabase.make(at: url, damage)
            let container = try ModelContainer(for: LibraryModel.self, at: url)
            if isSeen { #expect(try container.integrityProblems().contains { $0.contains(name) }, "\(damage)") }
            try container.rebuildFullTextIndexes()
            #expect(try container.integrityProblems() == [], "\(damage)")
            #expect(try found() == expected, "\(damage)")
            let context = ModelContext(container)
            let tome = Tome(number: "new", title: "great")
            context.insert(tome)
            try context.save()
            #expect(try context.fetchCount(Tome.where { $0.search.matches("great") }) == 2)
            context.delete(tome)
            try context.save()
        }
        let whole = try SchemaCatalogue(ForeignDatabase.connect(url))
        try makeAnother()
        #expect(try whole == SchemaCatalogue(ForeignDatabase.connect(folder.file("other.store"))))
    }

    private func makeAnother() throws {
        _ = try ModelContainer(for: LibraryModel.self, at: folder.file("other.store"))
    }

    @Test func whatOtherProgramsWriteIsFound() throws {
        try makeStore()
        let connection = try ForeignDatabase.connect(url)
        for isRecursive in [false, true] {
            try connection.execute("PRAGMA recursive_triggers = \(isRecursive)")
            for statement in [
                "INSERT INTO Tome (title, number) VALUES ('great', '4') ON CONFLICT (number) DO UPDATE SET title = 'wal'",
                "INSERT INTO Tome (title, number) VALUES ('great', '4') ON CONFLICT (number) DO UPDATE SET title = 'wal'",
                // Ashlar never runs this statement, but another program may.
                "INSERT OR REPLACE INTO Tome (id$, title, number) VALUES (1, 'eat', '1')",
                "UPDATE Tome SET id$ = id$ + 1000 WHERE number = '4'",
                "UPDATE Tome SET writer = (SELECT max(id$) FROM Scribe) WHERE number = '3'",
                "UPDATE Tome SET entity$ = 'Novelette', plot = 'plot' WHERE number = '3'",
                "PRAGMA foreign_keys = ON", "DELETE FROM Scribe",
            ] {
                try connection.execute(statement)
                let container = try ModelContainer(for: LibraryModel.self, at: url)
                #expect(try container.integrityProblems().isEmpty, "\(statement)")
            }
        }
        #expect(try found().contains("wal 4"))
    }

    @Test func problemsAreTold() throws {
        try makeStore()
        let container = try ModelContainer(for: LibraryModel.self, at: url)
        #expect(try container.integrityProblems().isEmpty)
        try container.execute("UPDATE \"fulltext$Tome$search\" SET title = 'other' WHERE rowid = 1")
        #expect(
            try container.integrityProblems() == [
                "The full-text index fulltext$Tome$search and its table differ in row 1."
            ])
        try container.execute("DELETE FROM \"fulltext$Tome$search\" WHERE rowid = 1")
        #expect(try container.integrityProblems().count == 1)
        try container.execute("UPDATE Tome SET title = title || ' again'")
        #expect(try container.integrityProblems().isEmpty)
        // The index's copy of the texts is correct, but its terms are not.
        try container.pool.write { connection in
            try connection.setDefensive(false)
            try connection.execute("UPDATE \"fulltext$Tome$search_content\" SET c0 = 'other'")
            try connection.setDefensive(true)
        }
        try container.execute("UPDATE Tome SET text = NULL, writerName = NULL, title = 'other'")
        let problems = try container.integrityProblems()
        #expect(problems.contains { $0.contains("fulltext$Tome$search") }, "\(problems)")
    }

    @Test func aStoreThatIsOnlyReadIsSearched() throws {
        try makeStore()
        let configuration = ModelConfiguration(url: url, allowsSave: false)
        let container = try ModelContainer(for: LibraryModel.self, configurations: configuration)
        let context = ModelContext(container)
        let query = FullTextQuery("zhou great")
        let found = try context.fetch(
            Tome.where { $0.search.matches(query) }.order { $0.search.rank(of: query).ascending })
        #expect(found.map(\.number) == ["1"])
        #expect(try container.integrityProblems().isEmpty)
        context.insert(Tome(text: "Zhou", title: "great"))
        #expect(try context.fetchCount(Tome.where { $0.search.matches(query) }) == 2)
    }

    @Test func identifiersOfNewObjectsAreNotTheIndexes() throws {
        try makeStore()
        let context = ModelContext(try ModelContainer(for: LibraryModel.self, at: url))
        let tomes = (0..<50).map { Tome(number: "n\($0)", title: "number \($0)") }
        for tome in tomes { context.insert(tome) }
        try context.save()
        for (index, tome) in tomes.enumerated() {
            let again = try ModelContext(context.container).fetch(Tome.where { $0.number == "n\(index)" })
            #expect(again.map(\.persistentModelID) == [tome.persistentModelID])
        }
    }
}
