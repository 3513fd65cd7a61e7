import Synchronization

/// The end of a connection, and the time that its statements wait for other connections until then.
///
/// SQLite's own `sqlite3_busy_timeout` sleeps on after an interrupt, often for seconds.
package final class ConnectionEnding: Sendable {
    /// The pauses of SQLite before it tries a lock again, in milliseconds: first short, then longer.
    private static let pauses: [Int32] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    private let isUnderWay = Atomic(false)
    private let timeout: Atomic<Int32>

    /// - Parameter busyTimeout: The time in milliseconds.
    init(busyTimeout: Int32) { timeout = Atomic(busyTimeout) }

    /// Whether the connection must begin and commit nothing more.
    package var hasBegun: Bool { isUnderWay.load(ordering: .relaxed) }

    fileprivate func begin() { isUnderWay.store(true, ordering: .relaxed) }

    /// The time that a statement waits for others, in milliseconds.
    package internal(set) var busyTimeout: Int32 {
        get { timeout.load(ordering: .relaxed) }
        set { timeout.store(newValue, ordering: .relaxed) }
    }

    /// Installs this object as the busy handler of a connection, which keeps it.
    func install(on database: OpaquePointer) -> Int32 {
        sqlite3_busy_handler(
            database,
            { ending, attempts in
                guard let ending else { return 0 }
                return Unmanaged<ConnectionEnding>.fromOpaque(ending).takeUnretainedValue().waits(attempts) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Sleeps a little; false if the statement has waited long enough.
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
    /// Ends the connection soon, from any thread. Running statements are interrupted, and nothing more begins or is
    /// committed. A rollback continues. The connection must not be closed meanwhile.
    ///
    /// SQLite forgets an interrupt with the next statement if none was running. The interrupt is therefore repeated
    /// until the user of the connection has returned it.
    package func end() {
        ending.begin()
        sqlite3_interrupt(database)
    }

    /// Closes the connection now, without waiting for its last user. It and its statements must not be used any more.
    ///
    /// The write-ahead log stays as it is, even if no other connection has the file open. Copying it would hold an
    /// exclusive lock for a long time.
    ///
    /// - Returns: False if a statement of the connection still exists. The connection then holds no transaction, and
    ///   SQLite closes the file with the statement.
    @discardableResult
    package func close() -> Bool {
        // If this fails, closing copies the log, which only takes time.
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
