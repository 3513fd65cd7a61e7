import AshlarSQLite
import Synchronization
import SystemFoundation

/// The connection of a query generation, which others may end without keeping the generation.
final class GenerationReader: Sendable {
    /// Nil once the generation was ended to let the write-ahead log shrink.
    let connection: Mutex<Connection?>
    /// The connection, where rows are lent from it.
    let loan = ConnectionLoan()
    private let pool: ConnectionPool

    init(_ connection: sending Connection, _ pool: ConnectionPool) {
        self.connection = Mutex(connection)
        self.pool = pool
    }

    /// Lets go of the state; a read throws ``StoreError/queryGenerationExpired(_:)`` from now on.
    func end() {
        connection.withLock { giveBack(&$0) }
    }

    /// As ``end()``, but not while somebody reads.
    func endIfIdle() {
        connection.withLockIfAvailable { giveBack(&$0) }
    }

    private func giveBack(_ connection: inout Connection?) {
        guard let ended = connection else { return }
        connection = nil
        // A connection that cannot end its transaction is of no use to others, and closing it ends it.
        if (try? ended.execute("ROLLBACK")) != nil { pool.giveBack(ended) } else { pool.close(ended) }
    }
}

/// The states of a store at which contexts of this process stay.
final class QueryGenerations: Sendable {
    /// A weak reference to the generation would have each read count references the slow way.
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

    /// Ends those that nobody reads at this moment.
    func endIdle() {
        let readers = entries.withLock { $0.values.map(\.reader) }
        for reader in readers { reader.endIfIdle() }
    }
}
