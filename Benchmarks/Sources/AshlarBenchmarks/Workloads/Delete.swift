import Ashlar
import BenchmarkHarness
import CLoops
import GRDB

/// Deletes each row by itself in one transaction. All are fetched before.
struct Delete: Workload {
    static let name = "delete"
    static let unit = "each row"
    static let contestants = Contestant.allCases

    private let store: WriteStore

    init(_ stores: Stores) {
        store = WriteStore(stores: stores, template: stores.full)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try store.withCopy(round) { url in
            switch contestant {
            case .cLoop:
                try WriteStore.withCPosts(url) { posts in
                    try store.writeByHand(url, round, PostSQL.delete) {
                        try $0.connection.check(CLoopsDelete($0.handle, &posts))
                    }
                }
            case .swiftLoop:
                let posts = try WriteStore.objects(url)
                try store.writeByHand(url, round, PostSQL.delete) { try HandWrittenLoops.delete(posts, $0) }
            case .ashlar:
                try store.writeWithAshlar(url, round) { context, posts in
                    for post in posts { context.delete(post) }
                }
            case .grdbStatement:
                try WriteStore.write(url, round, GRDBPost.self) { database, posts in
                    for post in posts {
                        try database.cachedStatement(sql: PostSQL.delete).execute(arguments: [post.id])
                    }
                }
            case .grdbRecord:
                try WriteStore.write(url, round, GRDBPost.self) { database, posts in
                    for post in posts { try post.delete(database) }
                }
            case .grdbCodable:
                try WriteStore.write(url, round, GRDBCodablePost.self) { database, posts in
                    for post in posts { try post.delete(database) }
                }
            }
        }
    }
}
