import Ashlar
import BenchmarkHarness
import CLoops

/// Inserts all rows, given as values, in one transaction.
struct BatchInsert: Workload {
    static let name = "batch insert"
    static let unit = "all rows"
    static let contestants: [Contestant] = [.cLoop, .swiftLoop, .ashlar]

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
            default:
                let context = ModelContext(try store.stores.container(at: url))
                let values = try Self.values(of: sample, context)
                try round.measure { _ = try context.batchInsert(contentsOf: values) }
            }
        }
    }

    /// The posts as Ashlar's values, made before the clock runs.
    static func values(of posts: some Sequence<PostValues>, _ context: ModelContext) throws -> [Post.Values] {
        let authors = try context.fetchIdentifiers(Author.all)
        let byRowID = Dictionary(uniqueKeysWithValues: authors.map { ($0.rowID, $0) })
        return posts.map { post in
            Post.Values(
                favorite: post.favorite, image: post.image, latitude: post.latitude, likes: post.likes,
                longitude: post.longitude, palette: post.palette, text: post.text, timestamp: post.timestamp,
                title: post.title, author: post.author.flatMap { byRowID[$0] })
        }
    }
}
