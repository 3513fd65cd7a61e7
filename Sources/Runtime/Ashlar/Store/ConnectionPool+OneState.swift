import AshlarSQLite
import Synchronization
import SystemFoundation

/// The thresholds for reading rows with several threads, and the number of threads.
struct ParallelReading: Sendable {
    /// The number of rows after which a thread checks whether to add others.
    var probedRowCount = 1 << 14
    /// The least ratio of the remaining rows to those already read. The rows already read are read again.
    var leastRest = 4
    var threadCount = min(ProcessInfo.processInfo.activeProcessorCount, 8)
    /// More ranges than threads, as not all take equally long.
    var rangesPerThread = 8
}

/// Readers that all see one state of the stores, each in a transaction of its own.
final class ReadersOfOneState: Sendable {
    let connections: [Connection]
    private let pool: ConnectionPool

    private init(_ connections: [Connection], _ pool: ConnectionPool) {
        self.connections = connections
        self.pool = pool
    }

    /// Readers that begin to see the current state. Nil if a writer cannot be kept out at this moment, or if another
    /// connection would not see the stores.
    ///
    /// Each reader's transaction begins while no thread of this process writes and, by SQLite's lock, no other process.
    /// If there is a writer, the function does not wait, and the caller reads with one thread.
    static func begin(_ count: Int, of pool: ConnectionPool) throws -> ReadersOfOneState? {
        if pool.isReadOnly || !pool.hasReaders { return nil }
        var taken: [Connection] = []
        do {
            for _ in 0..<count { if let reader = try pool.takeReader() { taken.append(reader) } }
        } catch {
            for reader in taken { pool.giveBack(reader) }
            return try refusal(error, pool)
        }
        let readers = taken
        let hasBegun = pool.writeIfFree { writer in Result { try begin(readers, writer) } } ?? .success(false)
        switch hasBegun {
        case .success(true): return ReadersOfOneState(readers, pool)
        case .success(false):
            for reader in readers { pool.giveBack(reader) }
            return nil
        case .failure(let error):
            // One may be in a transaction.
            for reader in readers { pool.close(reader) }
            return try refusal(error, pool)
        }
    }

    /// If no further connection can be opened, the caller uses its own.
    private static func refusal(_ error: any Error, _ pool: ConnectionPool) throws -> ReadersOfOneState? {
        if let suspended = pool.suspensionError(error) { throw suspended }
        if let error = error as? SQLiteError, [SQLITE_BUSY, SQLITE_CANTOPEN].contains(error.code) { return nil }
        throw error
    }

    deinit {
        for connection in connections {
            // Other code cannot use a connection that is still in a transaction. Closing it ends the transaction.
            if (try? connection.execute("ROLLBACK")) != nil {
                pool.giveBack(connection)
            } else {
                pool.close(connection)
            }
        }
    }

    private static func begin(_ readers: [Connection], _ writer: Connection) throws -> Bool {
        guard try lock(writer) else { return false }
        let result = Result { for reader in readers { try begin(reader) } }
        // Nothing was written.
        try writer.rollBack()
        try result.get()
        return true
    }

    /// Keeps other processes from writing. Returns false if one writes.
    private static func lock(_ writer: Connection) throws -> Bool {
        do {
            try writer.waiting(atMost: 0) { try writer.execute("BEGIN IMMEDIATE") }
            return true
        } catch let error as SQLiteError {
            if error.code == SQLITE_BUSY { return false }
            throw error
        }
    }

    private static func begin(_ reader: Connection) throws {
        try reader.execute("BEGIN")
        try reader.beginReading()
        try reader.checkSchemas()
    }
}
