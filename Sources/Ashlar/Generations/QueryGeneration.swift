import Foundation
import Synchronization

/// A read transaction that stays open on a reader of its own: what others commit is not seen in it.
///
/// Of several stores each has its own state, and all are those of one moment unless somebody commits to a store while the
/// others' are read.
final class QueryGeneration: Sendable {
    /// When the state was that of the store.
    let date = Date()
    private let container: ModelContainer
    /// Nil once the generation was ended to let the write-ahead log shrink.
    private let reader: Mutex<Connection?>

    /// Begins to stay at the store's present state.
    ///
    /// Throws ``StoreError/queryGenerationsUnavailable(_:)`` for a store in memory, and ``StoreError/sqlite(_:doing:)``.
    init(of container: ModelContainer) throws {
        self.container = container
        do {
            guard let connection = try container.pool.takeReader() else {
                throw StoreError.queryGenerationsUnavailable(container.configuration.url)
            }
            do {
                try connection.execute("BEGIN")
                // The first read of a store decides which state of it a transaction sees.
                for store in container.stores {
                    try connection.execute("SELECT 1 FROM \(store.schemaName).\"sqlite_schema\" LIMIT 1")
                }
            } catch {
                // A connection that cannot end its transaction is of no use to others.
                if (try? connection.rollBack()) != nil { container.pool.giveBack(connection) }
                throw error
            }
            reader = Mutex(connection)
        } catch let error as SQLiteError {
            throw StoreError.sqlite(error, doing: "pinning a query generation")
        }
        container.generations.add(self)
    }

    deinit {
        end()
        container.generations.remove(ObjectIdentifier(self))
    }

    func isOf(_ other: ModelContainer) -> Bool { container == other }

    /// Lets a closure use the reader, alone. It must not read through this generation again.
    func read(_ body: (Connection) throws -> Void) throws {
        try reader.withLock { reader in
            guard let reader else { throw StoreError.queryGenerationExpired(container.configuration.url) }
            try body(reader)
        }
    }

    /// Lets go of the state; a read throws ``StoreError/queryGenerationExpired(_:)`` from now on.
    func end() {
        reader.withLock { giveBack(&$0) }
    }

    /// As ``end()``, but not while somebody reads.
    func endIfIdle() {
        reader.withLockIfAvailable { giveBack(&$0) }
    }

    private func giveBack(_ reader: inout Connection?) {
        guard let ended = reader else { return }
        reader = nil
        // A connection that cannot end its transaction is of no use to others, and closing it ends it.
        if (try? ended.execute("ROLLBACK")) != nil { container.pool.giveBack(ended) }
    }
}

/// The states of a store at which contexts of this process stay.
final class QueryGenerations: Sendable {
    private struct Entry {
        weak var generation: QueryGeneration?
        let date: Date
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func add(_ generation: QueryGeneration) {
        entries.withLock {
            $0[ObjectIdentifier(generation)] = Entry(generation: generation, date: generation.date)
        }
    }

    func remove(_ identity: ObjectIdentifier) {
        _ = entries.withLock { $0.removeValue(forKey: identity) }
    }

    var dates: [Date] { entries.withLock { $0.values.map(\.date) } }

    /// Ends those that nobody reads at this moment.
    func endIdle() {
        // One that goes away now takes itself out of the list, which needs the lock.
        let generations = entries.withLock { $0.values.compactMap(\.generation) }
        for generation in generations { generation.endIfIdle() }
    }
}
