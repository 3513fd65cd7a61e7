import AshlarSQLite
import Synchronization

/// A connection that the rows of a loop are lent from while there is no other one for what the loop's thread reads meanwhile.
final class ConnectionLoan: Sendable {
    private let thread = Atomic<UInt>(0)
    /// Unsafe, as the compiler does not know that only the thread above sets and reads it.
    nonisolated(unsafe) private var lent: Connection?

    /// The connection that this thread lends rows from; nil where it lends none.
    var connection: Connection? {
        let owner = thread.load(ordering: .relaxed)
        return owner != 0 && owner == WriterLock.thread ? lent : nil
    }

    /// Runs a closure during which what else this thread reads goes to the same connection.
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
