import Dispatch
import Synchronization

/// Hands rows from a task that waits without a thread to a thread that waits: a sequence that blocks until there is one.
final class BatchChannel<Row: Sendable>: Sequence, Sendable {
    /// How many rows are handed over at once.
    static var bufferSize: Int { 256 }

    private struct State {
        var rows: [Row] = []
        /// Whether no more rows come, or are wanted.
        var isFinished = false
        var isStopped = false
        var error: (any Error)?
        /// The sender that waits until the rows before are taken.
        var sender: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    // MARK: The sender's side

    /// Hands rows over once those before are taken. False when nobody wants them any more.
    func send(_ rows: [Row]) async -> Bool {
        if rows.isEmpty { return true }
        return await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.isStopped || state.isFinished { return false }
                state.rows = rows
                state.sender = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) } else { signal.signal() }
        }
    }

    /// There are no more rows, or none because of an error.
    func finish(_ error: (any Error)?) {
        let sender = state.withLock { state in
            if state.isFinished { return nil as CheckedContinuation<Bool, Never>? }
            state.isFinished = true
            state.error = error
            guard error != nil else { return nil }
            defer { state.sender = nil }
            return state.sender
        }
        sender?.resume(returning: false)
        signal.signal()
    }

    // MARK: The receiver's side

    /// Throws the error that ended the rows.
    func check() throws {
        if let error = state.withLock({ $0.error }) { throw error }
    }

    /// No more rows are wanted.
    func stop() {
        let sender = state.withLock { state in
            state.isStopped = true
            defer { state.sender = nil }
            return state.sender
        }
        sender?.resume(returning: false)
    }

    /// Rows as they come; empty at the end.
    private func receive() -> [Row] {
        while true {
            let (rows, sender, isAtEnd) = state.withLock { state in
                let rows = state.rows
                let sender = state.sender
                state.rows = []
                state.sender = nil
                return (rows, sender, rows.isEmpty && state.isFinished)
            }
            sender?.resume(returning: true)
            if !rows.isEmpty || isAtEnd { return rows }
            signal.wait()
        }
    }

    func makeIterator() -> Iterator { Iterator(channel: self) }

    struct Iterator: IteratorProtocol {
        fileprivate let channel: BatchChannel
        /// The rows that are left of those that were handed over, the next one last.
        private var rows: [Row] = []

        fileprivate init(channel: BatchChannel) { self.channel = channel }

        mutating func next() -> Row? {
            if rows.isEmpty { rows = channel.receive().reversed() }
            return rows.popLast()
        }
    }
}
