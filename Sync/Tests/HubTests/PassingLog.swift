import AshlarSync
import Foundation
import Synchronization

/// A log that passes everything on to another, apart from what a test replaces, and counts the requests for entries.
final class PassingLog: SyncLog {
    private let log: any SyncLog
    private let lease: (@Sendable (Int64, ClosedRange<Int64>) -> ClosedRange<Int64>)?
    private let wait: (@Sendable (Int64) async throws -> Int64)?
    private let requests = Mutex(0)

    /// - Parameters:
    ///   - lease: Replaces the numbers that the log gives.
    ///   - wait: Replaces waiting for an entry after a position.
    init(
        _ log: any SyncLog, lease: (@Sendable (Int64, ClosedRange<Int64>) -> ClosedRange<Int64>)? = nil,
        wait: (@Sendable (Int64) async throws -> Int64)? = nil
    ) {
        (self.log, self.lease, self.wait) = (log, lease, wait)
    }

    var requestCount: Int { requests.withLock { $0 } }

    func head() async throws -> Int64 { try await log.head() }
    func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
        try await log.append(entry, after: head)
    }
    func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        requests.withLock { $0 += 1 }
        return try await log.entries(after: position, limit: limit)
    }
    func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
        if let wait { return try await wait(position) }
        return try await log.waitForEntries(after: position, atMost: duration)
    }
    func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
        let range = try await log.leaseIdentifiers(site: site, count: count)
        return lease?(count, range) ?? range
    }
    func snapshots() async throws -> [SyncSnapshot] { try await log.snapshots() }
    func add(_ snapshot: SyncSnapshot, from file: URL) async throws { try await log.add(snapshot, from: file) }
    func read(_ snapshot: SyncSnapshot, to file: URL) async throws { try await log.read(snapshot, to: file) }
    func compact(through position: Int64) async throws { try await log.compact(through: position) }
    func add(_ value: Data, hash: String) async throws { try await log.add(value, hash: hash) }
    func value(hash: String) async throws -> Data { try await log.value(hash: hash) }
}
