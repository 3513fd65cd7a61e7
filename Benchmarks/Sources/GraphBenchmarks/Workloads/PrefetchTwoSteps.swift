import Ashlar
import BenchmarkHarness
import CLoops

/// Fetches all comments with their posts and these posts' authors, and reads the name of each author.
struct PrefetchTwoSteps: Workload {
    static let name = "prefetch two steps"
    static let unit = "all comments"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    private final class LoopAuthor {
        let id: Int64
        let version: Int64
        let name: String

        init(_ row: OpaquePointer) { (id, version, name) = (row.integer(0), row.integer(1), row.text(2)) }
    }

    private let readers: Readers
    private let authors: HandWrittenStatement
    private let posts: HandWrittenStatement
    private let comments: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        authors = try readers.connection.prepare(#"SELECT "id$", "version$", "name" FROM "Author""#)
        posts = try readers.connection.prepare(LoopPost.select)
        comments = try readers.connection.prepare(LoopComment.select)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let sum = try round.measure { () -> UInt64 in
            var sum: UInt64 = 0
            switch contestant {
            case .swiftLoop:
                var all: [LoopComment] = []
                var authorsByRowID: [Int64: LoopAuthor] = [:]
                var postsByRowID: [Int64: LoopPost] = [:]
                try comments.each { all.append(LoopComment($0)) }
                try posts.each {
                    let post = LoopPost($0)
                    postsByRowID[post.id] = post
                }
                try authors.each {
                    let author = LoopAuthor($0)
                    authorsByRowID[author.id] = author
                }
                for comment in all {
                    let post = comment.post.flatMap { postsByRowID[$0] }
                    let author = post?.values.author.flatMap { authorsByRowID[$0] }
                    sum &+= commentDigest(comment.id, author?.name ?? "")
                }
            case .grdbRecord:
                for comment in try readers.queue.commentsWithAuthors() {
                    sum &+= commentDigest(comment.comment.id, comment.author?.name ?? "")
                }
            default:
                let context = ModelContext(readers.container)
                for comment in try context.fetch(Comment.all.prefetch { $0.post.author }) {
                    sum &+= commentDigest(comment.persistentModelID.rowID, comment.post?.author?.name ?? "")
                }
            }
            return sum
        }
        round.verify(Checksum(sum: sum))
    }
}
