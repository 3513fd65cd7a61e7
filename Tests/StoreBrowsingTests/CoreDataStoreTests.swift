import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar
@_spi(Studio) @testable import StoreBrowsing

/// Stores that Core Data wrote, by their model.
@Suite final class CoreDataStoreTests {
    private let folder: URL
    private let url: URL
    private let model: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        url = folder.appendingPathComponent("Trips.sqlite")
        let version = folder.appendingPathComponent("Trips.xcdatamodeld/Trips.xcdatamodel")
        model = version.deletingLastPathComponent().path
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Self.contents.write(to: version.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["NSStoreType": "SQLite", "NSPersistenceFrameworkVersion": 1344], format: .binary,
            options: 0)
        let connection = try Connection(opening: url.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        for text in [
            "PRAGMA journal_mode = WAL",
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
            "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Stop', 0, 40), (2, 'Trip', 0, 9)",
            "CREATE TABLE ZSTOP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTRIP INTEGER, ZNAME VARCHAR)",
            "CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDATE TIMESTAMP, ZTITLE VARCHAR)",
            "INSERT INTO ZTRIP VALUES (7, 2, 1, 0.0, 'North'), (9, 2, 1, NULL, '<i>South')",
            "INSERT INTO ZSTOP VALUES (3, 1, 1, 9, 'Kiel'), (40, 1, 1, 9, 'Riga'), (12, 1, 1, 7, NULL)",
        ] { _ = try connection.rows(text) }
        _ = try connection.rows(
            "INSERT INTO Z_METADATA VALUES (1, '0B0E2C0A-52F4-4B0B-9D66-4B2A5C7F1E11', ?1)", [.blob(list)])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test("objects have their entities, their numbers and what they refer to, and the file stays as it is")
    func objects() throws {
        let before = try Data(contentsOf: url)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let browser = try StoreBrowser(url, model: model)
        let overview = try browser.overview()
        #expect(overview.isTyped && overview.entities.map(\.name) == ["Stop", "Trip"])
        #expect(overview.entities.map(\.count) == [.exactly(3), .exactly(2)])
        #expect(overview.tables.contains("ZTRIP") && !overview.tables.contains("Trip"))
        #expect(overview.note?.contains("temporary") == true)
        let page = try browser.rows(RowRequest(.entity("Trip")))
        #expect(page.rows.map(\.number) == [7, 9])
        #expect(page.columns.map(\.name) == ["id", "date", "title"])
        var request = RowRequest(.entity("Stop"))
        request.filter = "trip.title BEGINSWITH '<i>'"
        #expect(try browser.rows(request).rows.map(\.number) == [3, 40])
        let trip = try browser.object("Trip", 9)
        #expect(trip.relationships.first?.objects.map(\.number) == [3, 40])
        #expect(try browser.object("Stop", 12).relationships.first?.objects.first?.label == "North")
        #expect(try browser.rows(RowRequest(.table("ZTRIP"))).rows.count == 2)
        #expect(try browser.storedSchema().text.contains("ZTRIP"))
        #expect(try browser.keyPaths(of: "Stop", beginningWith: "trip.t") == ["trip.title"])
        #expect(try Data(contentsOf: url) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
        // The next read finds rows that another connection wrote.
        let writer = try Connection(opening: url.path, flags: SQLITE_OPEN_READWRITE)
        try writer.execute("INSERT INTO ZTRIP VALUES (10, 2, 1, NULL, 'West')")
        #expect(try browser.rows(RowRequest(.entity("Trip"))).rows.map(\.number) == [7, 9, 10])
        let editor = StoreEditor(browser)
        #expect(throws: BrowsingError.self) { try editor.delete("Trip", 9, version: 1) }
    }

    @Test("without a model its tables are shown, and why no objects are")
    func withoutModel() throws {
        let browser = try StoreBrowser(url)
        let overview = try browser.overview()
        #expect(!overview.isTyped && overview.tables.contains("ZSTOP"))
        #expect(overview.note?.contains("--model") == true)
        #expect(throws: BrowsingError.self) { try browser.rows(RowRequest(.entity("Trip"))) }
    }

    private static let contents = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Trip">
                <attribute name="date" optional="YES" attributeType="Date"/>
                <attribute name="title" optional="YES" attributeType="String"/>
                <relationship name="stops" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Stop" \
        inverseName="trip" inverseEntity="Stop"/>
            </entity>
            <entity name="Stop">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="trip" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Trip" \
        inverseName="stops" inverseEntity="Trip"/>
            </entity>
        </model>
        """
}
