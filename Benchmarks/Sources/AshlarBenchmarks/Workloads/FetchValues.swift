import Ashlar
import BenchmarkHarness
import CLoops
import GRDB

/// Fetches all rows as structs, and releases them.
struct FetchValues: Workload {
    static let name = "fetch values"
    static let unit = "all rows"

    private let connections: ReadConnections
    private let cStatement: HandWrittenStatement
    private let swiftStatement: HandWrittenStatement

    init(_ stores: Stores) throws {
        connections = try ReadConnections(stores)
        cStatement = try connections.forC.prepare(PostSQL.select)
        swiftStatement = try connections.forSwift.prepare(PostSQL.select)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        switch contestant {
        case .cLoop: try runInC(round)
        case .swiftLoop:
            try fetch(round) {
                try HandWrittenLoops.fetchValues(swiftStatement)
            } checksum: {
                Checksum($0)
            }
        case .ashlar:
            let context = ModelContext(connections.container)
            try fetch(round) {
                try context.fetchValues(Post.all)
            } checksum: {
                Checksum($0)
            }
        case .grdbRecord:
            try fetch(round) {
                try connections.queue.read { try GRDBPostValues.fetchAll($0, PostRequests.all) }
            } checksum: {
                Checksum($0.lazy.map(\.values))
            }
        case .grdbCodable:
            try fetch(round) {
                try connections.queue.read { try PostValues.fetchAll($0, PostRequests.all) }
            } checksum: {
                Checksum($0)
            }
        default: break
        }
    }

    private func fetch<Values>(
        _ round: Round, _ body: () throws -> [Values], checksum: ([Values]) -> Checksum
    ) throws {
        var values = try round.measure(body)
        round.verify(checksum(values))
        try round.measure { values = [] }
    }

    private func runInC(_ round: Round) throws {
        var posts = CLoopsPosts()
        let code = try round.measure { CLoopsFetchValues(cStatement.handle, &posts) }
        try connections.forC.check(code)
        round.verify(Checksum(posts))
        try round.measure { CLoopsReleaseValues(&posts) }
    }
}
