public import AshlarSync
public import Synchronization

/// A log that runs a closure before the next append.
public final class InterruptedLog: ForwardingLog, @unchecked Sendable {
    public let interruption = Mutex<(@Sendable () async throws -> Void)?>(nil)

    public override func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
        let body = interruption.withLock { body in
            defer { body = nil }
            return body
        }
        try await body?()
        return try await super.append(entry, after: head)
    }
}
