import Synchronization

/// Whether a connection comes to its end, and how long its statements wait for others until then.
///
/// SQLite's own way of waiting, `sqlite3_busy_timeout`, sleeps on after an interrupt, for seconds mostly.
package final class ConnectionEnding: Sendable {
    /// How long SQLite sleeps before it tries a lock again, in milliseconds: first often, then now and then.
    private static let pauses: [Int32] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    private let isUnderWay = Atomic(false)
    private let timeout: Atomic<Int32>

    /// - Parameter busyTimeout: In milliseconds.
    init(busyTimeout: Int32) { timeout = Atomic(busyTimeout) }

    /// Whether nothing new may begin on the connection, nor be committed.
    package var hasBegun: Bool { isUnderWay.load(ordering: .relaxed) }

    fileprivate func begin() { isUnderWay.store(true, ordering: .relaxed) }

    /// How long a statement waits for others, in milliseconds.
    package internal(set) var busyTimeout: Int32 {
        get { timeout.load(ordering: .relaxed) }
        set { timeout.store(newValue, ordering: .relaxed) }
    }

    /// Has statements of a connection wait as this object says, which the connection keeps.
    func install(on database: OpaquePointer) -> Int32 {
        sqlite3_busy_handler(
            database,
            { ending, attempts in
                guard let ending else { return 0 }
                return Unmanaged<ConnectionEnding>.fromOpaque(ending).takeUnretainedValue().waits(attempts) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Sleeps a little; false where the statement has waited long enough.
    private func waits(_ attempts: Int32) -> Bool {
        if hasBegun { return false }
        let (count, last) = (Int(attempts), Self.pauses.count - 1)
        let slept = Self.pauses.prefix(count).reduce(0, +) + Int32(clamping: max(0, count - Self.pauses.count)) * 100
        let pause = min(Self.pauses[min(count, last)], busyTimeout - slept)
        if pause <= 0 { return false }
        sqlite3_sleep(pause)
        return !hasBegun
    }
}

extension Connection {
    /// Has the connection come to its end soon, from any thread: what runs is interrupted, nothing is begun and nothing
    /// committed any more. A rollback goes on. The connection must not be closed meanwhile.
    ///
    /// SQLite forgets an interrupt with the next statement, where none was running. So it is repeated until whoever uses the
    /// connection has given it back.
    package func end() {
        ending.begin()
        sqlite3_interrupt(database)
    }

    /// Closes the connection at once rather than with its last user. Nobody uses it any more, nor any statement of it.
    ///
    /// The write-ahead log stays as it is, also where nobody else has the file open: copying it into the file would take a
    /// lock that nobody else has, for as long as it takes.
    ///
    /// - Returns: False where a statement of the connection is still kept by somebody. It holds no transaction, and SQLite
    ///   closes the file with it.
    @discardableResult
    package func close() -> Bool {
        // Where that fails the log is copied, which is no harm but time.
        try? keepWriteAheadLog()
        attachment = nil
        forgetStatements()
        isClosed = true
        if sqlite3_close(database) == SQLITE_OK { return true }
        var statement = sqlite3_next_stmt(database, nil)
        while let current = statement {
            sqlite3_reset(current)
            statement = sqlite3_next_stmt(database, current)
        }
        sqlite3_close_v2(database)
        return false
    }
}
