import Ashlar
import AshlarSQLite
import Foundation

/// The position of a store in its log. It is in a table of its own, so that it changes in the same transactions as the
/// rows.
struct SyncState: Hashable {
    /// The store's site in its log.
    var site: UUID
    /// The position of the last entry that is in the store; nil before the store met the log.
    var head: Int64?
    /// The number of the site's entries in the log.
    var count: Int64 = 0
    /// The model version of the rows in the shadow tables.
    var modelHash: String
    /// The identity that distinguishes the store's file from a copy.
    var file: String

    static let definitions = [
        """
        CREATE TABLE IF NOT EXISTS "ashlar$sync" (
            "isRecording" INTEGER NOT NULL,
            "site" BLOB NOT NULL,
            "head" INTEGER,
            "count" INTEGER NOT NULL,
            "modelHash" TEXT NOT NULL,
            "file" TEXT NOT NULL
        ) STRICT
        """,
        // The outgoing entry, which may have arrived or not.
        """
        CREATE TABLE IF NOT EXISTS "ashlar$syncEntry" (
            "head" INTEGER NOT NULL,
            "entry" BLOB NOT NULL,
            "newest" INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE IF NOT EXISTS "ashlar$syncValue" ("hash" TEXT PRIMARY KEY, "bytes" BLOB NOT NULL) STRICT
        """,
        // The hashes of values that the log was given, of columns whose values snapshots only name.
        """
        CREATE TABLE IF NOT EXISTS "ashlar$syncGiven" ("hash" TEXT PRIMARY KEY) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS "ashlar$syncEvent" (
            "number" INTEGER PRIMARY KEY AUTOINCREMENT, "event" BLOB NOT NULL
        ) STRICT
        """,
        EntryMarks.definition,
        // Objects that have another number now.
        """
        CREATE TABLE IF NOT EXISTS "ashlar$syncAlias" (
            "table" TEXT NOT NULL, "row" INTEGER NOT NULL, "current" INTEGER NOT NULL, PRIMARY KEY ("table", "row")
        ) STRICT, WITHOUT ROWID
        """,
    ]

    /// The names of the tables that hold the state of a store in its log.
    static let tables = [
        "ashlar$sync", "ashlar$syncEntry", "ashlar$syncValue", "ashlar$syncGiven", "ashlar$syncEvent",
        "ashlar$syncAlias", EntryMarks.table,
    ]

    init(site: UUID, modelHash: String, file: String) {
        self.site = site
        self.modelHash = modelHash
        self.file = file
    }

    /// Reads the state; nil if the store follows no log.
    ///
    /// - Throws: ``SyncError/damaged`` if the state is not as ``write(_:)`` writes it.
    init?(_ connection: Connection) throws {
        let rows = try connection.rows(
            "SELECT \"site\", \"head\", \"count\", \"modelHash\", \"file\" FROM \"ashlar$sync\"")
        guard let row = rows.first else { return nil }
        guard rows.count == 1, case .blob(let bytes) = row[0], let site = UUID(bytes: bytes) else {
            throw SyncError.damaged
        }
        self.site = site
        if case .integer(let head) = row[1] { self.head = head }
        count = row[2].storedInteger
        modelHash = row[3].storedText
        file = row[4].storedText
        if count < 0 || (head ?? 0) < 0 { throw SyncError.damaged }
    }

    func write(_ connection: Connection) throws(SQLiteError) {
        let isKnown = try connection.integer("SELECT count(*) FROM \"ashlar$sync\"") ?? 0 > 0
        let values: [SQLiteValue] = [
            .blob(site.bytes), head.map { .integer($0) } ?? .null, .integer(count), .text(modelHash), .text(file),
        ]
        try connection.run(
            isKnown
                ? "UPDATE \"ashlar$sync\" SET \"site\" = ?1, \"head\" = ?2, \"count\" = ?3, \"modelHash\" = ?4, \"file\" = ?5"
                : "INSERT INTO \"ashlar$sync\" (\"isRecording\", \"site\", \"head\", \"count\", \"modelHash\", \"file\") "
                    + "VALUES (1, ?1, ?2, ?3, ?4, ?5)", values)
    }

    /// Makes the store a site of its own. An entry in place of the outgoing one then identifies the former site's
    /// entries after this store's head.
    ///
    /// - Parameter body: The changes that the log does not have, if the former site is known to have them too.
    mutating func beginSite(sharing body: EntryBody?, _ connection: Connection) throws {
        let known = try OutgoingEntry(connection)
        if known == nil || known?.entry.site == site {
            try OutgoingEntry.remove(connection)
            if let head {
                let former = SyncEntry(
                    kind: .changes, site: site, count: count + 1, modelHash: modelHash, date: Date(),
                    body: body?.data ?? Data(), id: nil)
                let largeValues = body?.largeValues ?? [:]
                try OutgoingEntry(entry: former, head: head, newest: 0, largeValues: largeValues).write(connection)
            }
        }
        site = UUID()
        count = 0
        try write(connection)
    }

    /// Turns the triggers that keep earlier rows on or off.
    static func setRecording(_ isOn: Bool, _ connection: Connection) throws(SQLiteError) {
        try connection.run("UPDATE \"ashlar$sync\" SET \"isRecording\" = ?1", [.integer(isOn ? 1 : 0)])
    }
}

/// An entry that is on its way, or may have arrived.
///
/// In a store that was copied or put back, it is the entry that the former site may have sent: with the changes that
/// both have, or empty. The store sends nothing until it has read the former site's entries in the log.
struct OutgoingEntry {
    var entry: SyncEntry
    /// The position that it is to come after.
    var head: Int64
    /// The number of the newest change in the store's history when it was made.
    var newest: Int64
    var largeValues: [String: Data] = [:]

    /// Whether sending it in vain costs less than asking first.
    var isSmall: Bool { largeValues.isEmpty && entry.body.count < 65_536 }

    init(entry: SyncEntry, head: Int64, newest: Int64, largeValues: [String: Data]) {
        self.entry = entry
        self.head = head
        self.newest = newest
        self.largeValues = largeValues
    }

    init?(_ connection: Connection) throws {
        let rows = try connection.rows("SELECT \"head\", \"entry\", \"newest\" FROM \"ashlar$syncEntry\"")
        guard let row = rows.first else { return nil }
        guard case .blob(let content) = row[1], let entry = try? JSONDecoder().decode(SyncEntry.self, from: content)
        else {
            throw SyncError.damaged
        }
        self.entry = entry
        head = row[0].storedInteger
        newest = row[2].storedInteger
        for row in try connection.rows("SELECT \"hash\", \"bytes\" FROM \"ashlar$syncValue\"") {
            if case .blob(let bytes) = row[1] { largeValues[row[0].storedText] = bytes }
        }
        // An earlier version of Ashlar made it.
        if self.entry.largeValues == nil { self.entry.largeValues = largeValues.keys.sorted() }
    }

    func write(_ connection: Connection) throws {
        try Self.remove(connection)
        try connection.run(
            "INSERT INTO \"ashlar$syncEntry\" (\"head\", \"entry\", \"newest\") VALUES (?1, ?2, ?3)",
            [.integer(head), .blob(try JSONEncoder().encode(entry)), .integer(newest)])
        for (hash, bytes) in largeValues {
            let statement = try connection.statement(
                "INSERT INTO \"ashlar$syncValue\" (\"hash\", \"bytes\") VALUES (?1, ?2)")
            statement.bind(hash, 1)
            statement.bindStored(.blob(bytes), 2)
            try statement.run()
        }
    }

    /// Removes the entry if it is one of a site.
    static func remove(of site: UUID, _ connection: Connection) throws {
        if try OutgoingEntry(connection)?.entry.site == site { try remove(connection) }
    }

    static func remove(_ connection: Connection) throws(SQLiteError) {
        try connection.execute("DELETE FROM \"ashlar$syncEntry\"")
        try connection.execute("DELETE FROM \"ashlar$syncValue\"")
    }
}

extension UUID {
    /// Of 16 bytes; nil of any other number.
    init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { _ = bytes.copyBytes(to: $0) }
        self.init(uuid: value)
    }
}
