import AshlarSQLite
import Foundation
import StoreDescription
import Testing

@_spi(Generated) @testable import Ashlar

/// The history after a migration of the store's tables.
@Suite struct HistoryMigrationTests {
    let folder: TemporaryFolder
    let container: ModelContainer

    init() throws {
        folder = try TemporaryFolder()
        let configuration = ModelConfiguration(url: folder.file(), options: StoreOptions(historyTracking: true))
        container = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration)
    }

    /// Turns the store into one of an older version, in which a table, a column or both had other names, and changes a
    /// row.
    private func age(table: String = "Post", column: String = "title") throws -> PersistentHistoryToken {
        try container.pool.write { connection in
            try connection.transaction {
                let tracker = HistoryTracker(model: container.model, connection: connection)
                try tracker.suspend()
                try connection.executeScript(
                    """
                    INSERT INTO "Post" ("title", "timestamp") VALUES ('t', 1);
                    UPDATE "ashlar$historyEntity" SET "table" = '\(table)' WHERE "table" = 'Post';
                    UPDATE "ashlar$historyColumn" SET "table" = '\(table)' WHERE "table" = 'Post';
                    UPDATE "ashlar$historyColumn" SET "name" = '\(column)' WHERE "table" = '\(table)' AND "name" = 'title'
                    """)
                let catalogue = try HistoryCatalogue(connection)
                let number = try #require(catalogue.number(table, nil))
                let position = try #require(catalogue.positions(table)[column])
                try connection.execute(
                    """
                    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
                        VALUES (\(number), 1, 1, \(1 << position))
                    """)
                if table != "Post" { try connection.execute("ALTER TABLE \"Post\" RENAME TO \"\(table)\"") }
                if column != "title" {
                    try connection.execute("ALTER TABLE \"\(table)\" RENAME COLUMN \"title\" TO \"\(column)\"")
                }
            }
        }
        return try container.currentHistoryToken()
    }

    private func migrate(_ operations: MigrationOperation...) throws {
        try container.pool.write { connection in
            try connection.execute(["PRAGMA foreign_keys = OFF", "PRAGMA legacy_alter_table = ON"])
            try connection.transaction {
                var history = try HistoryMigration(container.model, connection)
                for operation in operations {
                    try connection.execute(operation.sql)
                    history?.follow(operation)
                }
                try history?.finish()
            }
            connection.forgetStatements()
            try connection.execute(["PRAGMA foreign_keys = ON", "PRAGMA legacy_alter_table = OFF"])
        }
    }

    private func expectNames(_ names: [[String]], after token: PersistentHistoryToken?) throws {
        let found = try container.fetchHistory(.fetchHistory(after: token).changing(Post.self, ["title"]))
        #expect(found.flatMap(\.changes).map { $0.updatedProperties.sorted() } == names)
    }

    /// A copy of a table, as the planner creates it.
    private func copy(of table: String, _ columns: [(name: String, value: String)]) -> MigrationOperation {
        .copyRows(
            RowCopy(
                into: "Post$$new", columns: columns.map(\.name), values: columns.map(\.value), from: table, where: nil))
    }

    private func definition(_ name: String) throws -> String {
        let text = try #require(try container.text("SELECT sql FROM sqlite_schema WHERE name = 'Post'"))
        return text.replacing("CREATE TABLE \"Post\"", with: "CREATE TABLE \"\(name)\"")
    }

    @Test func renamedInPlace() throws {
        let definition = try definition("Post")
        let before = try container.currentHistoryToken()
        _ = try age(table: "Picture", column: "caption")
        // A migration plan drops these triggers too, because triggers of other tables refer to this table.
        let triggers = try container.pool.read { connection in
            try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'derived$%'")
        }
        for trigger in triggers { try container.execute("DROP TRIGGER \"\(trigger[0].storedText)\"") }
        try migrate(.renameTable("Picture", to: "Post"), .renameColumn("caption", of: "Post", to: "title"))
        #expect(try self.definition("Post") == definition)
        try expectNames([["title"]], after: before)
        // Recording continues, and the migration itself is not recorded.
        try container.execute("UPDATE \"Post\" SET \"title\" = 'new'")
        try expectNames([["title"], ["title"]], after: before)
        try container.expectSound()
    }

    @Test func copiedUnderOtherNames() throws {
        let definition = try definition("Post$$new")
        let before = try container.currentHistoryToken()
        _ = try age(column: "caption")
        let others = container.model.entity(named: "Post")?.columns.map(\.name).filter { $0 != "title" } ?? []
        let columns =
            [("id$", "\"id$\""), ("version$", "\"version$\""), ("title", "\"caption\"")]
            + others.map { ($0, $0 == "text" ? "coalesce(\"text\", ',)\"')" : "\"\($0)\"") }
        try migrate(
            .createReplacement(of: "Post", definition: definition), copy(of: "Post", columns), .dropTable("Post"),
            .replaceTable("Post"))
        try expectNames([["title"]], after: before)
        try container.execute("UPDATE \"Post\" SET \"title\" = 'new'")
        try expectNames([["title"], ["title"]], after: before)
    }

    /// If the rows get other numbers, the history no longer describes them, so its tokens expire.
    @Test func copiedUnderOtherNumbers() throws {
        let definition = try definition("Post$$new")
        let before = try container.currentHistoryToken()
        _ = try age(column: "title")
        let names = container.model.entity(named: "Post")?.columns.map(\.name) ?? []
        let columns = [("id$", "\"id$\" + 1"), ("version$", "\"version$\"")] + names.map { ($0, "\"\($0)\"") }
        try migrate(
            .createReplacement(of: "Post", definition: definition), copy(of: "Post", columns), .dropTable("Post"),
            .replaceTable("Post"))
        #expect(throws: HistoryError.tokenExpired(folder.file(), token: before)) {
            try container.fetchHistory(.fetchHistory(after: before))
        }
    }

    @Test func aColumnThatIsGone() throws {
        let before = try container.currentHistoryToken()
        _ = try age(column: "caption")
        try migrate(
            .addColumn(definition: "\"title\" TEXT NOT NULL DEFAULT ''", to: "Post"),
            .dropColumn("caption", of: "Post"))
        let changes = try container.fetchHistory(.fetchHistory(after: before)).flatMap(\.changes)
        #expect(changes.map(\.updatedProperties) == [["caption"]])
        try expectNames([], after: before)
        try container.execute("UPDATE \"Post\" SET \"title\" = 'new'")
        try expectNames([["title"]], after: before)
    }

    @Test func aTableThatIsGone() throws {
        let definition = try definition("Post")
        let before = try container.currentHistoryToken()
        _ = try age(table: "Picture")
        try migrate(.createTable("Post", definition: definition), .dropTable("Picture"))
        #expect(throws: HistoryError.tokenExpired(folder.file(), token: before)) {
            try container.fetchHistory(.fetchHistory(after: before))
        }
        try container.execute("INSERT INTO \"Post\" (\"title\", \"timestamp\") VALUES ('t', 1)")
        #expect(try container.fetchHistory().flatMap(\.changes).map(\.changeType) == [.insert])
    }

    @Test func aTableThatIsMadeAnewByAnUpdateOfTheSchema() throws {
        let model = container.model
        let context = ModelContext(container)
        context.insert(Author(name: "Ada"))
        try context.save()
        let token = try container.currentHistoryToken()
        // Another default, so that the table is rebuilt with its rows.
        let versions = model.versions.map { version in
            var version = version
            version.schemaHash += " changed"
            return version
        }
        let likes = "\"likes\" INTEGER NOT NULL DEFAULT "
        let schema = model.schema.map { $0.replacing("\(likes)0", with: "\(likes)5") }
        #expect(schema != model.schema)
        let changed = ModelDescription(name: model.name, entities: model.entities, versions: versions, schema: schema)
        let opened = try StoreOpener(model: changed, configuration: ModelConfiguration(url: folder.file())).open()
        try opened.pool.write { try $0.execute("UPDATE \"Author\" SET \"name\" = 'Eve'") }
        let transactions = try container.fetchHistory(.fetchHistory(after: token))
        #expect(HistoryTests.texts(transactions) == [["update Author 1 name"]])
    }
}
