import AshlarSQLite
import Synchronization
import SystemFoundation

/// From when on rows are read by several threads, and by how many.
struct ParallelReading: Sendable {
    /// After how many rows a thread looks whether others are to help.
    var probedRowCount = 1 << 14
    /// How many times as much has to be left then: what was read so far is read again.
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

    /// Readers that begin to see the present state; nil where nobody can be kept from writing at this moment, or another connection
    /// would not see the stores.
    ///
    /// Each reader's transaction begins while no thread of this process writes, and, by SQLite's lock, no other process. Nobody waits
    /// for that: who finds a writer reads alone.
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

    /// Where no further connection can be had, the one that there is serves.
    private static func refusal(_ error: any Error, _ pool: ConnectionPool) throws -> ReadersOfOneState? {
        if let suspended = pool.suspensionError(error) { throw suspended }
        if let error = error as? SQLiteError, [SQLITE_BUSY, SQLITE_CANTOPEN].contains(error.code) { return nil }
        throw error
    }

    deinit {
        for connection in connections {
            // A connection that cannot end its transaction is of no use to others, and closing it ends it.
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

    /// Keeps other processes from writing; false where one writes.
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
