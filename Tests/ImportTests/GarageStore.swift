import Ashlar
import AshlarImport
import Foundation
import GeneratorPipeline
import PlannedModel
import TestDatabase
import Testing

/// A model of two versions that is made by a test, and a store of it as Core Data writes one, in plain SQL.
struct GarageStore {
    let folder: TemporaryFolder
    var url: URL { folder.file("Garage.sqlite") }
    var bundle: URL { folder.file("Garage.xcdatamodeld") }

    static let carEntities = """
        <entity name="Vehicle" representedClassName="Vehicle"><attribute name="name" attributeType="String"/></entity>
        <entity name="Car" representedClassName="Car" parentEntity="Vehicle">
            <attribute name="doors" optional="YES" attributeType="Integer 16"/>
        </entity>
        """

    /// An entity below the car.
    static func car(_ name: String, was identifier: String? = nil, _ attribute: String) -> String {
        """
        <entity name="\(name)" representedClassName="\(name)" parentEntity="Car"\(identifier.map { " elementID=\"\($0)\"" } ?? "")>
            <attribute name="\(attribute)" optional="YES" attributeType="Double"/>
        </entity>
        """
    }

    /// Writes the versions of the model and the bundle's `ashlar.json`. The last version is the current one.
    init(versions: [String], options: String? = nil) throws {
        folder = try TemporaryFolder()
        for (index, entities) in versions.enumerated() {
            let name = index == 0 ? "Garage" : "Garage \(index + 1)"
            let version = bundle.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            \(entities)
            </model>
            """.write(to: version.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
            try """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>\(name).xcdatamodel</string></dict></plist>
            """.write(to: bundle.appendingPathComponent(".xccurrentversion"), atomically: true, encoding: .utf8)
        }
        try options?.write(to: bundle.appendingPathComponent("ashlar.json"), atomically: true, encoding: .utf8)
    }

    /// Makes the store's lists of entities, and a table of vehicles with a row for each entity.
    ///
    /// - Parameters:
    ///   - entities: The names in the list of entities, with the number of the one above; numbered from 1.
    ///   - hashes: The names that the metadata has hashes of.
    func write(_ entities: [(name: String, parent: Int)], hashes: [String]) throws {
        let list = try PropertyListSerialization.data(
            fromPropertyList: [
                "NSStoreType": "SQLite", "NSPersistenceFrameworkVersion": 1344,
                "NSStoreModelVersionHashes": Dictionary(uniqueKeysWithValues: hashes.map { ($0, Data(count: 32)) }),
            ] as [String: Any], format: .binary, options: 0)
        let database = try Database(url)
        try database.run(
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "INSERT INTO Z_METADATA VALUES (1, '\(MuseumStore.identifier)', \(MuseumStore.literal(list)))",
            """
            CREATE TABLE ZVEHICLE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDOORS INTEGER, ZNAME VARCHAR,
                ZPRICE FLOAT, ZSPEED FLOAT)
            """)
        for (index, entity) in entities.enumerated() {
            let number = index + 1
            try database.run(
                "INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(entity.name)', \(entity.parent), 9)",
                """
                INSERT INTO ZVEHICLE VALUES (\(number), \(number), 1, \(number > 1 ? "4" : "NULL"), '\(entity.name)',
                    \(number == 3 ? "1.5" : "NULL"), \(number == 4 ? "2.5" : "NULL"))
                """)
        }
    }

    /// Stores a model beside the data, as Core Data does.
    func keep(_ model: Data) throws {
        try run(
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
            "INSERT INTO Z_MODELCACHE VALUES (\(MuseumStore.literal(model)))")
    }

    func run(_ statements: String...) throws { try Database(url).run(statements) }

    /// Imports the store as a program with the bundle's model does, and returns the rows.
    @discardableResult
    func importStore(_ change: (inout StoreImport) -> Void = { _ in }) throws -> [[String?]] {
        let plan = try #require(ModelPlan.make(modelPath: bundle.path).plan)
        let model = DescribedModel.type(of: plan, version: plan.versions.count - 1)
        var source = StoreImport(url: url)
        change(&source)
        try ModelContainer.importStore(source, to: folder.file("Garage.store"), for: model)
        return try Database(folder.file("Garage.store")).rows(
            "SELECT entity$, name, doors, price, speed FROM Vehicle ORDER BY id$")
    }
}
