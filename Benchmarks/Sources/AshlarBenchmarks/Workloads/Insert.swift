import Ashlar
import BenchmarkHarness
import CLoops
import Foundation
import GRDB

/// Inserts all rows in one transaction. Ashlar's objects are made, set and inserted under the clock.
struct Insert: Workload {
    static let name = "insert"
    static let unit = "all rows"
    static let contestants = Contestant.allCases

    private let store: WriteStore
    /// Made before any clock runs.
    private let sample: [PostValues]

    init(_ stores: Stores) {
        store = WriteStore(stores: stores, template: stores.empty)
        sample = stores.sample.posts
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try store.withCopy(round) { url in
            switch contestant {
            case .cLoop:
                try WriteStore.withCPosts(store.stores.full) { posts in
                    try store.writeByHand(url, round, PostSQL.insert) {
                        try $0.connection.check(CLoopsInsert($0.handle, &posts))
                    }
                }
            case .swiftLoop:
                try store.writeByHand(url, round, PostSQL.insert) { try HandWrittenLoops.insert(sample, $0) }
            case .ashlar: try runInAshlar(url, round)
            case .grdbStatement: try write(url, round) { try Self.insertBySQL($0, $1) }
            case .grdbRecord: try write(url, round) { try GRDBPost($1).insert($0) }
            case .grdbCodable: try write(url, round) { try GRDBCodablePost($1).insert($0) }
            }
        }
    }

    private func runInAshlar(_ url: URL, _ round: Round) throws {
        let context = ModelContext(try store.stores.container(at: url))
        let authors = try context.fetch(Author.all)
        let byRowID = Dictionary(uniqueKeysWithValues: authors.map { ($0.persistentModelID.rowID, $0) })
        try round.measure {
            for values in sample {
                context.insert(
                    Post(
                        favorite: values.favorite, image: values.image, latitude: values.latitude, likes: values.likes,
                        longitude: values.longitude, palette: values.palette, text: values.text,
                        timestamp: values.timestamp, title: values.title,
                        author: values.author.flatMap { byRowID[$0] }))
            }
            try context.save()
        }
    }

    private func write(_ url: URL, _ round: Round, _ insert: (Database, PostValues) throws -> Void) throws {
        let queue = try DatabaseQueue.open(url)
        try round.measure { try queue.write { database in for values in sample { try insert(database, values) } } }
    }

    private static func insertBySQL(_ database: Database, _ values: PostValues) throws {
        try database.cachedStatement(sql: PostSQL.insert).execute(arguments: values.arguments)
    }
}
