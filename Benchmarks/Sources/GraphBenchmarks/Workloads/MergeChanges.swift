import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// Posts as a loop keeps them in memory, with the statement that reads one of them anew.
struct LoopContext {
    private(set) var posts: [LoopPost] = []
    private(set) var map: [Int64: LoopPost] = [:]
    private let one: HandWrittenStatement

    init(_ connection: HandWrittenConnection) throws {
        one = try connection.prepare(LoopPost.select + #" WHERE "id$" = ?1"#)
        try connection.prepare(LoopPost.select).each { posts.append(LoopPost($0)) }
        for post in posts { map[post.id] = post }
    }

    /// Reads the row of a registered object anew.
    @inline(__always)
    func refresh(_ rowID: Int64) throws {
        guard let post = map[rowID] else { return }
        try one.each {
            $0.bind(rowID, 1)
        } _: { row in
            let version = row.integer(1)
            if version == post.version { return }
            post.version = version
            post.values = .decode(row, from: 2)
        }
    }

    var checksum: Checksum { Checksum(posts) { $0.add($1.values.likes) } }
}

/// Merges 10,000 changed objects, or a tenth of all, into a context that has all posts. Both have merged two before, so
/// that costs that occur once are not measured.
struct MergeChanges: Workload {
    static let name = "merge changes"
    static let unit = "10,000, or a tenth"

    private let stores: GraphStores
    private let template: URL
    private let count: Int

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.posts()
        count = min(10_000, stores.rows / 10)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let url = try stores.folder.copy(of: template)
        defer { stores.folder.remove(url) }
        let rowIDs = (0..<count).map { Int64($0 * 7 % stores.rows + 1) }
        if contestant == .swiftLoop {
            let connection = try HandWrittenConnection(url)
            let context = try LoopContext(connection)
            let update = try connection.prepare(
                #"UPDATE "Post" SET "likes" = "likes" + 1, "version$" = "version$" + 1 WHERE "id$" = ?1"#)
            func change(_ rowIDs: some Sequence<Int64>) throws {
                try connection.transaction { for rowID in rowIDs { try update.run { $0.bind(rowID, 1) } } }
            }
            func merge(_ rowIDs: some Sequence<Int64>) throws {
                try connection.execute("BEGIN")
                for rowID in rowIDs { try context.refresh(rowID) }
                try connection.execute("COMMIT")
            }
            try change(rowIDs.prefix(2))
            try merge(rowIDs.prefix(2))
            try change(rowIDs)
            try round.measure { try merge(rowIDs) }
            round.verify(context.checksum)
        } else {
            let container = try stores.container(url)
            let (context, other) = (ModelContext(container), ModelContext(container))
            let posts = try context.fetch(Post.all)
            let others = try other.fetch(Post.all)
            func change(_ rowIDs: some Sequence<Int64>) throws -> ContextNotification {
                var identifiers: [PersistentIdentifier] = []
                for rowID in rowIDs {
                    others[Int(rowID) - 1].likes += 1
                    identifiers.append(others[Int(rowID) - 1].persistentModelID)
                }
                try other.save()
                return ContextNotification(updatedIdentifiers: identifiers)
            }
            try context.mergeChanges(from: change(rowIDs.prefix(2)))
            let notification = try change(rowIDs)
            try round.measure { try context.mergeChanges(from: notification) }
            round.verify(Checksum(posts) { $0.add($1.likes) })
        }
    }
}

/// Reads the history of as many changes, in ten transactions, and merges it into a context that has all posts. Both
/// have done so before, with two changes, so that costs that occur once are not measured.
struct MergeHistory: Workload {
    static let name = "merge history"
    static let unit = "10,000, or a tenth"

    private let stores: GraphStores
    private let template: URL
    private let count: Int

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.recordedPosts()
        count = min(10_000, stores.rows / 10)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let url = try stores.folder.copy(of: template)
        defer { stores.folder.remove(url) }
        let container = try stores.container(url)
        if contestant == .swiftLoop {
            let connection = try HandWrittenConnection(url)
            let context = try LoopContext(connection)
            let entity = try connection.number(
                #"SELECT "number" FROM "ashlar$historyEntity" WHERE "table" = 'Post' AND "entity" IS NULL"#)
            let transactions = try connection.prepare(
                #"SELECT "first", "last" FROM "ashlar$transaction" WHERE "last" > ?1 ORDER BY "last""#)
            let changes = try connection.prepare(
                #"""
                SELECT DISTINCT "row" FROM "ashlar$change"
                WHERE "number" BETWEEN ?1 AND ?2 AND "entity" = ?3 AND "kind" = 1
                """#)
            func merge(after last: Int64) throws {
                try connection.execute("BEGIN")
                try transactions.each {
                    $0.bind(last, 1)
                } _: { transaction in
                    var rowIDs: [Int64] = []
                    try changes.each {
                        $0.bind(transaction.integer(0), 1)
                        $0.bind(transaction.integer(1), 2)
                        $0.bind(entity, 3)
                    } _: {
                        rowIDs.append($0.integer(0))
                    }
                    for rowID in rowIDs { try context.refresh(rowID) }
                }
                try connection.execute("COMMIT")
            }
            let last = #"SELECT max("number") FROM "ashlar$change""#
            let first = try connection.number(last)
            try change(container, transactions: 1, changes: 2)
            try merge(after: first)
            let second = try connection.number(last)
            try change(container, transactions: 10, changes: count / 10)
            try round.measure { try merge(after: second) }
            round.verify(context.checksum)
        } else {
            let context = ModelContext(container)
            let posts = try context.fetch(Post.all)
            func merge(after token: PersistentHistoryToken) throws {
                for transaction in try container.fetchHistory(.fetchHistory(after: token)) {
                    try context.mergeChanges(from: transaction.objectIDNotification())
                }
            }
            let first = try container.currentHistoryToken()
            try change(container, transactions: 1, changes: 2)
            try merge(after: first)
            let second = try container.currentHistoryToken()
            try change(container, transactions: 10, changes: count / 10)
            try round.measure { try merge(after: second) }
            round.verify(Checksum(posts) { $0.add($1.likes) })
        }
    }

    private func change(_ container: ModelContainer, transactions: Int, changes: Int) throws {
        let other = ModelContext(container)
        let posts = try other.fetch(Post.all)
        for part in 0..<transactions {
            for number in 0..<changes { posts[(part * changes + number) * 7 % stores.rows].likes += 1 }
            try other.save()
        }
    }
}
