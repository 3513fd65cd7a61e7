import Ashlar
import BenchmarkHarness
import Foundation

/// The stores of a run, each made when a workload first asks for it.
///
/// Ashlar's own container makes them, so that all work on the same schema with the same indexes and triggers.
final class ApplicationStores {
    /// The number of messages. Half of them belong to the first conversation.
    let rows: Int
    let megabytes: Int
    let folder: StoreFolder
    /// The folder of the stores that copies are made of.
    let kept: URL

    init(_ options: Options) throws {
        (rows, megabytes) = (options.rows, options.megabytes)
        folder = try StoreFolder("ApplicationBenchmarks", in: options.folder)
        kept = options.stores ?? folder.url
        try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
    }

    var conversationCount: Int { max(40, rows / 100) }
    var personCount: Int { max(20, rows / 200) }

    /// The number of the messages of the first conversation.
    var longest: Int { rows / 2 }

    /// The conversation that is on the screen.
    static let opened = "conversation 1"

    static func date(_ number: Int) -> Double { 7e8 + Double(number) }

    func makeAll() throws {
        _ = try messages()
        _ = try archive()
        _ = try empty()
    }

    /// Conversations with messages. No two messages have the same date.
    func messages() throws -> URL {
        try store("messages-\(rows)") { connection in
            try connection.execute(
                """
                INSERT INTO "Person" ("handle", "name")
                SELECT 'person ' || n, 'Person number ' || n FROM (\(Self.series(personCount)))
                """)
            try connection.execute(
                """
                INSERT INTO "Conversation" ("identifier", "title", "lastDate")
                SELECT 'conversation ' || n, 'Conversation number ' || n, 0 FROM (\(Self.series(conversationCount)))
                """)
            try connection.execute(
                """
                INSERT INTO "Message" ("identifier", "text", "date", "isRead", "conversation", "sender")
                SELECT 'message ' || n, \(Self.text), 7e8 + n, n % 20 > 0,
                    CASE WHEN n % 2 = 1 THEN 1 ELSE 2 + n / 2 % \(conversationCount - 1) END, 1 + n * 7 % \(personCount)
                FROM (\(Self.series(rows)))
                """)
            try connection.execute(
                """
                UPDATE "Conversation" SET "lastDate" = coalesce(
                    (SELECT max("date") FROM "Message" WHERE "conversation" = "Conversation"."id$"), 0)
                """)
        }
    }

    /// A store without rows.
    func empty() throws -> URL { try store("empty") { _ in } }

    /// A store as Core Data writes one, with longer messages.
    func archive() throws -> URL {
        let url = kept.appending(path: "archive-\(megabytes).sqlite")
        if !FileManager.default.fileExists(atPath: url.path) { try CoreDataArchive.make(url, megabytes * 3000) }
        return url
    }

    func container(_ store: URL) throws -> ModelContainer { try ModelContainer(for: MessengerModel.self, at: store) }

    /// Gives a round a copy of a store, and verifies the written data with queries.
    func withCopy(of store: URL, _ round: Round, _ queries: [String], _ body: (URL) throws -> Void) throws {
        let url = try folder.copy(of: store)
        defer { folder.remove(url) }
        try body(url)
        try round.verify(Checksum(url, queries))
    }

    /// The numbers from one on.
    static func series(_ count: Int) -> String {
        "WITH series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < \(count)) SELECT n FROM series"
    }

    /// The text of message n, of three out of forty words that follow each other in each order.
    static let text: String = {
        let words = [
            "harbour", "house", "hill", "horse", "light", "line", "lake", "lamp", "bridge", "bread", "book", "boat",
            "market", "morning", "mountain", "music", "forest", "friend", "flower", "field", "river", "road", "rain",
            "ring", "castle", "candle", "coffee", "corner", "garden", "glass", "green", "guitar", "station", "summer",
            "street", "stone", "island", "tower", "window", "winter",
        ]
        let list = words.map { "\"\($0)\"" }.joined(separator: ",")
        func word(_ index: String) -> String { "('[\(list)]' ->> ('$[' || (\(index)) || ']'))" }
        return "'We saw the ' || \(word("n % 40")) || ' ' || \(word("n / 40 % 40")) || ' and the ' || "
            + "\(word("n / 1600 % 40")) || ' of day ' || (n % 997) || '.'"
    }()

    private func store(_ name: String, _ fill: (HandWrittenConnection) throws -> Void) throws -> URL {
        let url = kept.appending(path: "\(name).store")
        if FileManager.default.fileExists(atPath: url.path) { return url }
        // Under another name until it is whole.
        let draft = kept.appending(path: "\(name).draft")
        folder.remove(draft)
        _ = try container(draft)
        let connection = try HandWrittenConnection(draft)
        try connection.execute("PRAGMA cache_size = -1000000")
        try connection.transaction { try fill(connection) }
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.moveItem(at: draft, to: url)
        return url
    }
}

extension Checksum {
    /// Over all values of all rows of queries.
    init(_ store: URL, _ queries: [String]) throws {
        self.init()
        let connection = try HandWrittenConnection(store)
        for query in queries {
            try connection.prepare(query).each { row in
                var values: [String] = []
                for column in 0..<row.columnCount { values.append(row.text(column)) }
                add(values)
            }
        }
    }

    /// Adds texts that were read.
    mutating func add(_ values: [String]) {
        var hash: UInt64 = 0x2018_0604
        for value in values {
            for byte in value.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        add(hash)
    }
}
