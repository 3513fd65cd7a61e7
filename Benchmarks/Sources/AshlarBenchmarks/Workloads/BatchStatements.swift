import Ashlar
import BenchmarkHarness
import Foundation

/// Changes one property of most rows with one statement. The C loop is the statement itself.
struct BatchUpdate: Workload {
    static let name = "batch update"
    static let unit = "one property of most rows"
    static let contestants: [Contestant] = [.cLoop, .ashlar]

    private let store: WriteStore

    init(_ stores: Stores) {
        store = WriteStore(stores: stores, template: stores.full)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try store.withCopy(round) { url in
            if contestant == .cLoop {
                try store.execute(
                    #"UPDATE "Post" SET "version$" = "version$" + 1, "likes" = "likes" + 1 WHERE "likes" > 100"#, url,
                    round)
            } else {
                let context = ModelContext(try store.stores.container(at: url))
                _ = try round.measure { try context.batchUpdate(Post.where { $0.likes > 100 }) { $0.likes += 1 } }
            }
        }
    }
}

/// Deletes most rows with one statement. The C loop is the statement itself.
struct BatchDelete: Workload {
    static let name = "batch delete"
    static let unit = "most rows"
    static let contestants: [Contestant] = [.cLoop, .ashlar]

    private let store: WriteStore

    init(_ stores: Stores) {
        store = WriteStore(stores: stores, template: stores.full)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try store.withCopy(round) { url in
            if contestant == .cLoop {
                try store.execute(#"DELETE FROM "Post" WHERE "likes" > 100"#, url, round)
            } else {
                let context = ModelContext(try store.stores.container(at: url))
                _ = try round.measure { try context.batchDelete(Post.where { $0.likes > 100 }) }
            }
        }
    }
}

extension WriteStore {
    /// Runs one statement in a transaction.
    fileprivate func execute(_ sql: String, _ url: URL, _ round: Round) throws {
        let connection = try HandWrittenConnection(url)
        try round.measure {
            try connection.execute("BEGIN IMMEDIATE")
            try connection.execute(sql)
            try connection.execute("COMMIT")
        }
    }
}
