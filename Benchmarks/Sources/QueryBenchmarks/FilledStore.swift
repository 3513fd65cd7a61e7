import Ashlar
import CLoops
import Foundation

/// A store with posts all over the world and over three years, the same in every run.
final class FilledStore {
    let rows: Int
    let container: ModelContainer
    /// The same without the R-tree.
    let plainContainer: ModelContainer
    let connection: Connection
    private let folder: URL

    init(rows: Int) throws {
        self.rows = rows
        folder = FileManager.default.temporaryDirectory.appending(path: "QueryBenchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: "posts.store")
        let plainURL = folder.appending(path: "plain.store")
        try Self.fill(url, rows)
        try FileManager.default.copyItem(at: url, to: plainURL)
        container = try ModelContainer(for: PhotoFeedModel.self, at: url)
        plainContainer = try ModelContainer(for: PhotoFeedModel.self, at: plainURL)
        try Connection(plainURL).dropRTree()
        connection = try Connection(url)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func fill(_ url: URL, _ rows: Int) throws {
        _ = try ModelContainer(for: PhotoFeedModel.self, at: url)
        let connection = try Connection(url)
        try connection.execute("BEGIN")
        try connection.execute(
            """
            WITH RECURSIVE "number"("n") AS (SELECT 1 UNION ALL SELECT "n" + 1 FROM "number" WHERE "n" < 1000)
            INSERT INTO "Author" ("name") SELECT 'Author ' || "n" FROM "number"
            """)
        // Powers modulo a prime: spread evenly, in no relation to one another, and alike on all machines.
        try connection.execute(
            """
            WITH RECURSIVE "number"("n") AS (SELECT 1 UNION ALL SELECT "n" + 1 FROM "number" WHERE "n" < \(rows)),
            "square" AS (SELECT "n", "n" * "n" % 2147483647 AS "s" FROM "number"),
            "random" AS (
                SELECT "n", "n" * 1103515245 % 2147483647 / 2147483647.0 AS "a",
                    "s" * 48271 % 2147483647 / 2147483647.0 AS "b",
                    "s" * "n" % 2147483647 * 69621 % 2147483647 / 2147483647.0 AS "c"
                FROM "square")
            INSERT INTO "Post" ("title", "timestamp", "text", "image", "latitude", "longitude", "likes", "favorite", "author")
            SELECT 'Photo ' || "n" || ' of the journey', 7e8 + 1e8 * "a",
                substr(replace(hex(zeroblob(60)), '0', 'Too good a view to keep. '), 1, 25 * (1 + "n" % 5)),
                CASE WHEN "n" % 2 THEN zeroblob(64) END, -60 + 135 * "b", -180 + 360 * "c", "n" * 7 % 500,
                "n" % 8 = 0, 1 + "n" * 31 % 1000
            FROM "random"
            """)
        try connection.execute(
            """
            INSERT INTO "DayCount" ("day", "count")
            SELECT CAST("timestamp" / 86400 AS INTEGER) * 86400.0, count(*) FROM "Post" GROUP BY 1
            """)
        try connection.execute("COMMIT")
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

/// An error of SQLite.
struct ConnectionError: Error, CustomStringConvertible {
    var description: String
}

/// A connection as one opens it by hand, with the settings that Ashlar's have.
final class Connection {
    let database: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    init(_ url: URL) throws {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
            let handle
        else { throw ConnectionError(description: "cannot open the store") }
        database = handle
        for setting in ["synchronous = NORMAL", "cache_size = -16384", "trusted_schema = ON", "secure_delete = FAST"] {
            try execute("PRAGMA \(setting)")
        }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(database)
    }

    func execute(_ sql: String) throws {
        if sqlite3_exec(database, sql, nil, nil, nil) != SQLITE_OK { throw error(sql) }
    }

    func dropRTree() throws {
        for name in ["insert", "delete", "leave", "enter", "move", "renumber", "renumber$leave"] {
            try execute("DROP TRIGGER \"rtree$Post$byPlace$\(name)\"")
        }
        try execute("DROP TABLE \"rtree$Post$byPlace\"")
    }

    /// A statement that is prepared once.
    func statement(_ sql: String) throws -> OpaquePointer {
        if let known = statements[sql] { return known }
        let statement = try prepare(sql)
        statements[sql] = statement
        return statement
    }

    func prepare(_ sql: String) throws -> OpaquePointer {
        var handle: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &handle, nil) == SQLITE_OK, let handle else { throw error(sql) }
        return handle
    }

    private func error(_ doing: String) -> ConnectionError {
        ConnectionError(description: "\(String(cString: sqlite3_errmsg(database))) in: \(doing)")
    }
}
