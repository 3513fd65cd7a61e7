import Ashlar
import BenchmarkHarness
import CLoops

/// Reads a number of each of a thousand posts, a thousand times: milliseconds are nanoseconds for each.
///
/// The Swift loop reads structs in an array; Ashlar reads objects, of a context without observers.
struct ReadNumber: Workload {
    static let name = "read number"
    static let unit = "1,000,000 times"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar]

    private let posts: HotPosts

    init(_ stores: Stores) throws { posts = try HotPosts(stores) }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .ashlar {
            try posts.withObjects(round) { posts, sum in for post in posts { sum &+= post.likes } }
        } else {
            try posts.withStructs(round) { posts, sum in for post in posts { sum &+= post.likes } }
        }
    }
}

/// Writes a number.
struct WriteNumber: Workload {
    static let name = "write number"
    static let unit = "1,000,000 times"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar]

    private let posts: HotPosts

    init(_ stores: Stores) throws { posts = try HotPosts(stores) }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .ashlar {
            try posts.withObjects(round) { posts, sum in
                for post in posts {
                    sum &+= 1
                    post.likes = sum
                }
            }
        } else {
            try posts.withStructs(round) { posts, sum in
                for index in posts.indices {
                    sum &+= 1
                    posts[index].likes = sum
                }
            }
        }
    }
}

/// Reads a text.
struct ReadText: Workload {
    static let name = "read text"
    static let unit = "1,000,000 times"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar]

    private let posts: HotPosts

    init(_ stores: Stores) throws { posts = try HotPosts(stores) }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .ashlar {
            try posts.withObjects(round) { posts, sum in for post in posts { sum &+= Int64(post.text.utf8.count) } }
        } else {
            try posts.withStructs(round) { posts, sum in for post in posts { sum &+= Int64(post.text.utf8.count) } }
        }
    }
}

/// A thousand posts as structs and as objects.
private struct HotPosts {
    private static let count = 1_000

    private let container: ModelContainer
    private let structs: [PostValues]

    init(_ stores: Stores) throws {
        container = try stores.container(at: stores.full)
        structs = Array(stores.sample.posts.prefix(Self.count))
    }

    func withStructs(_ round: Round, _ pass: (inout [PostValues], inout Int64) -> Void) throws {
        var structs = structs
        var sum: Int64 = 0
        try round.measure { for _ in 0..<1_000 { pass(&structs, &sum) } }
        round.verify(Checksum(count: structs.count, sum: UInt64(bitPattern: sum)))
    }

    func withObjects(_ round: Round, _ pass: ([Post], inout Int64) -> Void) throws {
        let context = ModelContext(container)
        let posts = try context.fetch(Post.all.limit(Self.count))
        var sum: Int64 = 0
        try round.measure { for _ in 0..<1_000 { pass(posts, &sum) } }
        round.verify(Checksum(count: posts.count, sum: UInt64(bitPattern: sum)))
    }
}
