public import Foundation

/// The names of the protocol between a hub and its clients, in one place for both.
///
/// Every path begins with `/v1/logs/NAME`. Entries, answers and errors are JSON; snapshots and values are bytes.
@_spi(Hub) public enum HubProtocol {
    /// The header with the description of a snapshot, as JSON in Base64.
    public static let snapshotHeader = "Ashlar-Snapshot"

    /// The position of the newest entry.
    public struct Head: Codable, Sendable {
        public var head: Int64
        public init(head: Int64) { self.head = head }
    }

    /// Where an entry was appended.
    public struct Position: Codable, Sendable {
        public var position: Int64
        public init(position: Int64) { self.position = position }
    }

    /// A request for numbers.
    public struct Lease: Codable, Sendable {
        public var site: UUID
        public var count: Int64
        public init(site: UUID, count: Int64) {
            self.site = site
            self.count = count
        }
    }

    /// Numbers that follow one another.
    public struct Numbers: Codable, Sendable {
        public var first: Int64
        public var last: Int64
        public init(first: Int64, last: Int64) {
            self.first = first
            self.last = last
        }
    }

    /// An error, with a code for programs.
    public struct Failure: Codable, Sendable {
        public var error: String
        public var reason: String
        /// A position, a number of bytes or of seconds, as the error has it.
        public var number: Int64?
        public init(error: String, reason: String, number: Int64? = nil) {
            self.error = error
            self.reason = reason
            self.number = number
        }
    }

    /// An error as its status and its words.
    public static func failure(_ error: SyncLogError) -> (status: Int, failure: Failure) {
        switch error {
        case .unreachable(let reason): (503, Failure(error: "unreachable", reason: reason))
        case .unauthorized(let reason): (401, Failure(error: "unauthorized", reason: reason))
        case .forbidden(let reason): (403, Failure(error: "forbidden", reason: reason))
        case .compacted(let oldest):
            (410, Failure(error: "compacted", reason: error.description, number: oldest))
        case .missing(let name): (404, Failure(error: "missing", reason: name))
        case .alreadyBegun: (409, Failure(error: "alreadyBegun", reason: error.description))
        case .tooLarge(let limit): (413, Failure(error: "tooLarge", reason: error.description, number: limit))
        case .tooManyRequests(let seconds):
            (429, Failure(error: "tooManyRequests", reason: error.description, number: seconds))
        case .countTaken(let count):
            (409, Failure(error: "countTaken", reason: error.description, number: count))
        case .otherEntry(let position):
            (409, Failure(error: "otherEntry", reason: error.description, number: position))
        case .refused(let reason): (422, Failure(error: "refused", reason: reason))
        case .malformed(let reason): (502, Failure(error: "malformed", reason: reason))
        }
    }

    /// Returns the error of an answer that contains one.
    static func error(_ status: Int, _ body: Data) -> SyncLogError {
        guard let failure = try? JSONDecoder().decode(Failure.self, from: body) else {
            let reason = "the hub answered \(status)"
            switch status {
            case 401: return .unauthorized(reason: reason)
            case 403: return .forbidden(reason: reason)
            case 413: return .tooLarge(limit: 0)
            case 429: return .tooManyRequests(seconds: 1)
            case 500...599: return .unreachable(reason: reason)
            default: return .malformed(reason: reason)
            }
        }
        switch failure.error {
        case "unreachable": return .unreachable(reason: failure.reason)
        case "unauthorized": return .unauthorized(reason: failure.reason)
        case "forbidden": return .forbidden(reason: failure.reason)
        case "compacted": return .compacted(oldest: failure.number ?? 1)
        case "missing": return .missing(failure.reason)
        case "alreadyBegun": return .alreadyBegun
        case "tooLarge": return .tooLarge(limit: failure.number ?? 0)
        case "tooManyRequests": return .tooManyRequests(seconds: failure.number ?? 1)
        case "countTaken": return .countTaken(failure.number ?? 0)
        case "otherEntry": return .otherEntry(position: failure.number ?? 0)
        case "refused": return .refused(reason: failure.reason)
        default: return .malformed(reason: failure.reason)
        }
    }
}
