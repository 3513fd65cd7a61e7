import Ashlar
import BenchmarkHarness
import CLoops

/// The batch insert, of a store whose history is on; the loops record none.
struct BatchInsertWithHistory: Workload {
    static let name = "batch insert with history"
    static let unit = "all rows"
    static let contestants: [Contestant] = [.cLoop, .ashlar]

    private let store: WriteStore
    private let bare: BatchInsert

    init(_ stores: Stores) {
        store = WriteStore(stores: stores, template: stores.empty)
        bare = BatchInsert(stores)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        guard contestant == .ashlar else { return try bare.run(contestant, round) }
        try store.withCopy(round) { url in
            let context = ModelContext(try store.stores.container(at: url, historyTracking: true))
            let values = try BatchInsert.values(of: store.stores.sample.posts, context)
            try round.measure { _ = try context.batchInsert(contentsOf: values) }
        }
    }
}
