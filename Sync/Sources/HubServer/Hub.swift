public import AshlarSync
import Foundation

/// The access to a log.
public enum HubAccess: String, Sendable, Hashable, CaseIterable {
    /// Reads entries, snapshots and values.
    case read
    /// Also appends changes and values, leases numbers, and begins an empty log.
    case write
    /// Also adds snapshots, changes the version of the model, and removes entries.
    case administer

    func includes(_ other: HubAccess) -> Bool {
        (Self.allCases.firstIndex(of: self) ?? 0) >= (Self.allCases.firstIndex(of: other) ?? 0)
    }
}

/// The rights of a token.
public struct HubPermission: Sendable, Hashable {
    /// The access that it allows.
    public var access: HubAccess
    /// The holder of the token. A site belongs to the holder that used it first.
    public var holder: String

    public init(access: HubAccess, holder: String) {
        self.access = access
        self.holder = holder
    }
}

/// The storage behind a hub.
public protocol HubBackend: Sendable {
    /// Returns the log of a name. Its holder may append only as sites that were new or are its own.
    ///
    /// - Throws: ``SyncLogError``, whose reason clients receive.
    func log(named name: String, for holder: String) async throws -> any SyncLog
    /// Returns the rights of a token; nil if the token is unknown or has expired.
    ///
    /// - Throws: ``SyncLogError``, whose reason clients receive.
    func permission(of token: String, toLog name: String) async throws -> HubPermission?
    /// Returns whether the storage answers.
    func isReachable() async -> Bool
    /// Notes that a holder has read a log up to a position.
    func noteReading(of name: String, by holder: String, through position: Int64) async
    /// Returns the state of logs and sites in the format of Prometheus.
    ///
    /// - Throws: Any error, which the hub logs.
    func metrics() async throws -> String
}

/// The limits of a hub.
public struct HubLimits: Sendable {
    /// The maximum size of an entry or a value in bytes.
    public var entryBytes = 64 << 20
    /// The maximum size of a snapshot in bytes.
    public var snapshotBytes = 16 << 30
    /// The maximum average number of requests per second with one token.
    public var requestsPerSecond = 1000.0
    /// The maximum average number of requests per second from one address with tokens that were not known before.
    public var strangersPerSecond = 200.0
    /// The maximum number of open connections. Others wait.
    public var connections = 10_000
    /// The maximum time until a connection's first request, including the handshake of TLS.
    public var firstRequestTimeout: Duration = .seconds(20)
    /// The maximum time that a connection may be silent between two requests, or within one.
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
