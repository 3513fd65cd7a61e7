/// Why a log did not do what it was asked for. Nothing was changed in it.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SyncLogError: Error, Sendable, Hashable {
    /// The log cannot be reached now; tried again later, it may be.
    case unreachable(reason: String)
    /// The token is none that the log knows, or is not valid any more.
    case unauthorized(reason: String)
    /// The token does not allow this.
    case forbidden(reason: String)
    /// Entries that were asked for are not kept any more: begin with the newest snapshot. The oldest that is kept has this
    /// position.
    case compacted(oldest: Int64)
    /// A snapshot or a value is not kept.
    case missing(String)
    /// The log was begun by another store.
    case alreadyBegun
    /// What was sent is larger than the log takes, in bytes.
    case tooLarge(limit: Int64)
    /// The log was asked too often; it may be asked again after some seconds.
    case tooManyRequests(seconds: Int64)
    /// The log refused what it was sent, which it would refuse again.
    case refused(reason: String)
    /// The log answered with something that no log answers.
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
        case .tooLarge(let limit): "What was sent has more than the \(limit) bytes that the log takes."
        case .tooManyRequests(let seconds): "The log was asked too often. It is asked again in \(seconds) seconds."
        case .refused(let reason): "The log refused what it was sent: \(reason)"
        case .malformed(let reason): "The log answered with what cannot be understood: \(reason)"
        }
    }

    /// Whether the same call may succeed later without anybody doing anything about it.
    public var isTransient: Bool {
        switch self {
        case .unreachable, .tooManyRequests, .malformed: true
        default: false
        }
    }
}
