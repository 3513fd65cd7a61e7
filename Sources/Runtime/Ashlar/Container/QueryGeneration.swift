import AshlarSQLite
import Synchronization
import SystemFoundation

/// A read transaction that stays open on a connection of its own, so that commits of others are not visible in it.
///
/// Each of several stores has its own state. All states belong to one moment, unless others commit to a store while those
/// of the other stores are read.
final class QueryGeneration: Sendable {
    /// The time at which the state was the newest.
    let date = Date()
    private let container: ModelContainer
    private let reader: GenerationReader

    /// Pins the store's present state.
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
                for store in container.stores { try connection.beginReading(store.schemaName) }
                try connection.checkSchemas()
            } catch {
                // A connection that cannot end its transaction cannot be used again.
                if (try? connection.rollBack()) != nil {
                    container.pool.giveBack(connection)
                } else {
                    container.pool.close(connection)
                }
                throw container.pool.suspensionError(error) ?? error
            }
            reader = GenerationReader(connection, container.pool)
        } catch let error as SQLiteError {
            throw StoreError.sqlite(error, doing: "pinning a query generation")
        }
        container.generations.add(reader, date)
    }

    deinit {
        reader.end()
        container.generations.remove(reader)
    }

    func isOf(_ other: ModelContainer) -> Bool { container == other }

    /// The loan of the reader, for rows that are lent from it.
    var loan: ConnectionLoan { reader.loan }

    /// Gives a closure exclusive use of the reader. The closure must not read through this generation again, unless it
    /// lends rows.
    func read(_ body: (Connection) throws -> Void) throws {
        // The caller holds this object, which holds the reader. Reference counting would take longer than finding the
        // statement.
        try Unmanaged.passUnretained(reader)._withUnsafeGuaranteedRef { reader in
            if let lent = reader.loan.connection { return try lent.uninterrupted { try body(lent) } }
            try reader.connection.withLock { connection in
                guard let connection else { throw StoreError.queryGenerationExpired(container.configuration.url) }
                do {
                    try body(connection)
                } catch  where connection.ending.hasBegun {
                    throw container.pool.suspensionError(error) ?? error
                }
            }
        }
    }
}
