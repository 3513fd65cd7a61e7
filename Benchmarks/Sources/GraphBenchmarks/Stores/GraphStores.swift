import Ashlar
import BenchmarkHarness
import Foundation

/// The stores of a run, each made when a workload first asks for it.
///
/// Ashlar's own container makes them, so that all work on the same schema with the same indexes and triggers.
final class GraphStores {
    /// The number of posts, of items of a list, of tracks, of notes and of publications.
    let rows: Int
    let folder: StoreFolder
    private var made: [String: URL] = [:]

    init(_ options: Options) throws {
        rows = options.rows
        folder = try StoreFolder("GraphBenchmarks", in: options.folder)
    }

    var authorCount: Int { max(10, rows / 100) }
    var tagCount: Int { max(50, rows / 100) }
    /// Each has 50 tracks.
    var playlistCount: Int { max(1, rows / 50) }

    /// Authors, posts with two comments each, and tags that no post has.
    func posts() throws -> URL {
        try store("posts") {
            [
                series(authorCount, #"INSERT INTO "Author" ("name") SELECT 'Author ' || n FROM series"#),
                series(tagCount, #"INSERT INTO "Tag" ("name") SELECT 'Tag ' || n FROM series"#),
                // Every tenth post belongs to the first author.
                series(
                    rows,
                    """
                    INSERT INTO "Post" (\(PostValues.columns))
                    SELECT 'category ' || (n * 31 % 40), n % 8 = 0, (n * 17 % 13500) / 100.0 - 60, n * 7919 % 501,
                        (n * 13 % 36000) / 100.0 - 180, n % 5 + 1,
                        CASE WHEN n % 2 = 0 THEN 'From the road, number ' || n END,
                        'Too good a view to keep. We stayed until the evening, number ' || n || '.',
                        7e8 + n * 7919 % \(rows), 'Photo ' || n || ' of the journey',
                        CASE WHEN n % 10 = 0 THEN 1 ELSE 2 + n % \(authorCount - 1) END
                    FROM series
                    """),
                series(
                    2 * rows,
                    """
                    INSERT INTO "Comment" ("text", "timestamp", "author", "post")
                    SELECT 'I have been there too, ' || n, 8e8 + n, 1 + n % \(authorCount), 1 + n % \(rows) FROM series
                    """),
            ]
        }
    }

    /// The same, where each post has five tags.
    func taggedPosts() throws -> URL {
        let posts = try posts()
        return try store("tagged", like: posts) {
            [
                series(
                    5 * rows,
                    """
                    INSERT INTO "Post$tags" ("source$", "target$")
                    SELECT 1 + (n - 1) / 5, 1 + ((n - 1) / 5 * 3 + (n - 1) % 5 * 7) % \(tagCount) FROM series
                    """)
            ]
        }
    }

    /// The posts of a store that records its history.
    func recordedPosts() throws -> URL {
        let posts = try posts()
        return try store("recorded", like: posts, isRecorded: true) { [] }
    }

    /// A list with as many items as there are rows.
    func list() throws -> URL {
        try store("list") {
            [
                #"INSERT INTO "ReadingList" ("name") VALUES ('To read')"#,
                series(
                    rows,
                    """
                    INSERT INTO "Item" ("number", "title", "list", "list$order")
                    SELECT n, 'Item ' || n, 1, n << 20 FROM series
                    """),
            ]
        }
    }

    /// Tracks, and playlists without any.
    func tracks() throws -> URL {
        try store("tracks") {
            [
                series(rows, #"INSERT INTO "Track" ("title") SELECT 'Track ' || n FROM series"#),
                series(playlistCount, #"INSERT INTO "Playlist" ("name") SELECT 'Playlist ' || n FROM series"#),
            ]
        }
    }

    /// The same, where each playlist has fifty tracks.
    func playlists() throws -> URL {
        let tracks = try tracks()
        return try store("playlists", like: tracks) {
            [
                series(
                    50 * playlistCount,
                    """
                    INSERT INTO "Playlist$tracks" ("source$", "target$", "target$order")
                    SELECT 1 + (n - 1) / 50, 1 + ((n - 1) * 7 % \(rows)), ((n - 1) % 50 + 1) << 20 FROM series
                    """)
            ]
        }
    }

    /// Notes with a full-text index.
    func notes() throws -> URL {
        let words = [
            "harbour", "bridge", "market", "forest", "river", "castle", "garden", "station", "island", "tower",
        ]
        let list = words.enumerated().map { "(\($0), '\($1)')" }.joined(separator: ", ")
        return try store("notes") {
            [
                """
                WITH word(number, name) AS (VALUES \(list)),
                    series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < \(rows))
                INSERT INTO "Note" ("title", "text")
                SELECT 'The ' || a.name || ' of day ' || n,
                    'We came by the ' || b.name || ' and left by the ' || c.name || ', past stone ' || (n % 997) || '.'
                FROM series JOIN word a ON a.number = n % 10 JOIN word b ON b.number = n / 10 % 10
                    JOIN word c ON c.number = n / 100 % 10
                """
            ]
        }
    }

    /// A quarter of each level of the hierarchy.
    func media() throws -> URL {
        try store("media") {
            [
                series(
                    rows,
                    """
                    INSERT INTO "Medium" ("entity$", "title", "publisher", "interval", "number")
                    SELECT CASE n % 4 WHEN 1 THEN 'Publication' WHEN 2 THEN 'Periodical' WHEN 3 THEN 'Issue' END,
                        'Title ' || n, CASE WHEN n % 4 > 0 THEN 'Publisher ' || (n % 50) END,
                        CASE WHEN n % 4 > 1 THEN n % 31 END, CASE WHEN n % 4 > 2 THEN n END
                    FROM series
                    """)
            ]
        }
    }

    /// A store without rows.
    func empty() throws -> URL { try store("empty") { [] } }

    func container(_ store: URL, historyTracking: Bool? = nil) throws -> ModelContainer {
        try ModelContainer(
            for: GazetteModel.self,
            configurations: ModelConfiguration(url: store, options: StoreOptions(historyTracking: historyTracking)))
    }

    /// Gives a round a copy of a store, and verifies the written data with queries.
    func withCopy(of store: URL, _ round: Round, _ queries: [String], _ body: (URL) throws -> Void) throws {
        let url = try folder.copy(of: store)
        defer { folder.remove(url) }
        try body(url)
        try round.verify(Checksum(url, queries))
    }

    private func series(_ count: Int, _ insertion: String) -> String {
        "WITH series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < \(count)) " + insertion
    }

    private func store(
        _ name: String, like template: URL? = nil, isRecorded: Bool = false, _ statements: () -> [String]
    ) throws -> URL {
        if let url = made[name] { return url }
        let url = folder.url.appending(path: "\(name).store")
        if let template { try folder.copy(template, to: url) }
        if template == nil || isRecorded { _ = try container(url, historyTracking: isRecorded) }
        let connection = try HandWrittenConnection(url)
        try connection.execute("PRAGMA cache_size = -1000000")
        try connection.transaction { for statement in statements() { try connection.execute(statement) } }
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        made[name] = url
        return url
    }
}

/// The ways into one store that is only read.
final class Readers {
    let connection: HandWrittenConnection
    let container: ModelContainer
    let queue: GRDBReader

    init(_ store: URL, _ stores: GraphStores) throws {
        connection = try HandWrittenConnection(store)
        container = try stores.container(store)
        queue = try GRDBReader(store)
    }
}

extension Round {
    /// Measures reading and releasing a value, and verifies it.
    func read<Result>(_ body: () throws -> Result, _ checksum: (Result) -> Checksum) throws {
        var result: Result? = try measure(body)
        if let result { verify(checksum(result)) }
        try measure { result = nil }
    }
}
