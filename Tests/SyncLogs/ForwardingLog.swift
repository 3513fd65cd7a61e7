public import AshlarSync
public import Foundation

/// A log that forwards every call to another one. Tests derive their logs from it, and override single calls.
///
/// Unchecked, as a class that others derive from cannot be checked; it never changes itself.
open class ForwardingLog: SyncLog, @unchecked Sendable {
    public let log: StoreLog

    public init(_ log: StoreLog) { self.log = log }

    open func call<Result>(_ body: () async throws -> Result) async throws -> Result { try await body() }

    open func head() async throws -> Int64 { try await call { try await log.head() } }
    open func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
        try await call { try await log.append(entry, after: head) }
    }
    open func standing(of site: UUID, at position: Int64) async throws -> SyncStanding {
        try await call { try await log.standing(of: site, at: position) }
    }
    open func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        try await call { try await log.entries(after: position, limit: limit) }
    }
    open func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
        try await call { try await log.waitForEntries(after: position, atMost: duration) }
    }
    open func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
        try await call { try await log.leaseIdentifiers(site: site, count: count) }
    }
    open func snapshots() async throws -> [SyncSnapshot] { try await call { try await log.snapshots() } }
    open func add(_ snapshot: SyncSnapshot, from file: URL) async throws {
        try await call { try await log.add(snapshot, from: file) }
    }
    open func read(_ snapshot: SyncSnapshot, to file: URL) async throws {
        try await call { try await log.read(snapshot, to: file) }
    }
    open func compact(through position: Int64) async throws {
        try await call { try await log.compact(through: position) }
    }
    open func add(_ value: Data, hash: String) async throws {
        try await call { try await log.add(value, hash: hash) }
    }
    open func value(hash: String) async throws -> Data { try await call { try await log.value(hash: hash) } }
}
