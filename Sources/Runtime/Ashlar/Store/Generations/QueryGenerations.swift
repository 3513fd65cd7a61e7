import AshlarSQLite
import Synchronization
import SystemFoundation

/// The connection of a query generation, which others may end without keeping the generation.
final class GenerationReader: Sendable {
    /// Nil once the generation was ended to let the write-ahead log shrink.
    let connection: Mutex<Connection?>
    /// A loan of the connection, for loops that lend rows from it.
    let loan = ConnectionLoan()
    private let pool: ConnectionPool

    init(_ connection: sending Connection, _ pool: ConnectionPool) {
        self.connection = Mutex(connection)
        self.pool = pool
    }

    /// Ends the state. From now on, reads throw ``StoreError/queryGenerationExpired(_:)``.
    func end() {
        connection.withLock { giveBack(&$0) }
    }

    /// Ends the state unless it is being read; see ``end()``.
    func endIfIdle() {
        connection.withLockIfAvailable { giveBack(&$0) }
    }

    private func giveBack(_ connection: inout Connection?) {
        guard let ended = connection else { return }
        connection = nil
        // Other code cannot use a connection that is still in a transaction. Closing it ends the transaction.
        if (try? ended.execute("ROLLBACK")) != nil { pool.giveBack(ended) } else { pool.close(ended) }
    }
}

/// The pinned states of a store for contexts of this process.
final class QueryGenerations: Sendable {
    /// With a weak reference to the generation, each read would count references the slow way.
    private struct Entry {
        let reader: GenerationReader
        let date: Date
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func add(_ reader: GenerationReader, _ date: Date) {
        entries.withLock { $0[ObjectIdentifier(reader)] = Entry(reader: reader, date: date) }
    }

    func remove(_ reader: GenerationReader) {
        _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(reader)) }
    }

    var dates: [Date] { entries.withLock { $0.values.map(\.date) } }

    /// Ends the generations that are not being read at this moment.
    func endIdle() {
        let readers = entries.withLock { $0.values.map(\.reader) }
        for reader in readers { reader.endIfIdle() }
    }
}
