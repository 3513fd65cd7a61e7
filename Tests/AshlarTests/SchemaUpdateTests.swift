import AshlarSQLite
import Foundation
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// A store whose indexes, foreign keys or defaults are not those of the model, though its version is.
@Suite struct SchemaUpdateTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var url: URL { folder.file() }
    private let current = TortureModel.modelDescription

    private func catalogue() throws -> SchemaCatalogue { try SchemaCatalogue(ForeignDatabase.connect(url)) }

    @Test(arguments: seeds(20))
    func anyVariant(_ seed: Seed) throws {
        try SchemaVariant(seed: seed.number).makeStore(at: url, rows: 30)
        try ForeignDatabase.make(
            at: url, "CREATE INDEX mine ON Label (name DESC)", "CREATE VIEW names AS SELECT name FROM Label",
            "CREATE TABLE notes (label INTEGER REFERENCES Label (id$), text)",
            "INSERT INTO notes VALUES (1, 'kept')", "ALTER TABLE Label ADD COLUMN remark TEXT DEFAULT ('none')",
            "CREATE TRIGGER noting AFTER DELETE ON Label BEGIN DELETE FROM notes WHERE label = OLD.id$; END")
        let before = try Snapshot(of: url)
        do {
            let container = try ModelContainer(for: TortureModel.self, at: url)
            try container.expectSound()
            let metadata = try container.metadata()
            #expect(metadata.schemaHash == current.currentVersion?.schemaHash)
        }
        #expect(try Snapshot(of: url) == before, "seed \(seed)")
        var found = try catalogue()
        for name in ["mine", "noting"] { #expect(found.objects.removeValue(forKey: name) != nil, "seed \(seed)") }
        #expect(found.tables.removeValue(forKey: "notes") != nil)
        #expect(found.tables["Label"]?.columns.removeValue(forKey: "remark")?.defaultValue == "'none'")
        #expect(try found == SchemaCatalogue(of: current.schema), "seed \(seed)")
        let context = ModelContext(try ModelContainer(for: TortureModel.self, at: url))
        let label = Label(name: "after")
        context.insert(label)
        try context.save()
        // The rowid of the row that was deleted is not used again.
        #expect(label.persistentModelID.rowID == 31)
        #expect(try context.container.text("SELECT name FROM names WHERE name = 'after'") == "after")
    }

    @Test func anRTreeIsFilled() throws {
        let tree = "SELECT group_concat(id$ || latitude$min || longitude$max) FROM \"rtree$Sample$byPlace\""
        func addSamples(_ container: ModelContainer) throws {
            let context = ModelContext(container)
            for index in 0..<50 {
                let sample = Sample(count: 0)
                sample.latitude = Double(index)
                sample.longitude = Double(-index)
                context.insert(sample)
            }
            try context.save()
        }
        let expected = try memoryContainer()
        try addSamples(expected)
        for change in [
            "DROP TABLE \"rtree$Sample$byPlace\"", "DELETE FROM \"rtree$Sample$byPlace\" WHERE id$ > 9",
        ] {
            let url = folder.file("\(change.prefix(4)).store")
            try addSamples(try ModelContainer(for: TortureModel.self, at: url))
            let triggers = try catalogue(url).objects.filter { $0.key.hasPrefix("rtree$Sample$byPlace$") }
            #expect(triggers.count == 7)
            for name in triggers.keys where change.hasPrefix("DROP") || name.hasSuffix("move") {
                try ForeignDatabase.make(at: url, "DROP TRIGGER \"\(name)\"")
            }
            try ForeignDatabase.make(at: url, change)
            let container = try ModelContainer(for: TortureModel.self, at: url)
            #expect(try container.text(tree) == expected.text(tree))
        }
    }

    private func catalogue(_ url: URL) throws -> SchemaCatalogue {
        try SchemaCatalogue(ForeignDatabase.connect(url))
    }

    /// Both hashes are right, but SQLite's own count reveals the change by another program.
    @Test func anIndexThatWasDroppedByHand() throws {
        _ = try ModelContainer(for: TortureModel.self, at: url)
        let index = try #require(try catalogue().objects.first { $0.value.kind == .index }?.key)
        try ForeignDatabase.make(at: url, "DROP INDEX \(index.quotedIdentifier)")
        _ = try ModelContainer(for: TortureModel.self, at: url)
        #expect(try catalogue() == SchemaCatalogue(of: current.schema))
    }

    @Test func nothingIsComparedWhereNothingChanged() throws {
        let counts = try (0..<3).map { _ in
            let container = try ModelContainer(for: TortureModel.self, at: url)
            return (try container.metadata().schemaVersion, try container.integer("PRAGMA schema_version"))
        }
        #expect(counts.allSatisfy { $0.0 == $0.1 && $0.0 == counts[0].0 })
        let container = try ModelContainer(for: TortureModel.self, at: url)
        try container.vacuum()
        #expect(try container.metadata().schemaVersion == container.integer("PRAGMA schema_version"))
    }

    @Test func aStoreThatWasAlteredByHand() throws {
        _ = try ModelContainer(for: TortureModel.self, at: url)
        try ForeignDatabase.make(
            at: url, "ALTER TABLE Label RENAME COLUMN name TO title", "DROP TABLE Sample", "DROP TABLE Account",
            "CREATE TABLE Account (id$ INTEGER PRIMARY KEY AUTOINCREMENT, balance REAL NOT NULL) STRICT")
        let before = try Data(contentsOf: url)
        for allowsSave in [true, false] {
            #expect {
                _ = try ModelContainer(
                    for: TortureModel.self, configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
            } throws: { error in
                guard case StoreError.alteredSchema(url, let differences) = error else { return false }
                return differences.contains("The table Sample is missing.")
                    && differences.contains("The column Label.name is missing.")
                    && differences.contains("The column Account.balance is REAL, not TEXT.")
            }
        }
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func rowsThatAreNotUnique() throws {
        let container = try ModelContainer(for: TortureModel.self, at: url)
        let name = try #require(
            try catalogue().objects.first { $0.value.sql.contains("UNIQUE INDEX \"unique$Account$email") }?.key)
        try container.execute("DROP INDEX \(name.quotedIdentifier)")
        for number in 0..<2 {
            try container.execute("INSERT INTO Account (email, number) VALUES ('same', \(number))")
        }
        let before = try Snapshot(of: url)
        #expect {
            _ = try ModelContainer(for: TortureModel.self, at: url)
        } throws: {
            if case StoreError.schemaUpdateRefused(url, name, _) = $0 { true } else { false }
        }
        #expect(try Snapshot(of: url) == before)
    }

    /// A migration was planned for a schema that the store need not have.
    @Test("row 45: a migration of a variant") func aMigrationOfAVariant() throws {
        try SchemaVariant(seed: 5).makeStore(at: url, rows: 5)
        var next = try #require(current.currentVersion)
        let old = next
        next.name = "next"
        next.versionHash = "next"
        next.schemaHash = "next"
        let indexes = try SchemaCatalogue(of: current.schema).objects.filter { $0.value.kind == .index }
        next.migration =
            indexes.keys.sorted().map { .dropIndex($0) }
            + indexes.sorted { $0.key < $1.key }.map { .createIndex($0, on: $1.table, $1.sql) }
        let model = ModelDescription(
            name: current.name, entities: current.entities, versions: [old, next], schema: current.schema)
        _ = try StoreOpener(model: model, configuration: ModelConfiguration(url: url)).open()
        #expect(try catalogue() == SchemaCatalogue(of: current.schema))
        #expect(try ModelContainer.metadata(ofStoreAt: url).versionName == "next")
    }
}
