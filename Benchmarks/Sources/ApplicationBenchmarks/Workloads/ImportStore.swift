import Ashlar
import AshlarImport
import BenchmarkHarness
import CLoops
import Foundation

/// Imports a store that Core Data wrote, of the size that `--megabytes` gives. The loop copies the rows from one
/// attached database to another.
struct ImportStore: Workload {
    static let name = "import a Core Data store"
    static let unit = "50 MB"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar]
    private static let proofs = [
        #"""
        SELECT "id$", "identifier", "text", "date", "isRead", "conversation", "sender" FROM "Message" ORDER BY "id$"
        """#,
        #"SELECT "id$", "identifier", "title", "lastDate" FROM "Conversation" ORDER BY "id$""#,
        #"SELECT "id$", "handle", "name" FROM "Person" ORDER BY "id$""#,
        #"SELECT count(*) FROM "fulltext$Message$search" WHERE "fulltext$Message$search" MATCH 'harbour'"#,
    ]
    private static let statements = [
        "BEGIN IMMEDIATE",
        #"""
        INSERT INTO "Conversation" ("id$", "version$", "identifier", "lastDate", "title")
        SELECT Z_PK, Z_OPT, ZIDENTIFIER, ZLASTDATE, ZTITLE FROM old.ZCONVERSATION
        """#,
        #"""
        INSERT INTO "Person" ("id$", "version$", "handle", "name") SELECT Z_PK, Z_OPT, ZHANDLE, ZNAME FROM old.ZPERSON
        """#,
        #"""
        INSERT INTO "Message" ("id$", "version$", "date", "identifier", "isRead", "text", "conversation", "sender")
        SELECT Z_PK, Z_OPT, ZDATE, ZIDENTIFIER, ZISREAD, ZTEXT, ZCONVERSATION, ZSENDER FROM old.ZMESSAGE
        """#,
        "COMMIT",
        "PRAGMA wal_checkpoint(TRUNCATE)",
    ]

    private let stores: ApplicationStores
    private let archive: URL
    private let empty: URL

    init(_ stores: ApplicationStores) throws {
        self.stores = stores
        archive = try stores.archive()
        empty = try stores.empty()
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let url = contestant == .swiftLoop ? try stores.folder.copy(of: empty) : stores.folder.newFile()
        defer { stores.folder.remove(url) }
        if contestant == .swiftLoop {
            try round.measure {
                let connection = try HandWrittenConnection(url)
                try connection.execute("ATTACH '\(archive.path)' AS old")
                for statement in Self.statements { try connection.execute(statement) }
            }
        } else {
            try round.measure {
                _ = try ModelContainer.importStore(StoreImport(url: archive), to: url, for: MessengerModel.self)
            }
        }
        try round.verify(Checksum(url, Self.proofs))
    }
}
