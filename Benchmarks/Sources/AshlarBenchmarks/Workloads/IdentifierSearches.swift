import Ashlar
import BenchmarkHarness
import CLoops
import GRDB

/// Gets the objects of random identifiers in the ways of all contestants.
struct IdentifierSearches {
    private let connections: ReadConnections
    private let cStatement: HandWrittenStatement
    private let swiftStatement: HandWrittenStatement
    private let identifiers: [PersistentIdentifier]
    private let rowIDs: [Int64]
    /// Whether all are read within one transaction.
    private let isOneRead: Bool

    init(_ stores: Stores, isOneRead: Bool, limit: Int) throws {
        self.isOneRead = isOneRead
        rowIDs = Array(stores.sample.identifiers.prefix(limit))
        connections = try ReadConnections(stores)
        cStatement = try connections.forC.prepare(PostSQL.selectOne)
        swiftStatement = try connections.forSwift.prepare(PostSQL.selectOne)
        let all = try ModelContext(connections.container).fetchIdentifiers(Post.all)
        let byRowID = Dictionary(uniqueKeysWithValues: all.map { ($0.rowID, $0) })
        identifiers = rowIDs.compactMap { byRowID[$0] }
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        switch contestant {
        case .cLoop: try runInC(round)
        case .swiftLoop: try runInSwift(round)
        case .ashlar: try runInAshlar(round)
        case .grdbStatement:
            try fetch(round) { database, id in
                let statement = try database.cachedStatement(sql: PostSQL.selectOne)
                return try GRDBPost.fetchOne(statement, arguments: [id])
            }
        case .grdbRecord:
            try fetch(round) { try GRDBPost.fetchOne($0, key: $1) }
        case .grdbCodable:
            try fetch(round) { try GRDBCodablePost.fetchOne($0, key: $1) }
        }
    }

    private func runInAshlar(_ round: Round) throws {
        var context: ModelContext? = ModelContext(connections.container)
        var posts: [Post] = []
        try round.measure {
            guard let context else { return }
            if isOneRead {
                try context.withQueryGeneration { try find(context, &posts) }
            } else {
                try find(context, &posts)
            }
        }
        round.verify(Checksum(posts))
        try round.measure {
            posts = []
            context = nil
        }
    }

    private func find(_ context: ModelContext, _ posts: inout [Post]) throws {
        for identifier in identifiers { posts.append(try context.model(for: identifier)) }
    }

    func runRegistered(_ round: Round) throws {
        let context = ModelContext(connections.container)
        let registered = try context.fetch(Post.all)
        var posts: [Post] = []
        try round.measure { try find(context, &posts) }
        round.verify(Checksum(posts))
        try round.measure { posts = [] }
        withExtendedLifetime(registered) {}
    }

    private func runInSwift(_ round: Round) throws {
        var map: [Int64: PostObject] = [:]
        var posts: [PostObject] = []
        try round.measure {
            if isOneRead { try connections.forSwift.execute("BEGIN") }
            posts = try HandWrittenLoops.lookUp(rowIDs, swiftStatement, &map)
            if isOneRead { try connections.forSwift.execute("COMMIT") }
        }
        round.verify(Checksum(posts.lazy.map(\.values)))
        try round.measure {
            posts = []
            map = [:]
        }
    }

    private func runInC(_ round: Round) throws {
        var map: CMap? = CMap()
        var posts = [UnsafeMutablePointer<CLoopsPost>?](repeating: nil, count: rowIDs.count)
        try round.measure {
            guard let map else { return }
            if isOneRead { try connections.forC.execute("BEGIN") }
            try connections.forC.check(CLoopsLookUp(cStatement.handle, &map.map, rowIDs, rowIDs.count, &posts))
            if isOneRead { try connections.forC.execute("COMMIT") }
        }
        round.verify(Checksum(posts))
        try round.measure { map = nil }
    }

    private func fetch<Record: GRDBPostRecord>(
        _ round: Round, _ fetchOne: (Database, Int64) throws -> Record?
    ) throws {
        var posts: [Record] = []
        try round.measure {
            if isOneRead {
                try connections.queue.read { database in
                    for id in rowIDs {
                        if let post = try fetchOne(database, id) { posts.append(post) }
                    }
                }
            } else {
                for id in rowIDs {
                    if let post = try connections.queue.read({ try fetchOne($0, id) }) { posts.append(post) }
                }
            }
        }
        round.verify(Checksum(posts.lazy.map(\.values)))
        try round.measure { posts = [] }
    }
}
