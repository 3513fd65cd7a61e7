import Foundation
import TestDatabase

/// A store of the model Harbour as Core Data writes it, in plain SQL, of all entities or of those of one configuration.
///
/// Core Data did not write it: the store follows the documentation of real stores. A relationship without an inverse
/// has a column with the number of the entity that owns it. No real store with an ordered one was available.
struct HarbourStore {
    static let identifier = "0B0E2C0A-52F4-4B0B-9D66-4B2A5C7F1E11"

    let url: URL
    let identifier: String
    /// The numbers of the entities, by name.
    let numbers: [String: Int]

    /// The entities of a configuration in the order of their numbers, with the one above.
    static func entities(_ configuration: String?) -> [(name: String, parent: String?)] {
        let office = [("Clerk", nil), ("Memo", nil)] as [(String, String?)]
        let fleet = [("Crate", nil), ("Dock", nil), ("Ship", nil), ("Steamer", "Ship"), ("Stop", nil)]
        switch configuration {
        case "Office": return office
        case "Fleet": return fleet
        default: return (office + fleet).sorted { $0.0 < $1.0 }
        }
    }

    /// Makes a store without objects.
    init(_ url: URL, configuration: String? = nil, identifier: String = Self.identifier) throws {
        self.url = url
        self.identifier = identifier
        let entities = Self.entities(configuration)
        let numbers = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.name, $0 + 1) })
        self.numbers = numbers
        let database = try Database(url)
        try database.run("PRAGMA journal_mode = WAL")
        try database.run(
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
        for (name, parent) in entities {
            let parentNumber = parent.flatMap { numbers[$0] } ?? 0
            try database.run(
                "INSERT INTO Z_PRIMARYKEY VALUES (\(numbers[name] ?? 0), '\(name)', \(parentNumber), \(parent == nil ? 1000 : 0))"
            )
            try database.run(Self.tables(name, numbers))
        }
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["NSStoreType": "SQLite", "NSPersistenceFrameworkVersion": 1344], format: .binary,
            options: 0)
        try database.run("INSERT INTO Z_METADATA VALUES (1, '\(identifier)', \(MuseumStore.literal(list)))")
    }

    /// Returns the statements that make the tables of an entity.
    private static func tables(_ entity: String, _ numbers: [String: Int]) -> [String] {
        let (dock, ship) = (numbers["Dock"] ?? 0, numbers["Ship"] ?? 0)
        let columns: [String: String] = [
            "Clerk": "ZISONDUTY INTEGER, ZNAME VARCHAR",
            "Crate": "Z\(dock)CRATES INTEGER, ZWEIGHT FLOAT, ZLABEL VARCHAR",
            "Dock": "ZNAME VARCHAR",
            "Memo": "ZCLERK INTEGER, Z_FOK_CLERK INTEGER, ZWRITTEN TIMESTAMP, ZTEXT VARCHAR, ZATTACHMENT BLOB",
            "Ship": "ZTONNAGE INTEGER, ZBUILT TIMESTAMP, ZCOAL FLOAT, ZPRICE DECIMAL, ZNAME VARCHAR",
            "Stop": "Z\(dock)STOPS INTEGER, Z_FOK_\(dock)STOPS INTEGER, ZPLACE VARCHAR, ZPOSITION BLOB",
        ]
        guard let columns = columns[entity] else { return [] }
        var tables = [
            "CREATE TABLE Z\(entity.uppercased()) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(columns))"
        ]
        if entity == "Ship" {
            tables += [
                """
                CREATE TABLE Z_\(ship)CONVOY (Z_\(ship)CONVOY INTEGER, REFLEXIVE INTEGER, Z_FOK_\(ship)CONVOY INTEGER,
                    PRIMARY KEY (Z_\(ship)CONVOY, REFLEXIVE))
                """,
                """
                CREATE TABLE Z_\(ship)RIVALS (Z_\(ship)RIVALS INTEGER, REFLEXIVE INTEGER,
                    PRIMARY KEY (Z_\(ship)RIVALS, REFLEXIVE))
                """,
            ]
        }
        return tables
    }

    func number(_ entity: String) -> Int { numbers[entity] ?? 0 }

    func run(_ statements: String...) throws { try Database(url).run(statements) }

    /// Some clerks with memos in an order.
    func fillOffice() throws {
        let (clerk, memo) = (number("Clerk"), number("Memo"))
        try run(
            "INSERT INTO ZCLERK VALUES (1, \(clerk), 1, 1, 'Ida'), (2, \(clerk), 1, 0, 'Otto')",
            """
            INSERT INTO ZMEMO VALUES (1, \(memo), 1, 1, 3072, 1.5, 'second', x'0141'), (2, \(memo), 2, 1, 2048, NULL, 'first', NULL),
                (3, \(memo), 1, NULL, NULL, -2.25, 'of nobody', NULL)
            """)
    }

    /// Adds ships with their relationships, two of them steamers, and docks with relationships that have no inverse.
    func fillFleet() throws {
        let (crate, dock, ship, steamer, stop) =
            (number("Crate"), number("Dock"), number("Ship"), number("Steamer"), number("Stop"))
        try run(
            """
            INSERT INTO ZSHIP VALUES (1, \(ship), 1, 100, 0.5, NULL, 12.34, 'Anna'), (2, \(steamer), 1, 200, NULL, 2.5, NULL, 'Berta'),
                (3, \(steamer), 3, NULL, NULL, NULL, 7, 'Clara')
            """,
            "INSERT INTO ZDOCK VALUES (1, \(dock), 1, 'East'), (2, \(dock), 1, 'West')",
            """
            INSERT INTO ZCRATE VALUES (1, \(crate), 1, 1, 1.5, 'tea'), (2, \(crate), 1, 1, NULL, 'salt'),
                (3, \(crate), 1, 2, 0.0, 'rope'), (4, \(crate), 1, NULL, 3.0, 'lost')
            """,
            """
            INSERT INTO ZSTOP VALUES (1, \(stop), 1, 1, 4096, 'Riga', NULL), (2, \(stop), 1, 1, 2048, 'Kiel', NULL),
                (3, \(stop), 1, NULL, NULL, 'Bergen', x'00112233445566778899AABBCCDDEEFF')
            """,
            // One pair of the relationship, which is its own inverse, is stored in both directions, and one in a single
            // direction.
            "INSERT INTO Z_\(ship)RIVALS (REFLEXIVE, Z_\(ship)RIVALS) VALUES (1, 2), (2, 1), (3, 1)",
            """
            INSERT INTO Z_\(ship)CONVOY (REFLEXIVE, Z_\(ship)CONVOY, Z_FOK_\(ship)CONVOY) VALUES
                (1, 2, 3072), (1, 3, 2048), (2, 1, 2048), (3, 1, 2048)
            """)
    }
}
