import Ashlar
import BenchmarkHarness
import CLoops

/// Counts the posts with more than a number of likes ten times, while one post has an unsaved change.
struct CountBesideChange: Workload {
    static let name = "count beside a change"
    static let unit = "10 times"

    private let readers: Readers
    private let count: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        count = try readers.connection.prepare(#"SELECT count(*) FROM "Post" WHERE "likes" > ?1 AND "id$" <> ?2"#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        var counts: [Int] = []
        if contestant == .swiftLoop {
            let changedLikes: Int64 = 495
            try round.measure {
                for least in 0..<10 {
                    var result = changedLikes > Int64(least) * 50 ? 1 : 0
                    try count.each {
                        $0.bind(Int64(least) * 50, 1)
                        $0.bind(7, 2)
                    } _: {
                        result += Int($0.integer(0))
                    }
                    counts.append(result)
                }
            }
        } else {
            let context = ModelContext(readers.container)
            let post = try context.fetchFirst(Post.where { $0.title == "Photo 7 of the journey" })
            post?.likes = 495
            try round.measure {
                for least in 0..<10 {
                    counts.append(try context.fetchCount(Post.where { $0.likes > Int64(least) * 50 }))
                }
            }
        }
        round.verify(Checksum(counts) { $0.add(Int64($1)) })
    }
}

/// The number, the likes and the best rating of the posts of each category.
typealias GroupRow = (String, Int, Int64, Int64)

/// Counts and adds up by category; nothing is unsaved.
struct Groups: Workload {
    static let name = "groups"
    static let unit = "all rows in 40 groups"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    static let sql = #"""
        SELECT "category", count(*), sum("likes"), max("rating") FROM "Post" GROUP BY "category" ORDER BY "category"
        """#
    private let readers: Readers
    private let statement: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        statement = try readers.connection.prepare(Self.sql)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try round.read { () -> [GroupRow] in
            switch contestant {
            case .swiftLoop:
                var rows: [GroupRow] = []
                try statement.each { rows.append(($0.text(0), Int($0.integer(1)), $0.integer(2), $0.integer(3))) }
                return rows
            case .grdbRecord: return try readers.queue.groups()
            default: return try Self.fetch(ModelContext(readers.container))
            }
        } _: {
            Self.checksum($0)
        }
    }

    static func fetch(_ context: ModelContext) throws -> [GroupRow] {
        let rows: [(String, Int, Int64, Int64?)] = try context.fetch(
            Post.group { $0.category }.order { $0.category }
                .select { ($0.category, .count, .sum($0.likes), .maximum($0.rating)) })
        return rows.map { ($0.0, $0.1, $0.2, $0.3 ?? 0) }
    }

    static func checksum(_ rows: [GroupRow]) -> Checksum {
        Checksum(rows) {
            $0.add($1.0)
            $0.add(Int64($1.1))
            $0.add($1.2)
            $0.add($1.3)
        }
    }
}

/// The same while a thousand posts, or half of them, have an unsaved change.
struct GroupsBesideChanges: Workload {
    static let name = "groups, 1,000 unsaved"
    static let unit = "all rows in 40 groups"

    private let readers: Readers
    private let changedCount: Int
    private let statement: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        changedCount = min(1000, stores.rows / 2)
        statement = try readers.connection.prepare(
            #"""
            SELECT "category", count(*), sum("likes"), max("rating") FROM "Post"
            WHERE "id$" NOT IN (SELECT value FROM json_each(?1)) GROUP BY "category"
            """#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .swiftLoop {
            var changed: [LoopPost] = []
            try readers.connection.prepare(LoopPost.select + #" WHERE "id$" <= \#(changedCount)"#).each {
                changed.append(LoopPost($0))
            }
            for post in changed { post.values.likes += 1 }
            try round.read { () -> [GroupRow] in
                var groups: [String: GroupRow] = [:]
                try statement.each {
                    $0.bind("[\(changed.map { String($0.id) }.joined(separator: ","))]", 1)
                } _: {
                    let row = ($0.text(0), Int($0.integer(1)), $0.integer(2), $0.integer(3))
                    groups[row.0] = row
                }
                for post in changed {
                    let values = post.values
                    var row = groups[values.category] ?? (values.category, 0, 0, 0)
                    row = (row.0, row.1 + 1, row.2 + values.likes, max(row.3, values.rating))
                    groups[values.category] = row
                }
                return groups.values.sorted { $0.0 < $1.0 }
            } _: {
                Groups.checksum($0)
            }
        } else {
            let context = ModelContext(readers.container)
            let posts = try context.fetch(Post.all.limit(changedCount))
            for post in posts { post.likes += 1 }
            try round.read {
                try Groups.fetch(context)
            } _: {
                Groups.checksum($0)
            }
        }
    }
}
