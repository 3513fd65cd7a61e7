import AshlarSQLite
import Foundation
import RandomSeeds
import Testing

@testable import Ashlar

/// A store from elsewhere has exactly the schema of the model, or it is refused before a row is read.
@Suite struct UntrustedStoreTests {
    private let folder: TemporaryFolder
    private var url: URL { folder.file() }

    init() throws { folder = try TemporaryFolder() }

    private static let models: [any ManagedObjectModel.Type] = [
        TortureModel.self, PhotoFeedModel.self, NewsroomModel.self, AtlasModel.self, StudioModel.self,
        LibraryModel.self,
    ]

    private func open(
        _ model: any ManagedObjectModel.Type, historyTracking: Bool? = nil, isUntrusted: Bool = true,
        allowsSave: Bool = true
    ) throws -> ModelContainer {
        try ModelContainer(
            for: model,
            configurations: ModelConfiguration(
                url: url, allowsSave: allowsSave,
                options: StoreOptions(historyTracking: historyTracking, isUntrusted: isUntrusted)))
    }

    /// A store that Ashlar made is accepted, wherever it comes from.
    @Test(arguments: models.indices) func storesOfOurs(_ index: Int) throws {
        let model = Self.models[index]
        for historyTracking in [nil, true, nil, false] as [Bool?] {
            let container = try open(model, historyTracking: historyTracking)
            #expect(try container.integrityProblems().isEmpty)
        }
        #expect(try open(model, allowsSave: false).isReadOnly)
        // Updates of the schema and the tables of ANALYZE do not count as additions.
        try ForeignDatabase.make(at: url, "ANALYZE")
        _ = try open(model)
    }

    @Test func aStoreWithRows() throws {
        let context = ModelContext(try open(PhotoFeedModel.self, historyTracking: true))
        let author = Author(name: "Ada")
        context.insert(Post(timestamp: .now, title: "a", author: author))
        try context.save()
        try context.container.vacuum()
        let other = ModelContext(try open(PhotoFeedModel.self))
        #expect(try other.fetch(Post.all).first?.author?.name == "Ada")
        #expect(try other.container.fetchHistory().count == 1)
    }

    /// An older schema, from before changes of indexes and defaults, is updated first and compared then.
    @Test(arguments: seeds()) func anUpdate(seed: Seed) throws {
        try SchemaVariant(seed: seed.number).makeStore(at: url, rows: 5)
        _ = try open(TortureModel.self)
        _ = try open(TortureModel.self)
        #expect(try open(TortureModel.self).integrityProblems().isEmpty)
    }

    private static let endless = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n FROM n) SELECT n FROM n"

    /// Changes of a store in SQL. When a row is read or written, many of them would compute without end, or return
    /// values that the model does not allow.
    private static let changes: [[String]] = [
        ["CREATE TRIGGER mine AFTER INSERT ON Post BEGIN \(endless); END"],
        ["CREATE TRIGGER \"Post$mine\" AFTER UPDATE ON Post BEGIN \(endless); END"],
        ["CREATE TRIGGER \"ashlar$history$mine\" BEFORE INSERT ON Post BEGIN \(endless); END"],
        ["CREATE TRIGGER \"m$\" AFTER UPDATE ON \"ashlar$metadata\" BEGIN \(endless); END"],
        ["CREATE VIEW mine AS \(endless)"],
        ["ALTER TABLE Post RENAME TO Other", "CREATE VIEW Post AS \(endless)"],
        ["ALTER TABLE \"ashlar$metadata\" RENAME TO Other", "CREATE VIEW \"ashlar$metadata\" AS \(endless)"],
        ["ALTER TABLE \"ashlar$metadata\" ADD COLUMN mine TEXT AS (hex(zeroblob(200000000)))"],
        ["ALTER TABLE Post ADD COLUMN mine TEXT AS (hex(zeroblob(200000000)))"],
        ["ALTER TABLE Post ADD COLUMN mine TEXT"],
        ["ALTER TABLE Post ADD COLUMN \"mine$removed1\" TEXT CHECK (length(hex(zeroblob(200000000))) > 0)"],
        ["CREATE INDEX mine ON Post (hex(zeroblob(200000000)))"],
        ["CREATE INDEX \"mine$\" ON Post (hex(zeroblob(200000000)))"],
        ["CREATE TABLE mine (a)"],
        ["CREATE TABLE \"mine$removed1\" (\"a\" TEXT DEFAULT (hex(zeroblob(200000000))))"],
        ["CREATE VIRTUAL TABLE mine USING fts5(a)"],
        ["CREATE TABLE \"ashlar$mine\" (a, b AS (hex(zeroblob(200000000))))"],
        ["UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'Post'"],
        ["UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = 'Post'"],
        [
            """
            UPDATE sqlite_schema SET sql = replace(sql, '"title" TEXT', '"title" TEXT CHECK (length(hex(zeroblob(200000000))))')
            WHERE name = 'Post'
            """
        ],
        [
            """
            UPDATE sqlite_schema SET sql = replace(sql, '"title" TEXT NOT NULL', '"title" TEXT NOT NULL DEFAULT (hex(1))')
            WHERE name = 'Post'
            """
        ],
    ]

    /// Applies statements, and marks the schema as already compared, as any program can. Returns whether all of them
    /// ran.
    private func apply(_ statements: [String]) throws -> Bool {
        let program = try ForeignProgram(url, "writable_schema = ON", "foreign_keys = OFF", "legacy_alter_table = ON")
        for statement in statements {
            if let refusal = program.run(statement) {
                Issue.record("\(statement): \(refusal)")
                return false
            }
        }
        // Not after a change of the metadata table: this update would compute without end.
        if statements.contains(where: { $0.contains("\"ashlar$metadata\"") }) { return true }
        let other = try ForeignProgram(url)
        _ = other.run(
            """
            UPDATE "ashlar$metadata" SET value = (SELECT schema_version FROM pragma_schema_version)
            WHERE "key" = 'schemaVersion'
            """)
        return true
    }

    @Test(arguments: changes) func changesBySomebodyElse(_ statements: [String]) throws {
        for historyTracking in [false, true] {
            for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + name) }
            do {
                let container = try open(PhotoFeedModel.self, historyTracking: historyTracking)
                let context = ModelContext(container)
                context.insert(Post(timestamp: .now, title: "a"))
                try context.save()
                try container.checkpoint(.truncate)
            }
            guard try apply(statements) else { return }
            // If the history is on, its triggers are made anew before a row is written.
            if historyTracking, statements[0].contains("ashlar$history$") {
                let container = try open(PhotoFeedModel.self)
                #expect(try container.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%mine%'") == 0)
                continue
            }
            for allowsSave in [true, false] {
                #expect("\(statements)") {
                    _ = try open(PhotoFeedModel.self, allowsSave: allowsSave)
                } throws: { error in
                    guard case StoreError.untrustedSchema(url, let differences) = error else { return false }
                    return !differences.isEmpty && "\(error)".contains(differences[0])
                }
            }
        }
    }

    /// A store that is not opened as untrusted may have additions made by hand.
    @Test func whatIsAddedByHand() throws {
        _ = try open(PhotoFeedModel.self)
        try ForeignDatabase.make(at: url, "CREATE INDEX mine ON Post (title)")
        #expect(throws: StoreError.self) { try open(PhotoFeedModel.self) }
        _ = try open(PhotoFeedModel.self, isUntrusted: false)
        #expect(throws: StoreError.self) { try open(PhotoFeedModel.self) }
        try ForeignDatabase.make(at: url, "DROP INDEX mine")
        _ = try open(PhotoFeedModel.self)
    }

    /// Even without the option, nothing from the file runs while a store is only examined.
    @Test(arguments: ["ashlar$metadata", "ashlar$historyState", "ashlar$migrations"])
    func aViewInPlaceOfATableOfAshlars(_ table: String) throws {
        do {
            let container = try open(PhotoFeedModel.self, historyTracking: true, isUntrusted: false)
            try container.pool.write { connection in
                try MigrationLedger(connection: connection, program: "test").add(
                    .schemaUpdate, to: try #require(try StoreMetadata(connection)), detail: "")
            }
            try container.checkpoint(.truncate)
        }
        let columns = try ForeignDatabase.connect(url).rows("SELECT name FROM pragma_table_info(?1)", [.text(table)])
        let list = columns.map { "n AS \"\($0[0].text)\"" }.joined(separator: ", ")
        let endless = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n FROM n) SELECT \(list) FROM n"
        #expect(try apply(["DROP TABLE \"\(table)\"", "CREATE VIEW \"\(table)\" AS \(endless)"]))
        for look in [
            { _ = try ModelContainer.metadata(ofStoreAt: url) },
            { _ = try ModelContainer.migrationHistory(ofStoreAt: url) },
            { _ = try ModelContainer.plannedMigration(ofStoreAt: url, for: PhotoFeedModel.self) },
            { _ = try open(PhotoFeedModel.self, isUntrusted: false).fetchHistory() },
        ] {
            do { try look() } catch { #expect(error is StoreError || error is HistoryError, "\(error)") }
        }
    }
}
