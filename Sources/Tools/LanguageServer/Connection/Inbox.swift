import Foundation
import Synchronization

/// The messages that arrived and are not handled yet, in order.
///
/// One thread puts messages in, another takes them out.
final class Inbox: Sendable {
    /// A taken message.
    struct Entry {
        var message: Message
        /// Whether the client cancelled the request before its turn came.
        var isCancelled = false
    }

    private struct State {
        var entries: [Entry] = []
        var isClosed = false
        /// The reason why no more messages can be read.
        var failure: String?
        /// The request that is being answered.
        var current: JSONValue?
        var isCurrentCancelled = false
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    /// Adds a message. A cancellation marks the request that it names, and is not kept.
    func put(_ message: Message) {
        state.withLock { state in
            if case .notification("$/cancelRequest", let parameters) = message {
                let id = parameters["id"]
                if state.current == id { state.isCurrentCancelled = true }
                for index in state.entries.indices {
                    if case .request(id, _, _) = state.entries[index].message {
                        state.entries[index].isCancelled = true
                    }
                }
                return
            }
            state.entries.append(Entry(message: message))
        }
        arrivals.signal()
    }

    /// Says that no more messages come.
    func close(because failure: String?) {
        state.withLock { ($0.isClosed, $0.failure) = (true, failure) }
        arrivals.signal()
    }

    /// Takes the oldest message; nil where there is none.
    func take() -> Entry? {
        state.withLock { state in
            if state.entries.isEmpty { return nil }
            let entry = state.entries.removeFirst()
            if case .request(let id, _, _) = entry.message {
                (state.current, state.isCurrentCancelled) = (id, false)
            } else {
                state.current = nil
            }
            return entry
        }
    }

    /// Waits until a message is there or none will come.
    ///
    /// - Parameter milliseconds: The longest time to wait; nil for no limit.
    /// - Returns: Whether something arrived within the time.
    func wait(milliseconds: Int? = nil) -> Bool {
        while !hasMessages, !isClosed {
            guard let milliseconds else {
                arrivals.wait()
                continue
            }
            if arrivals.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut { return false }
        }
        return true
    }

    var hasMessages: Bool { state.withLock { !$0.entries.isEmpty } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var failure: String? { state.withLock { $0.failure } }
    /// Whether the client cancelled the request that was taken last.
    var isCurrentCancelled: Bool { state.withLock { $0.isCurrentCancelled } }
}
