import AshlarSQLite
import Foundation

/// The tables of a log in an SQLite file, and the formats of such files.
enum StoreLogFile {
    /// The number by which SQLite files of this kind are known.
    private static let applicationID: Int64 = 0x4173_6C67
    private static let format: Int64 = 2

    /// Makes the tables of a new file, and refuses a file that is not a log.
    ///
    /// - Throws: ``SyncLogError/refused(reason:)``, or an error of SQLite or of the file system.
    static func prepare(_ connection: Connection, _ path: String) throws {
        try connection.distrustFile()
        let isEmpty = try connection.schema().objects.isEmpty
        // SQLite takes a file that is too short for one of its own for an empty one.
        if isEmpty, let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber,
            (1..<512).contains(size.intValue)
        {
            throw SyncLogError.refused(reason: "the file is not a log of Ashlar. Give the log another path.")
        }
        if !isEmpty {
            guard try connection.integer("PRAGMA application_id") == applicationID else {
                throw SyncLogError.refused(reason: "the file is not a log of Ashlar. Give the log another path.")
            }
            if try connection.integer("PRAGMA user_version") == 1 { try update(connection) }
            guard try connection.integer("PRAGMA user_version") == format else {
                throw SyncLogError.refused(
                    reason: "the file was written by a newer version of Ashlar. Update this program.")
            }
            return try requireOwnSchema(connection, definitions)
        }
        _ = try connection.rows("PRAGMA journal_mode = WAL")
        try connection.execute("BEGIN IMMEDIATE")
        try connection.finishTransaction {
            // Another program may have made it meanwhile.
            if try !connection.schema().objects.isEmpty { return }
            for statement in definitions { try connection.execute(statement) }
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(format)")
        }
    }

    /// Makes a file of the first format, whose entries have no identity, one of the present format.
    private static func update(_ connection: Connection) throws {
        try connection.execute("BEGIN IMMEDIATE")
        try connection.finishTransaction {
            // Another program may have done so meanwhile.
            guard try connection.integer("PRAGMA user_version") == 1 else { return }
            try requireOwnSchema(connection, definitions.filter { $0 != identities })
            try connection.execute(identities)
            try connection.execute("PRAGMA user_version = \(format)")
        }
    }

    private static let identities =
        "CREATE TABLE \"identity\" (\"position\" INTEGER PRIMARY KEY, \"id\" BLOB NOT NULL) STRICT"

    private static let definitions = [
        """
        CREATE TABLE "entry" (
            "position" INTEGER PRIMARY KEY AUTOINCREMENT,
            "site" BLOB NOT NULL,
            "count" INTEGER NOT NULL,
            "content" BLOB,
            UNIQUE ("site", "count")
        ) STRICT
        """,
        """
        CREATE TABLE "snapshot" (
            "id" BLOB PRIMARY KEY,
            "position" INTEGER NOT NULL,
            "isProposed" INTEGER NOT NULL,
            "description" BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE "part" (
            "snapshot" BLOB NOT NULL REFERENCES "snapshot" ("id") ON DELETE CASCADE,
            "number" INTEGER NOT NULL,
            "bytes" BLOB NOT NULL,
            PRIMARY KEY ("snapshot", "number")
        ) STRICT
        """,
        "CREATE TABLE \"value\" (\"hash\" TEXT PRIMARY KEY, \"bytes\" BLOB NOT NULL) STRICT",
        "CREATE TABLE \"state\" (\"nextIdentifier\" INTEGER NOT NULL, \"compacted\" INTEGER NOT NULL) STRICT",
        "INSERT INTO \"state\" (\"nextIdentifier\", \"compacted\") VALUES (\(SyncIdentifiers.firstLeased), 0)",
        identities,
    ]

    /// Refuses a file that has other tables than a log, or more. A trigger from another program could do anything.
    private static func requireOwnSchema(_ connection: Connection, _ definitions: [String]) throws {
        let found = try connection.schema().objects.filter { $0.name != "sqlite_sequence" }.compactMap(\.sql)
        let own = Set(definitions.filter { $0.hasPrefix("CREATE") })
        guard found.count == own.count, Set(found) == own else {
            throw SyncLogError.refused(
                reason: "the file has other tables than a log, or they were changed. Give the log another path.")
        }
    }
}
