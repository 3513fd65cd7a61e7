public import AshlarSync
import Foundation

/// What somebody may do with a log.
public enum HubAccess: String, Sendable, Hashable, CaseIterable {
    /// Reads entries, snapshots and values.
    case read
    /// Appends changes and values, leases numbers, and begins a log that is empty, too.
    case write
    /// Adds snapshots, changes the version of the model, and lets entries go, too.
    case administer

    func includes(_ other: HubAccess) -> Bool {
        (Self.allCases.firstIndex(of: self) ?? 0) >= (Self.allCases.firstIndex(of: other) ?? 0)
    }
}

/// The rights of a token.
public struct HubPermission: Sendable, Hashable {
    /// What it allows.
    public var access: HubAccess
    /// Whose it is: a site belongs to the holder that used it first.
    public var holder: String

    public init(access: HubAccess, holder: String) {
        self.access = access
        self.holder = holder
    }
}

/// What a hub stands before.
public protocol HubBackend: Sendable {
    /// Returns the log of a name. Its holder may append only as sites that were new or are its own.
    ///
    /// - Throws: ``SyncLogError``, of which clients get the reason.
    func log(named name: String, for holder: String) async throws -> any SyncLog
    /// Returns the rights of a token; nil if the token is unknown or has expired.
    ///
    /// - Throws: ``SyncLogError``, of which clients get the reason.
    func permission(of token: String, toLog name: String) async throws -> HubPermission?
    /// Whether it answers.
    func isReachable() async -> Bool
    /// Notes that a holder has read a log up to a position.
    func noteReading(of name: String, by holder: String, through position: Int64) async
    /// Returns the state of logs and sites in the format of Prometheus.
    ///
    /// - Throws: Any error, which the hub logs.
    func metrics() async throws -> String
}

/// What a hub takes.
public struct HubLimits: Sendable {
    /// The greatest number of bytes of an entry or a value.
    public var entryBytes = 64 << 20
    /// The greatest number of bytes of a snapshot.
    public var snapshotBytes = 16 << 30
    /// How many requests of one token are answered in a second, on average.
    public var requestsPerSecond = 1000.0
    /// How many requests of one address are answered in a second whose tokens were not known before, on average.
    public var strangersPerSecond = 200.0
    /// How many connections are open at once. Others wait.
    public var connections = 10_000
    /// How long a connection may take for its first request, with the handshake of TLS.
    public var firstRequestTimeout: Duration = .seconds(20)
    /// How long a connection may be silent between two requests, or within one.
    public var idleTimeout: Duration = .seconds(60)
    /// The token with which `/metrics` also reports on logs and sites; nil to report on neither.
    public var metricsToken: String?

    public init() {}
}

/// The names that logs may have.
public enum LogName {
    /// The rule, for a person.
    public static let rule = "1 to 100 letters, digits, dots, underscores and hyphens"

    /// Returns whether a log may have a name.
    public static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 100 && name != "." && name != ".."
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }
}
