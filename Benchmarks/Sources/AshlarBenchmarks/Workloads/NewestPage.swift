import Ashlar
import BenchmarkHarness
import CLoops
import GRDB

/// Fetches the newest twenty rows with the index on the timestamp, a thousand times, each in a read of its own.
///
/// The results are structs.
struct NewestPage: Workload {
    static let name = "newest page"
    static let unit = "1,000 times 20 rows"
    private static let repetitions = 1000

    private let connections: ReadConnections
    private let cStatement: HandWrittenStatement
    private let swiftStatement: HandWrittenStatement

    init(_ stores: Stores) throws {
        connections = try ReadConnections(stores)
        cStatement = try connections.forC.prepare(PostSQL.selectPage)
        swiftStatement = try connections.forSwift.prepare(PostSQL.selectPage)
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
            let page = Post.order { $0.timestamp.descending }.limit(20)
            let context = ModelContext(connections.container)
            try fetch(round) {
                try context.fetchValues(page)
            } checksum: {
                Checksum($0)
            }
        case .grdbRecord:
            try fetch(round) {
                try connections.queue.read { try GRDBPostValues.fetchAll($0, PostRequests.page) }
            } checksum: {
                Checksum($0.lazy.map(\.values))
            }
        case .grdbCodable:
            try fetch(round) {
                try connections.queue.read { try PostValues.fetchAll($0, PostRequests.page) }
            } checksum: {
                Checksum($0)
            }
        default: break
        }
    }

    private func fetch<Values>(
        _ round: Round, _ body: () throws -> [Values], checksum: ([Values]) -> Checksum
    ) throws {
        var page: [Values] = []
        try round.measure { for _ in 0..<Self.repetitions { page = try body() } }
        round.verify(checksum(page))
    }

    private func runInC(_ round: Round) throws {
        var page = CLoopsPosts()
        try round.measure {
            for _ in 0..<Self.repetitions {
                CLoopsReleaseValues(&page)
                try connections.forC.check(CLoopsFetchValues(cStatement.handle, &page))
            }
        }
        round.verify(Checksum(page))
        CLoopsReleaseValues(&page)
    }
}
