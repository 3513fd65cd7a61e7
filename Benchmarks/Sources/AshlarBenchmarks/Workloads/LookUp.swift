import Ashlar
import CLoops
import GRDB

/// Looks up as many random identifiers as there are rows, one by one and within one read, with an empty map at first.
///
/// Some come up again, which a map answers. GRDB has none and reads those again.
struct LookUp: Workload {
    static let name = "look up"
    static let unit = "as many random identifiers as rows"
    static let contestants = Contestant.allCases

    private let connections: ReadConnections
    private let cStatement: HandWrittenStatement
    private let swiftStatement: HandWrittenStatement
    private let identifiers: [PersistentIdentifier]

    private var rowIDs: [Int64] { connections.stores.sample.identifiers }

    init(_ stores: Stores) throws {
        connections = try ReadConnections(stores)
        cStatement = try connections.forC.prepare(PostSQL.selectOne)
        swiftStatement = try connections.forSwift.prepare(PostSQL.selectOne)
        let all = try ModelContext(connections.container).fetchIdentifiers(Post.all)
        let byRowID = Dictionary(uniqueKeysWithValues: all.map { ($0.rowID, $0) })
        identifiers = stores.sample.identifiers.compactMap { byRowID[$0] }
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
            try context.withQueryGeneration {
                for identifier in identifiers { posts.append(try context.model(for: identifier)) }
            }
        }
        round.verify(Checksum(posts))
        try round.measure {
            posts = []
            context = nil
        }
    }

    private func runInSwift(_ round: Round) throws {
        var map: [Int64: PostObject] = [:]
        var posts: [PostObject] = []
        try round.measure {
            try connections.forSwift.execute("BEGIN")
            posts = try HandWrittenLoops.lookUp(rowIDs, swiftStatement, &map)
            try connections.forSwift.execute("COMMIT")
        }
        round.verify(Checksum(posts.lazy.map(\.values)))
        try round.measure {
            posts = []
            map = [:]
        }
    }

    private func runInC(_ round: Round) throws {
        var map: CMap? = CMap()
        let rowIDs = rowIDs
        var posts = [UnsafeMutablePointer<CLoopsPost>?](repeating: nil, count: rowIDs.count)
        try round.measure {
            guard let map else { return }
            try connections.forC.execute("BEGIN")
            try connections.forC.check(CLoopsLookUp(cStatement.handle, &map.map, rowIDs, rowIDs.count, &posts))
            try connections.forC.execute("COMMIT")
        }
        round.verify(Checksum(posts))
        try round.measure { map = nil }
    }

    private func fetch<Record: GRDBPostRecord>(
        _ round: Round, _ fetchOne: (Database, Int64) throws -> Record?
    ) throws {
        let rowIDs = rowIDs
        var posts: [Record] = []
        try round.measure {
            try connections.queue.read { database in
                for id in rowIDs {
                    if let post = try fetchOne(database, id) { posts.append(post) }
                }
            }
        }
        round.verify(Checksum(posts.lazy.map(\.values)))
        try round.measure { posts = [] }
    }
}
