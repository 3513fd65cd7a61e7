import Foundation
import TestDatabase

/// A store of the first version of the model Museum as Core Data writes it, in plain SQL.
///
/// Core Data did not write it: tables and columns follow the documentation of real stores, by hand, so that it does not
/// repeat a mistake of the importer's.
struct MuseumStore {
    static let identifier = "6A1B5E0C-8F7E-4B5A-9C36-0D1E2F3A4B5C"

    let url: URL
    /// The folder of large values.
    var support: URL {
        url.deletingLastPathComponent().appendingPathComponent(
            ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT")
    }

    /// The entities with their numbers: each hierarchy from its root down, by name.
    static let entities = [
        ("Item", 1, 0), ("Artwork", 2, 1), ("Painting", 3, 2), ("Fresco", 4, 3), ("Specimen", 5, 1), ("Person", 6, 0),
        ("Room", 7, 0), ("Tag", 8, 0),
    ]

    static let schema = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        """
        CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZROOM INTEGER, ZARTIST INTEGER,
            Z_FOK_ARTIST INTEGER, ZFRAME INTEGER, ZFRAMED INTEGER, Z3_FRAMED INTEGER, ZACQUIRED TIMESTAMP, ZWEIGHT FLOAT, ZHEIGHT FLOAT,
            ZWIDTH FLOAT, ZNAME VARCHAR, ZNOTE VARCHAR, ZWALL VARCHAR, ZNOTE1 VARCHAR)
        """,
        "CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT)",
        """
        CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZCOUNT INTEGER,
            ZISALIVE INTEGER, ZSCORE INTEGER, ZWORKSCOUNT INTEGER, ZZIP INTEGER, ZMENTOR INTEGER, ZPUPIL INTEGER,
            ZSALARY DECIMAL, ZCITY VARCHAR, ZHOMEPAGE VARCHAR, ZNAME VARCHAR, ZIDENTITY BLOB, ZPORTRAIT BLOB,
            ZSTAMP BLOB)
        """,
        "CREATE TABLE ZROOM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER)",
        "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR)",
        """
        CREATE TABLE Z_1TAGS (Z_1ITEMS INTEGER, Z_8TAGS INTEGER, Z_FOK_8TAGS INTEGER, PRIMARY KEY (Z_1ITEMS, Z_8TAGS))
        """,
        """
        CREATE TABLE Z_6FRIENDOF (Z_6FRIENDOF INTEGER, Z_6FRIENDS INTEGER, PRIMARY KEY (Z_6FRIENDOF, Z_6FRIENDS))
        """,
    ]

    /// Makes a store without objects, in the journal mode that Core Data has unless an app says otherwise.
    init(_ url: URL, journalMode: String = "WAL") throws {
        self.url = url
        let database = try Database(url)
        try database.run("PRAGMA journal_mode = \(journalMode)")
        try database.run(Self.schema)
        for (name, number, parent) in Self.entities {
            try database.run(
                "INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', \(parent), \(parent == 0 ? 40 : 0))")
        }
        let list = try PropertyListSerialization.data(
            fromPropertyList: [
                "NSStoreType": "SQLite", "NSStoreModelVersionIdentifiers": [""],
                "NSPersistenceFrameworkVersion": 1344, "kept by the app": "yes",
            ], format: .binary, options: 0)
        try database.run("INSERT INTO Z_METADATA VALUES (1, '\(Self.identifier)', \(Self.literal(list)))")
    }

    func run(_ statements: String...) throws { try Database(url).run(statements) }

    /// Some objects of every kind, with values at the borders of their types.
    func fill() throws {
        try run(
            "INSERT INTO ZROOM VALUES (1, 7, 1, 1), (2, 7, 3, 2)",
            """
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZAGE, ZCOUNT, ZISALIVE, ZSCORE, ZWORKSCOUNT, ZZIP, ZMENTOR, ZPUPIL,
                ZSALARY, ZCITY, ZHOMEPAGE, ZNAME, ZIDENTITY, ZPORTRAIT, ZSTAMP) VALUES
            (1, 6, 2, -32768, 9223372036854775807, 1, 2147483647, 3, 1010, NULL, 3, 3.3333333332999993, 'Wien',
                'https://example.org/a?b=c#d', 'Ada', x'00112233445566778899AABBCCDDEEFF', x'01414243', x'00FF'),
            (2, 6, 1, NULL, -9223372036854775808, 0, NULL, 0, NULL, NULL, NULL, 100, NULL, NULL, '', NULL, NULL, NULL),
            (3, 6, 7, 32767, 0, 0, -1, 0, NULL, 1, NULL, -0.1, 'Győr', NULL, 'Ö', NULL,
                \(Self.file("11111111-2222-3333-4444-555555555555")), x'6173686C6172246461746131323334353637')
            """,
            """
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZROOM, ZARTIST, Z_FOK_ARTIST, ZFRAME, ZFRAMED, ZACQUIRED, ZWEIGHT, ZHEIGHT,
                ZWIDTH, ZNAME, ZNOTE, ZWALL, ZNOTE1) VALUES
            (1, 2, 1, 1, 1, 3072, NULL, NULL, 684000000.123456, 1.5, NULL, NULL, 'Vase', 'of clay', NULL, NULL),
            (2, 3, 1, 1, 1, 2048, 5, NULL, -63114076800, NULL, 0.5, 1.25, 'Lake', NULL, NULL, NULL),
            (3, 4, 1, 2, 1, 4096, NULL, NULL, NULL, 1e300, 3.5, 9, 'Sky', NULL, 'north', NULL),
            (5, 5, 4, NULL, NULL, NULL, NULL, 2, 0, -0.0, NULL, NULL, 'Oak', NULL, NULL, 'dry')
            """,
            "UPDATE ZITEM SET Z3_FRAMED = 3 WHERE ZFRAMED IS NOT NULL",
            "INSERT INTO ZTAG VALUES (1, 8, 1, 'old'), (2, 8, 1, 'large'), (3, 8, 1, 'new')",
            "INSERT INTO Z_1TAGS VALUES (1, 3, 2048), (1, 1, 4096), (1, 2, 3072), (3, 1, 2048)",
            "INSERT INTO Z_6FRIENDOF VALUES (1, 2), (2, 1), (3, 1)")
        let folder = support.appendingPathComponent("_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.largeValue.write(to: folder.appendingPathComponent("11111111-2222-3333-4444-555555555555"))
    }

    static let largeValue = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    /// The bytes that stand for a value in a file.
    static func file(_ name: String) -> String { literal(Data([2]) + Data(name.utf8) + Data([0])) }

    static func literal(_ data: Data) -> String { "x'" + data.map { String(format: "%02x", $0) }.joined() + "'" }

    /// The bytes of all files of the store, by their paths.
    func content() throws -> [String: Data] {
        let folder = url.deletingLastPathComponent()
        var result: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasPrefix(url.lastPathComponent) || path.hasPrefix(support.lastPathComponent) {
            result[path] = try? Data(contentsOf: folder.appendingPathComponent(path))
        }
        return result
    }
}
