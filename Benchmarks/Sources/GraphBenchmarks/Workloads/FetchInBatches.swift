import Ashlar
import BenchmarkHarness
import CLoops

/// Walks through all posts in the order of their time, with a hundred objects in memory at a time.
struct FetchInBatches: Workload {
    static let name = "fetch in batches"
    static let unit = "all rows"

    private static let size = 100
    private let readers: Readers
    private let identifiers: HandWrittenStatement
    private let batch: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        identifiers = try readers.connection.prepare(#"SELECT "id$" FROM "Post" ORDER BY "timestamp" DESC, "id$""#)
        let places = (1...Self.size).map { "?\($0)" }.joined(separator: ", ")
        batch = try readers.connection.prepare(LoopPost.select + #" WHERE "id$" IN (\#(places))"#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let checksum = try round.measure {
            var digest = Digest()
            if contestant == .swiftLoop {
                var rowIDs: [Int64] = []
                try identifiers.each { rowIDs.append($0.integer(0)) }
                for start in stride(from: 0, to: rowIDs.count, by: Self.size) {
                    let part = rowIDs[start..<min(start + Self.size, rowIDs.count)]
                    var objects: [Int64: LoopPost] = [:]
                    try batch.each { row in
                        for position in 0..<Self.size {
                            let rowID = position < part.count ? part[start + position] : 0
                            row.bind(rowID, Int32(position + 1))
                        }
                    } _: {
                        let post = LoopPost($0)
                        objects[post.id] = post
                    }
                    for rowID in part { if let post = objects[rowID] { digest.add(post.values.likes) } }
                }
            } else {
                let context = ModelContext(readers.container)
                let posts = try context.fetch(Post.order { $0.timestamp.descending }, batchSize: Self.size)
                for post in posts { if let post { digest.add(post.likes) } }
            }
            return Checksum(sum: digest.value)
        }
        round.verify(checksum)
    }
}
