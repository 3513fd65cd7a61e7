import BenchmarkHarness
import CLoops
import Foundation

/// A store of the model Messenger as Core Data writes one, in plain SQL.
enum CoreDataArchive {
    static func make(_ url: URL, _ messages: Int) throws {
        let draft = url.appendingPathExtension("draft")
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: draft.path + suffix) }
        guard FileManager.default.createFile(atPath: draft.path, contents: nil) else {
            throw LoopError(description: "cannot make \(draft.path)")
        }
        let connection = try HandWrittenConnection(draft)
        for table in tables { try connection.execute(table) }
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["NSStoreType": "SQLite", "NSPersistenceFrameworkVersion": 1344], format: .binary,
            options: 0)
        let bytes = list.map { String(format: "%02x", $0) }.joined()
        let (conversations, people) = (max(10, messages / 500), max(10, messages / 1000))
        try connection.transaction {
            try connection.execute(
                "INSERT INTO Z_METADATA VALUES (1, '5A1B5E0C-8F7E-4B5A-9C36-0D1E2F3A4B5C', x'\(bytes)')")
            for (number, (name, count)) in [("CONVERSATION", conversations), ("MESSAGE", messages), ("PERSON", people)]
                .enumerated()
            {
                try connection.execute(
                    "INSERT INTO Z_PRIMARYKEY VALUES (\(number + 1), '\(name.capitalized)', 0, \(count))")
            }
            try connection.execute(
                """
                INSERT INTO ZCONVERSATION SELECT n, 1, 1, 7e8 + n, 'conversation ' || n, 'Conversation number ' || n
                FROM (\(ApplicationStores.series(conversations)))
                """)
            try connection.execute(
                """
                INSERT INTO ZPERSON SELECT n, 3, 1, 'person ' || n, 'Person number ' || n
                FROM (\(ApplicationStores.series(people)))
                """)
            let text = ApplicationStores.text
            try connection.execute(
                """
                INSERT INTO ZMESSAGE SELECT n, 2, 1, n % 20 > 0, 1 + n % \(conversations), 1 + n * 7 % \(people), 7e8 + n,
                    'message ' || n, \(text) || ' ' || \(text) || ' It was a long day, and we came home late.'
                FROM (\(ApplicationStores.series(messages)))
                """)
        }
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.moveItem(at: draft, to: url)
    }

    private static let tables = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        """
        CREATE TABLE ZCONVERSATION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTDATE TIMESTAMP,
            ZIDENTIFIER VARCHAR, ZTITLE VARCHAR)
        """,
        """
        CREATE TABLE ZMESSAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISREAD INTEGER,
            ZCONVERSATION INTEGER, ZSENDER INTEGER, ZDATE TIMESTAMP, ZIDENTIFIER VARCHAR, ZTEXT VARCHAR)
        """,
        """
        CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZHANDLE VARCHAR, ZNAME VARCHAR)
        """,
        "CREATE INDEX ZMESSAGE_ZCONVERSATION_INDEX ON ZMESSAGE (ZCONVERSATION)",
        "CREATE INDEX ZMESSAGE_ZSENDER_INDEX ON ZMESSAGE (ZSENDER)",
    ]
}
