import Ashlar
import BenchmarkHarness
import CLoops
import Foundation
import GRDB

/// Runs the writing workloads: each contestant gets a copy of a store in each round, and the written data is compared.
struct WriteStore {
    let stores: Stores
    let template: URL

    func withCopy(_ round: Round, _ body: (URL) throws -> Void) throws {
        let url = try stores.copy(of: template)
        defer { stores.remove(url) }
        try body(url)
        try round.verify(Checksum(store: url))
    }

    /// A hand-written loop in one transaction.
    func writeByHand(
        _ url: URL, _ round: Round, _ sql: String, _ body: (HandWrittenStatement) throws -> Void
    ) throws {
        let connection = try HandWrittenConnection(url)
        let statement = try connection.prepare(sql)
        try round.measure {
            try connection.execute("BEGIN IMMEDIATE")
            try body(statement)
            try connection.execute("COMMIT")
        }
    }

    /// All posts of a store as objects, fetched before the clock runs.
    static func objects(_ url: URL) throws -> [PostObject] {
        var map: [Int64: PostObject] = [:]
        return try HandWrittenLoops.fetchObjects(try HandWrittenConnection(url).prepare(PostSQL.select), &map)
    }

    /// All posts of a store as C structs, fetched before the clock runs.
    static func withCPosts(_ url: URL, _ body: (inout CLoopsPosts) throws -> Void) throws {
        let connection = try HandWrittenConnection(url)
        var posts = CLoopsPosts()
        defer { CLoopsReleaseValues(&posts) }
        try withExtendedLifetime(connection.prepare(PostSQL.select)) { statement in
            try connection.check(CLoopsFetchValues(statement.handle, &posts))
        }
        try body(&posts)
    }

    /// Fetches all records, and then writes in one transaction under the clock.
    static func write<Record: FetchableRecord & Sendable>(
        _ url: URL, _ round: Round, _ type: Record.Type, _ body: (Database, inout [Record]) throws -> Void
    ) throws {
        let queue = try DatabaseQueue.open(url)
        var records = try queue.read { try Record.fetchAll($0, sql: PostSQL.select) }
        try round.measure { try queue.write { try body($0, &records) } }
    }

    /// Fetches all objects into a context, and then changes and saves them under the clock.
    func writeWithAshlar(
        _ url: URL, _ round: Round, inOrder: Bool = true, _ body: (ModelContext, [Post]) throws -> Void
    ) throws {
        let context = ModelContext(try stores.container(at: url))
        var posts = try context.fetch(Post.all)
        var random = SplitMix(state: 11)
        if !inOrder { posts.shuffle(using: &random) }
        try round.measure {
            try body(context, posts)
            try context.save()
        }
    }
}
