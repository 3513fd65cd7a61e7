import AshlarSQLite
import Foundation
import StoreDescription
import Testing

@_spi(Generated) @testable import Ashlar

/// A migration can remove tables and columns later, without visible differences until then.
@Suite struct DeferredRemovalTests {
    let folder: TemporaryFolder
    var url: URL { folder.file() }

    init() throws { folder = try TemporaryFolder() }

    private enum HarbourModel: ManagedObjectModel {
        static var modelDescription: ModelDescription { Harbour.current }
    }

    private enum SecondHarbourModel: ManagedObjectModel {
        static var modelDescription: ModelDescription { Harbour.model(2) }
    }

    private func container(_ model: any ManagedObjectModel.Type = HarbourModel.self) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: url)
        configuration.migration = MigrationOptions(defersRemovals: true, programName: "test")
        return try ModelContainer(for: model, configurations: configuration)
    }

    /// The rows without those of removed tables and columns that still exist.
    private func visibleRows(of url: URL) throws -> [String: [[SQLiteValue]]] {
        let connection = try Harbour.connect(url)
        let catalogue = try SchemaCatalogue(of: Harbour.current.schema)
        var rows: [String: [[SQLiteValue]]] = [:]
        for (name, table) in catalogue.tables where !name.hasPrefix("ashlar$m") {
            let columns = table.columns.keys.sorted().map(\.quotedIdentifier).joined(separator: ", ")
            rows[name] = try connection.rows("SELECT \(columns) FROM \(name.quotedIdentifier) ORDER BY \(columns)")
        }
        return rows
    }

    @Test("row 162: removals that are deferred") func removals() throws {
        try Harbour.makeStore(at: url, ships: 2500)
        let other = folder.file("other.store")
        try ModelContainer.backUpStore(at: url, to: other)
        try Harbour.open(other)
        do {
            let container = try container()
            #expect(try container.hasPendingDeferredMigration())
            try Harbour.expectCurrent(url)
            #expect(try visibleRows(of: url) == visibleRows(of: other))
            let pending = try DeferredRemoval.all(Harbour.connect(url))
            #expect(pending.map(\.name) == ["Crate"])
            #expect(
                try ModelContainer.plannedMigration(ofStoreAt: url, for: HarbourModel.self).hasPendingDeferredMigration)
            // Each slice is a transaction of its own, and removes a thousand rows.
            #expect(try container.finishDeferredMigrationTask())
            let name = pending[0].table.quotedIdentifier
            #expect(try Harbour.connect(url).integer("SELECT count(*) FROM \(name)") == 1500)
        }
        let container = try container()
        try container.finishDeferredMigration()
        #expect(try !container.hasPendingDeferredMigration())
        #expect(try !container.finishDeferredMigrationTask())
        #expect(try Harbour.rows(of: url) == Harbour.rows(of: other))
        let last = try #require(try container.migrationHistory().last)
        #expect(last.kind == .deferredRemoval && last.detail == "Crate" && last.program == "test")
        // The next opening compares nothing.
        #expect(
            try Harbour.connect(url).integer("PRAGMA schema_version") == container.metadata().schemaVersion)
    }

    @Test func aColumn() throws {
        try Harbour.makeStore(at: url)
        let container = try container(SecondHarbourModel.self)
        #expect(try DeferredRemoval.all(Harbour.connect(url)).map(\.name) == ["Ship.remark"])
        try container.finishDeferredMigration()
        #expect(try DeferredRemoval.all(Harbour.connect(url)).isEmpty)
        let columns = try #require(try SchemaCatalogue(Harbour.connect(url)).tables["Ship"]?.columns)
        #expect(!columns.keys.contains { $0.contains("remark") })
        #expect(try container.migrationHistory().last?.detail == "Ship.remark")
    }

    /// A later version may make tables and columns with the names of removed ones that still exist.
    @Test func aNameThatIsUsedAgain() throws {
        try Harbour.makeStore(at: url)
        let (first, second) = (Harbour.model(1), Harbour.model(2))
        var back = first.versions[0]
        back.name = "back"
        back.versionHash = "back"
        back.migration = [
            .addColumn("\"remark\" TEXT DEFAULT 'again'", to: "Ship"), .dropColumn("remark", of: "Ship"),
            .dropTable("Crate"),
            .createTable("Crate", "CREATE TABLE Crate (id$ INTEGER PRIMARY KEY AUTOINCREMENT) STRICT"),
            .dropTable("Crate"),
        ]
        let model = ModelDescription(
            name: first.name, entities: [], versions: second.versions + [back],
            schema: second.schema.filter { !$0.contains("\"Crate\"") })
        try Harbour.open(url, model, migration: MigrationOptions(defersRemovals: true))
        let names = try DeferredRemoval.all(Harbour.connect(url)).map { $0.column ?? $0.table }
        #expect(names == ["remark$removed1", "remark$removed2", "Crate$removed1", "Crate$removed2"])
    }

    /// Removals with visible effects are not deferred.
    @Test func whatIsNotDeferred() throws {
        try Harbour.makeStore(at: url)
        let connection = try Harbour.connect(url)
        let operations: [MigrationOperation] = [
            // The column requires a value.
            .dropColumn("name", of: "Ship"),
            // The reference has an effect on other rows.
            .dropColumn("captain", of: "Ship"), .dropTable("Entry"), .dropTable("Sailor"),
            .dropVirtualTable("rtree$Ship$byPlace"), .dropTable("rtree$Ship$byPlace"),
            .deleteRows(of: "Ship", condition: "1"),
        ]
        for operation in operations {
            #expect(try DeferredRemoval.replacement(of: operation, connection) == nil, "\(operation.sql)")
        }
        #expect(try DeferredRemoval.replacement(of: .dropTable("Crate"), connection) != nil)
        #expect(try DeferredRemoval.replacement(of: .dropColumn("tons", of: "Ship"), connection) != nil)
    }
}
