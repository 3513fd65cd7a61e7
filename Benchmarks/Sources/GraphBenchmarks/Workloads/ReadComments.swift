import Ashlar
import BenchmarkHarness
import CLoops

/// Adds up a comment, so that the order of a post's comments does not matter.
@inline(__always)
func commentDigest(_ id: Int64, _ text: String) -> UInt64 {
    UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(text.utf8.count)
}

/// Reads the comments of all posts, two each, that were fetched before; GRDB fetches the posts with them.
struct ReadAllComments: Workload {
    static let name = "comments of all posts"
    static let unit = "all rows, two each"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    private let readers: Readers
    private let posts: HandWrittenStatement
    private let comments: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        posts = try readers.connection.prepare(LoopPost.select)
        comments = try readers.connection.prepare(LoopComment.select)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        switch contestant {
        case .swiftLoop:
            var all: [LoopPost] = []
            try posts.each { all.append(LoopPost($0)) }
            try sum(round) {
                var byRowID = [Int64: LoopPost](minimumCapacity: all.count)
                for post in all { byRowID[post.id] = post }
                try comments.each {
                    let comment = LoopComment($0)
                    if let post = comment.post { byRowID[post]?.comments.append(comment) }
                }
                var sum: UInt64 = 0
                for post in all { for comment in post.comments { sum &+= commentDigest(comment.id, comment.text) } }
                return sum
            }
            try round.measure { all = [] }
        case .grdbRecord:
            try sum(round) {
                var sum: UInt64 = 0
                for post in try readers.queue.postsWithComments() {
                    for comment in post.comments { sum &+= commentDigest(comment.id, comment.text) }
                }
                return sum
            }
        default:
            var context: ModelContext? = ModelContext(readers.container)
            var all = try context?.fetch(Post.all) ?? []
            try sum(round) {
                var sum: UInt64 = 0
                for post in all {
                    for comment in post.comments {
                        sum &+= commentDigest(comment.persistentModelID.rowID, comment.text)
                    }
                }
                return sum
            }
            try round.measure {
                all = []
                context = nil
            }
        }
    }

    private func sum(_ round: Round, _ body: () throws -> UInt64) throws {
        let sum = try round.measure(body)
        round.verify(Checksum(sum: sum))
    }
}

/// Reads the comments of one post while all posts are registered; five times, each in a new context. The loops have
/// read all posts before, too, which removes the needed data from the processor's caches. All have the post in hand
/// when the clock starts.
struct ReadCommentsOfOne: Workload {
    static let name = "comments of one post"
    static let unit = "5 times"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    private let readers: Readers
    private let rows: Int
    private let posts: HandWrittenStatement
    private let comments: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        rows = stores.rows
        posts = try readers.connection.prepare(LoopPost.select)
        comments = try readers.connection.prepare(LoopComment.select + #" WHERE "post" = ?1"#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        var total: UInt64 = 0
        for number in 1...5 {
            let place = rows / 6 * number
            switch contestant {
            case .swiftLoop:
                var all: [LoopPost] = []
                try posts.each { all.append(LoopPost($0)) }
                defer { withExtendedLifetime(all) {} }
                let post = all[place]
                total &+= try round.measure {
                    var found: [LoopComment] = []
                    try comments.each {
                        $0.bind(post.id, 1)
                    } _: {
                        found.append(LoopComment($0))
                    }
                    return found.reduce(0) { $0 &+ commentDigest($1.id, $1.text) }
                }
            case .grdbRecord:
                let all = try readers.queue.posts()
                defer { withExtendedLifetime(all) {} }
                let post = all[place]
                total &+= try round.measure {
                    try readers.queue.comments(of: post).reduce(0) { $0 &+ commentDigest($1.id, $1.text) }
                }
            default:
                let context = ModelContext(readers.container)
                let posts = try context.fetch(Post.all)
                defer { withExtendedLifetime(posts) {} }
                let post = posts[place]
                total &+= try round.measure {
                    post.comments.reduce(0) { $0 &+ commentDigest($1.persistentModelID.rowID, $1.text) }
                }
            }
        }
        round.verify(Checksum(sum: total))
    }
}
