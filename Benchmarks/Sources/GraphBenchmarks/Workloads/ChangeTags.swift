import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// The tags and posts of a store as one loads them before changing their relationship.
struct LoopTagging {
    var posts: [LoopPost] = []
    var tags: [LoopTag] = []

    init(_ connection: HandWrittenConnection, withTags: Bool) throws {
        try connection.prepare(LoopPost.select).each { posts.append(LoopPost($0)) }
        try connection.prepare(#"SELECT "id$", "name" FROM "Tag""#).each {
            tags.append(LoopTag(id: $0.integer(0), name: $0.text(1)))
        }
        if !withTags { return }
        // Identifiers count from 1 without a gap.
        try connection.prepare(#"SELECT "source$", "target$" FROM "Post$tags""#).each {
            posts[Int($0.integer(0)) - 1].tags.append(tags[Int($0.integer(1)) - 1])
        }
    }
}

/// Appends five tags to each post, and saves. Posts and tags were fetched before.
struct AppendTags: Workload {
    static let name = "append five tags"
    static let unit = "each post"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    static let proof = #"SELECT "source$", "target$" FROM "Post$tags" ORDER BY 1, 2"#
    static let proofs = [
        proof, #"SELECT "id$", "version$" FROM "Post" ORDER BY "id$""#,
        #"SELECT "id$", "version$" FROM "Tag" ORDER BY "id$""#,
    ]
    private let stores: GraphStores
    private let template: URL

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.posts()
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try stores.withCopy(of: template, round, Self.proofs) { url in
            switch contestant {
            case .swiftLoop:
                let connection = try HandWrittenConnection(url)
                let loaded = try LoopTagging(connection, withTags: false)
                let insert = try connection.prepare(#"INSERT INTO "Post$tags" ("source$", "target$") VALUES (?1, ?2)"#)
                var changed: Set<Int64> = []
                try round.measure {
                    try connection.transaction {
                        for (index, post) in loaded.posts.enumerated() {
                            for number in 0..<5 {
                                let tag = loaded.tags[place(index, number, loaded.tags.count)]
                                post.tags.append(tag)
                                changed.insert(tag.id)
                                try insert.run {
                                    $0.bind(post.id, 1)
                                    $0.bind(tag.id, 2)
                                }
                            }
                        }
                        try connection.countUp("Post", loaded.posts.lazy.map(\.id))
                        try connection.countUp("Tag", changed)
                    }
                }
            case .grdbRecord:
                let count = stores.tagCount
                try GRDBReader(url).insertPairs(round) { insert in
                    for index in 0..<stores.rows {
                        for number in 0..<5 { try insert(Int64(index + 1), Int64(place(index, number, count) + 1)) }
                    }
                }
            default:
                let context = ModelContext(try stores.container(url))
                let posts = try context.fetch(Post.all)
                let tags = try context.fetch(Tag.all)
                try round.measure {
                    for (index, post) in posts.enumerated() {
                        for number in 0..<5 { post.tags.append(tags[place(index, number, tags.count)]) }
                    }
                    try context.save()
                }
            }
        }
    }

    @inline(__always)
    private func place(_ index: Int, _ number: Int, _ count: Int) -> Int { (index &* 3 &+ number &* 7) % count }
}

/// Takes two of the five tags from each post, which were read before, and saves.
struct RemoveTags: Workload {
    static let name = "remove two tags"
    static let unit = "each post"

    private let stores: GraphStores
    private let template: URL

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.taggedPosts()
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try stores.withCopy(of: template, round, AppendTags.proofs) { url in
            if contestant == .swiftLoop {
                let connection = try HandWrittenConnection(url)
                let loaded = try LoopTagging(connection, withTags: true)
                let delete = try connection.prepare(
                    #"DELETE FROM "Post$tags" WHERE "source$" = ?1 AND "target$" = ?2"#)
                var changed: Set<Int64> = []
                try round.measure {
                    try connection.transaction {
                        for post in loaded.posts {
                            let doomed = Self.doomed(post.tags) { $0.id }
                            for tag in doomed {
                                changed.insert(tag.id)
                                try delete.run {
                                    $0.bind(post.id, 1)
                                    $0.bind(tag.id, 2)
                                }
                            }
                            post.tags.removeAll { tag in doomed.contains { $0 === tag } }
                        }
                        try connection.countUp("Post", loaded.posts.lazy.map(\.id))
                        try connection.countUp("Tag", changed)
                    }
                }
            } else {
                let context = ModelContext(try stores.container(url))
                let posts = try context.fetch(Post.all)
                for post in posts { _ = post.tags.count }
                try round.measure {
                    for post in posts {
                        for tag in Self.doomed(Array(post.tags), { $0.persistentModelID.rowID }) {
                            post.tags.remove(tag)
                        }
                    }
                    try context.save()
                }
            }
        }
    }

    /// The two with the least numbers, whatever the order.
    private static func doomed<Element>(_ tags: [Element], _ rowID: (Element) -> Int64) -> [Element] {
        Array(tags.sorted { rowID($0) < rowID($1) }.prefix(2))
    }
}
