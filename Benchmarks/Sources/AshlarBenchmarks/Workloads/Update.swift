import Ashlar
import BenchmarkHarness
import CLoops
import GRDB

/// Changes one property of each row, with the row's version, in one transaction. All are fetched before.
struct Update: Workload {
    static let name = "update"
    static let unit = "one property of each row"
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
                    try store.writeByHand(url, round, PostSQL.update) {
                        try $0.connection.check(CLoopsUpdate($0.handle, &posts))
                    }
                }
            case .swiftLoop:
                let posts = try WriteStore.objects(url)
                try store.writeByHand(url, round, PostSQL.update) { try HandWrittenLoops.update(posts, $0) }
            case .ashlar:
                try store.writeWithAshlar(url, round) { _, posts in for post in posts { post.likes += 1 } }
            case .grdbStatement: try WriteStore.write(url, round, GRDBPost.self, Self.updateBySQL)
            case .grdbRecord: try WriteStore.write(url, round, GRDBPost.self, Self.updateRecords)
            case .grdbCodable: try WriteStore.write(url, round, GRDBCodablePost.self, Self.updateCodableRecords)
            }
        }
    }

    func runAtRandom(_ round: Round) throws {
        try store.withCopy(round) { url in
            try store.writeWithAshlar(url, round, inOrder: false) { _, posts in for post in posts { post.likes += 1 } }
        }
    }

    private static func updateBySQL(_ database: Database, _ posts: inout [GRDBPost]) throws {
        for index in posts.indices {
            posts[index].values.likes += 1
            let statement = try database.cachedStatement(sql: PostSQL.update)
            try statement.execute(arguments: [posts[index].values.likes, posts[index].id])
        }
    }

    private static func updateRecords(_ database: Database, _ posts: inout [GRDBPost]) throws {
        for index in posts.indices {
            posts[index].values.likes += 1
            posts[index].version += 1
            try posts[index].update(database, columns: ["likes", "version$"])
        }
    }

    private static func updateCodableRecords(_ database: Database, _ posts: inout [GRDBCodablePost]) throws {
        for index in posts.indices {
            posts[index].likes += 1
            posts[index].version += 1
            try posts[index].update(database, columns: ["likes", "version$"])
        }
    }
}

/// The same in random order, beside the C loop in the order of the rows.
struct UpdateAtRandom: Workload {
    static let name = "update at random"
    static let unit = "one property of each row"
    static let contestants: [Contestant] = [.cLoop, .ashlar]

    private let ordered: Update

    init(_ stores: Stores) { ordered = Update(stores) }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .cLoop { try ordered.run(contestant, round) } else { try ordered.runAtRandom(round) }
    }
}
