import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// Ten of a post's values.
typealias TenValues = (String, Bool, Double, Int64, Double, Int64, String?, String, Date, String)

/// Reads one column of all posts.
struct SelectOne: Workload {
    static let name = "select 1 column"
    static let unit = "all rows"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    private let readers: Readers
    private let statement: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        statement = try readers.connection.prepare(#"SELECT "title" FROM "Post""#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try round.read {
            switch contestant {
            case .swiftLoop:
                var titles: [String] = []
                try statement.each { titles.append($0.text(0)) }
                return titles
            case .grdbRecord: return try readers.queue.titles()
            default: return try ModelContext(readers.container).fetch(Post.select { $0.title })
            }
        } _: {
            Checksum($0) { $0.add($1) }
        }
    }
}

/// Reads two columns of all posts.
struct SelectTwo: Workload {
    static let name = "select 2 columns"
    static let unit = "all rows"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    private let readers: Readers
    private let statement: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        statement = try readers.connection.prepare(#"SELECT "title", "likes" FROM "Post""#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try round.read {
            switch contestant {
            case .swiftLoop:
                var pairs: [(String, Int64)] = []
                try statement.each { pairs.append(($0.text(0), $0.integer(1))) }
                return pairs
            case .grdbRecord: return try readers.queue.titlesAndLikes()
            default: return try ModelContext(readers.container).fetch(Post.select { ($0.title, $0.likes) })
            }
        } _: {
            Checksum($0) {
                $0.add($1.0)
                $0.add($1.1)
            }
        }
    }
}

/// Reads ten columns of all posts.
struct SelectTen: Workload {
    static let name = "select 10 columns"
    static let unit = "all rows"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    private let readers: Readers
    private let statement: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        statement = try readers.connection.prepare(#"SELECT \#(PostValues.columns) FROM "Post""#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try round.read {
            switch contestant {
            case .swiftLoop:
                var rows: [TenValues] = []
                try statement.each { row in
                    rows.append(
                        (
                            row.text(0), row.integer(1) != 0, row.double(2), row.integer(3), row.double(4),
                            row.integer(5), row.optionalText(6), row.text(7), row.date(8), row.text(9)
                        ))
                }
                return rows
            case .grdbRecord: return try readers.queue.tenColumns()
            default:
                return try ModelContext(readers.container).fetch(
                    Post.select {
                        (
                            $0.category, $0.favorite, $0.latitude, $0.likes, $0.longitude, $0.rating, $0.summary,
                            $0.text, $0.timestamp, $0.title
                        )
                    })
            }
        } _: {
            Checksum($0) { digest, row in
                digest.add(row.0)
                digest.add(row.3)
                digest.add(row.6)
                digest.add(row.7)
                digest.add(row.8)
                digest.add(row.9)
            }
        }
    }
}
