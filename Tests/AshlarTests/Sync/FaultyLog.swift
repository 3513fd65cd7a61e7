import AshlarSync
import Foundation
import RandomNumbers
import RandomSeeds
import SyncLogs
import Synchronization

/// A log that is sometimes out of reach: before an operation, or after it, so that only the answer is lost.
final class FaultyLog: ForwardingLog, @unchecked Sendable {
    struct Lost: Error {}

    private let generator: Mutex<SeededGenerator>
    /// One call in so many fails; 0 for none.
    let rate = Mutex(0)

    init(_ log: StoreLog, seed: Seed) {
        generator = Mutex(SeededGenerator(seed: seed))
        super.init(log)
    }

    override func call<Result>(_ body: () async throws -> Result) async throws -> Result {
        let rate = rate.withLock { $0 }
        let fault = rate == 0 ? 2 : generator.withLock { $0.oneIn(rate) ? Int.random(in: 0...1, using: &$0) : 2 }
        if fault == 0 { throw Lost() }
        let result = try await body()
        if fault == 1 { throw Lost() }
        return result
    }
}
