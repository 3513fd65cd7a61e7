import AshlarSQLite
import Foundation
import GeneratorPipeline
import PlannedModel
import Testing

@testable import Ashlar
@testable import AshlarTool

/// A model of four versions whose steps have every kind of change: in place, with copies of tables, and with computed
/// and checked values.
enum Harbour {
    static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Models/Harbour.xcdatamodeld").path

    private static let plan = ModelPlan.make(modelPath: path).plan
    /// The models of programs that have the versions up to one, from 1.
    static let models: [ModelDescription] = {
        plan.map { ModelDescription.ofAllVersions($0) } ?? []
    }()

    static func model(_ version: Int) -> ModelDescription { models[version - 1] }
    static let current = models[models.count - 1]

    /// Opens a store as a container does.
    @discardableResult
    static func open(
        _ url: URL, _ model: ModelDescription = current, _ options: StoreOptions = StoreOptions(),
        migration: MigrationOptions = MigrationOptions(), monitor: MigrationMonitor = MigrationMonitor()
    ) throws -> StoreOpener.Opened {
        var configuration = ModelConfiguration(url: url, options: options)
        configuration.migration = migration
        return try StoreOpener(model: model, configuration: configuration, monitor: monitor).open()
    }

    static func connect(_ url: URL) throws -> Connection {
        try Connection(path: url.path, flags: SQLITE_OPEN_READWRITE)
    }

    static func execute(_ url: URL, _ statements: String...) throws {
        let connection = try connect(url)
        for statement in statements { try connection.execute(statement) }
    }

    /// Makes a store of the first version with objects of all kinds; ships have a photo of some bytes.
    static func makeStore(at url: URL, ships: Int = 12, photo: Int = 100) throws {
        let opened = try open(url, model(1))
        try opened.pool.write { connection in
            try connection.transaction {
                try connection.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(ships))
                    INSERT INTO Sailor (name, nick) SELECT 'sailor ' || i, iif(i % 3, 'nick ' || i, NULL) FROM n
                    """)
                try connection.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(ships))
                    INSERT INTO Ship (name, code, tons, photo, remark, colour, builder, latitude, longitude, captain)
                    SELECT 'Ship ' || i, iif(i % 4, 'C' || i, NULL), i * 10, zeroblob(\(photo)), 'remark ' || i,
                        'red', 'yard', i * 0.5, -i * 0.25, iif(i % 5, i, NULL) FROM n
                    """)
                try connection.execute(
                    "INSERT INTO \"Sailor$ships\" (source$, target$) SELECT s.id$, t.id$ FROM Sailor s, Ship t "
                        + "WHERE abs(s.id$ - t.id$) < 2")
                try connection.execute(
                    "INSERT INTO Entry (text, number, ship) SELECT 'entry ' || s.id$, n.value, s.id$ "
                        + "FROM Ship s, json_each('[1,2,3]') n")
                try connection.execute("INSERT INTO Crate (label) SELECT name FROM Ship")
                try connection.execute("INSERT INTO Buoy (place) SELECT name FROM Ship")
                try connection.execute("DELETE FROM Ship WHERE id$ = (SELECT max(id$) FROM Ship)")
            }
        }
    }

    /// All rows of a store, and the highest numbers that tables have used.
    static func rows(of url: URL) throws -> [String: [[SQLiteValue]]] {
        let connection = try connect(url)
        var rows: [String: [[SQLiteValue]]] = [:]
        for (name, table) in try SchemaCatalogue(connection).tables where name != "ashlar$metadata" {
            let columns = table.columns.keys.sorted().map(\.quotedIdentifier).joined(separator: ", ")
            rows[name] = try connection.rows("SELECT \(columns) FROM \(name.quotedIdentifier) ORDER BY \(columns)")
        }
        rows["sqlite_sequence"] = try connection.rows(
            "SELECT name, seq FROM sqlite_sequence WHERE seq > 0 AND name NOT LIKE 'ashlar%' ORDER BY name")
        return rows
    }

    /// Fails the test unless a store is sound and of the current version, and has its schema.
    static func expectCurrent(_ url: URL, _ comment: Comment? = nil, location: SourceLocation = #_sourceLocation) throws
    {
        let connection = try connect(url)
        let integrity = try connection.text("PRAGMA integrity_check")
        #expect(integrity == "ok", comment, sourceLocation: location)
        let metadata = try #require(try StoreMetadata(connection))
        #expect(metadata.versionHash == current.currentVersion?.versionHash, comment, sourceLocation: location)
        let comparison = SchemaComparison(
            found: try SchemaCatalogue(connection), expected: try SchemaCatalogue(of: current.schema))
        #expect(comparison.isSame && comparison.alterations.isEmpty, comment, sourceLocation: location)
    }
}
