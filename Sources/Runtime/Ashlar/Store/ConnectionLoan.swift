import AshlarSQLite
import Synchronization

/// The connection that a loop lends rows from, for other reads of the loop's thread when the store has no second
/// connection.
final class ConnectionLoan: Sendable {
    private let thread = Atomic<UInt>(0)
    /// Unsafe, because the compiler cannot see that only the thread above sets and reads it.
    nonisolated(unsafe) private var lent: Connection?

    /// The connection that this thread lends rows from; nil if it lends none.
    var connection: Connection? {
        let owner = thread.load(ordering: .relaxed)
        return owner != 0 && owner == WriterLock.thread ? lent : nil
    }

    /// Runs a closure. Meanwhile, other reads of this thread use the same connection.
    func lend(_ connection: Connection, _ body: () throws -> Void) rethrows {
        if self.connection != nil { return try body() }
        lent = connection
        thread.store(WriterLock.thread, ordering: .relaxed)
        defer {
            thread.store(0, ordering: .relaxed)
            lent = nil
        }
        try body()
    }
}
