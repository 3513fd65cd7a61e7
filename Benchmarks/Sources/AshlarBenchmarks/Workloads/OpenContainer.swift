import Ashlar
import BenchmarkHarness
import CLoops
import Foundation
import GRDB

/// Opens a store that needs no migration, and closes it again.
///
/// The others open it with the same settings and read its schema once.
struct OpenContainer: Workload {
    static let name = "open container"
    static let unit = "100 times"
    static let needsFile = true
    static let contestants: [Contestant] = [.cLoop, .swiftLoop, .ashlar, .grdbStatement]
    private static let repetitions = 100
    private static let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema"

    /// It has all indexes, including those that the run is without. It has no rows, because none is read.
    private let store: URL
    /// Keeps the write-ahead log's files from being made anew each time.
    private let kept: HandWrittenConnection

    init(_ stores: Stores) throws {
        store = stores.newFile()
        _ = try ModelContainer(for: PhotoFeedModel.self, at: store)
        kept = try HandWrittenConnection(store)
        try kept.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        var rows = 0
        switch contestant {
        case .cLoop:
            let settings = StoreSettings.statements.joined(separator: ";")
            try round.measure {
                for _ in 0..<Self.repetitions {
                    let count = CLoopsOpen(store.path, settings, Self.schema)
                    if count < 0 { throw LoopError(description: "the C loop cannot open the store") }
                    rows += Int(count)
                }
            }
        case .swiftLoop:
            try round.measure {
                for _ in 0..<Self.repetitions {
                    let statement = try HandWrittenConnection(store).prepare(Self.schema)
                    while sqlite3_step(statement.handle) == SQLITE_ROW { rows += 1 }
                }
            }
        case .grdbStatement:
            try round.measure {
                for _ in 0..<Self.repetitions {
                    let queue = try DatabaseQueue.open(store)
                    rows += try queue.read { try Row.fetchAll($0, sql: Self.schema).count }
                }
            }
        default:
            try round.measure {
                for _ in 0..<Self.repetitions {
                    let configuration = ModelConfiguration(url: store)
                    _ = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration)
                }
            }
            let statement = try kept.prepare(Self.schema)
            while sqlite3_step(statement.handle) == SQLITE_ROW { rows += Self.repetitions }
        }
        round.verify(Checksum(count: rows, sum: 0))
    }
}
