public import AshlarSync
import Foundation

/// What somebody may do with a log.
public enum HubAccess: String, Sendable, Hashable, CaseIterable {
    /// Reads entries, snapshots and values.
    case read
    /// Appends entries and values, and leases numbers, too.
    case write
    /// Adds snapshots and lets entries go, too.
    case administer

    func includes(_ other: HubAccess) -> Bool {
        (Self.allCases.firstIndex(of: self) ?? 0) >= (Self.allCases.firstIndex(of: other) ?? 0)
    }
}

/// What a hub stands before.
public protocol HubBackend: Sendable {
    /// The log of a name.
    func log(named name: String) async throws -> any SyncLog
    /// What a token allows; nil for one that is not known, or has expired.
    func access(of token: String, toLog name: String) async throws -> HubAccess?
    /// Whether it answers.
    func isReachable() async -> Bool
}

/// What a hub takes.
public struct HubLimits: Sendable {
    /// The greatest number of bytes of an entry or a value.
    public var entryBytes = 64 << 20
    /// The greatest number of bytes of a snapshot.
    public var snapshotBytes = 16 << 30
    /// How many requests of one token are answered in a second, on average.
    public var requestsPerSecond = 1000.0

    public init() {}
}
