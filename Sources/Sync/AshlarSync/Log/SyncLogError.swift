/// An error of a log. The log was not changed.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SyncLogError: Error, Sendable, Hashable {
    /// The log cannot be reached now. A later attempt may succeed.
    case unreachable(reason: String)
    /// The log does not accept the token, or the token has expired.
    case unauthorized(reason: String)
    /// The token does not permit the operation.
    case forbidden(reason: String)
    /// The requested entries are no longer kept. Begin with the newest snapshot. The oldest kept entry has the given
    /// position.
    case compacted(oldest: Int64)
    /// A snapshot or a value is not kept.
    case missing(String)
    /// Another store began the log.
    case alreadyBegun
    /// The sent data is larger than the log accepts, in bytes.
    case tooLarge(limit: Int64)
    /// There were too many requests. Retry after the given number of seconds.
    case tooManyRequests(seconds: Int64)
    /// The log has another entry of the site with the given count: the store was put back to an older state, or copied.
    case countTaken(Int64)
    /// The log's entry at a position is not the one that the store has: the log was put back to an older state.
    case otherEntry(position: Int64)
    /// The log refused the sent data, and would refuse it again.
    case refused(reason: String)
    /// The log returned an invalid answer.
    case malformed(reason: String)
}

extension SyncLogError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let reason): "The log cannot be reached: \(reason). It is tried again."
        case .unauthorized(let reason): "The log does not know the token: \(reason). Get a new one."
        case .forbidden(let reason): "The token does not allow this: \(reason). Get one with the right that it needs."
        case .compacted(let oldest):
            "The log does not have these entries any more; it begins at \(oldest). Begin with its newest snapshot."
        case .missing(let name): "The log does not have \(name)."
        case .alreadyBegun: "Another store began the log meanwhile. Take its snapshot."
        case .tooLarge(let limit): "The request has more than the \(limit) bytes that the log accepts."
        case .tooManyRequests(let seconds): "The log was asked too often. It is asked again in \(seconds) seconds."
        case .countTaken(let count):
            "The log has another entry with the number \(count) of this store: the store was put back to an older state."
        case .otherEntry(let position):
            "The log has another entry at the position \(position) than this store: the log was put back to an older state."
        case .refused(let reason): "The log refused the request: \(reason)"
        case .malformed(let reason): "The log's answer cannot be read: \(reason)"
        }
    }

    /// Whether the same call may succeed later without further action.
    public var isTransient: Bool {
        switch self {
        case .unreachable, .tooManyRequests, .malformed: true
        default: false
        }
    }
}
