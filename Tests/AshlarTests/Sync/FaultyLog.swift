import AshlarSync
import Foundation
import RandomNumbers
import RandomSeeds
import Synchronization

/// A log that is sometimes out of reach: before it did what it was asked for, or after, so that only the answer is lost.
final class FaultyLog: SyncLog {
    struct Lost: Error {}

    let log: StoreLog
    private let generator: Mutex<SeededGenerator>
    /// One call in so many fails; 0 for none.
    let rate = Mutex(0)

    init(_ log: StoreLog, seed: Seed) {
        self.log = log
        generator = Mutex(SeededGenerator(seed: seed))
    }

    private func call<Result>(_ body: () async throws -> Result) async throws -> Result {
        let rate = rate.withLock { $0 }
        let fault = rate == 0 ? 2 : generator.withLock { $0.oneIn(rate) ? Int.random(in: 0...1, using: &$0) : 2 }
        if fault == 0 { throw Lost() }
        let result = try await body()
        if fault == 1 { throw Lost() }
        return result
    }

    func head() async throws -> Int64 { try await call { try await log.head() } }
    func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
        try await call { try await log.append(entry, after: head) }
    }
    func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        try await call { try await log.entries(after: position, limit: limit) }
    }
    func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
        try await call { try await log.waitForEntries(after: position, atMost: duration) }
    }
    func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
        try await call { try await log.leaseIdentifiers(site: site, count: count) }
    }
    func snapshots() async throws -> [SyncSnapshot] { try await call { try await log.snapshots() } }
    func add(_ snapshot: SyncSnapshot, from file: URL) async throws {
        try await call { try await log.add(snapshot, from: file) }
    }
    func read(_ snapshot: SyncSnapshot, to file: URL) async throws {
        try await call { try await log.read(snapshot, to: file) }
    }
    func compact(through position: Int64) async throws { try await call { try await log.compact(through: position) } }
    func add(_ value: Data, hash: String) async throws { try await call { try await log.add(value, hash: hash) } }
    func value(hash: String) async throws -> Data { try await call { try await log.value(hash: hash) } }
}
