import AshlarSQLite

extension HistoryReader {
    /// Reads the history of one of a container's stores. Throws ``HistoryError/notTracked(_:)`` if it is off.
    init(_ connection: Connection, _ container: ModelContainer, _ store: PersistentStore) throws {
        try self.init(
            connection, store, of: container.model, number: container.number(of: store),
            others: container.stores.map(\.storeIdentifier).filter { $0 != store.storeIdentifier })
    }
}

/// Reads the histories of a container's stores as one, on a connection with one read transaction.
struct HistoryReaders {
    /// The readers of the stores whose history is on; at least one.
    let readers: [HistoryReader]

    /// Throws ``HistoryError/notTracked(_:)`` if no history is on, or ``HistoryError/turnedOff(_:)`` if one was on
    /// before.
    init(_ connection: Connection, _ container: ModelContainer) throws {
        readers = try container.stores.filter { try HistoryTracker.isTracked(connection, $0.schemaName) }.map {
            try HistoryReader(connection, container, $0)
        }
        if readers.isEmpty {
            let url = container.configuration.url
            throw container.pool.history == nil ? HistoryError.notTracked(url) : .turnedOff(url)
        }
    }

    /// The stores with changes of other programs that do not belong to a transaction yet.
    var storesWithUnclaimedChanges: [PersistentStore] { readers.filter(\.hasUnclaimedChanges).map(\.store) }

    /// The place after all transactions.
    var currentToken: PersistentHistoryToken {
        PersistentHistoryToken(
            tokenValue: Dictionary(uniqueKeysWithValues: readers.map { ($0.storeIdentifier, $0.newestNumber) }))
    }

    func transactions(_ request: PersistentHistoryChangeRequest) throws -> [PersistentHistoryTransaction] {
        try transactions(limit: request.fetchLimit) { try $0.transactions(request) }
    }

    /// Returns the results of a closure in each store, ordered by time. The token of a result contains the progress in
    /// each store.
    func transactions(
        limit: Int, _ find: (HistoryReader) throws -> [PersistentHistoryTransaction]
    ) throws -> [PersistentHistoryTransaction] {
        if readers.count == 1 { return try find(readers[0]) }
        var found = try readers.map { try find($0)[...] }
        var position = currentToken
        // A store's position before its first result is the number before it.
        for first in found.compactMap(\.first) { position.tokenValue[first.storeID] = first.transactionNumber - 1 }
        var result: [PersistentHistoryTransaction] = []
        while limit == 0 || result.count < limit {
            let heads = found.indices.filter { !found[$0].isEmpty }
            let earliest = heads.min {
                found[$0].first.map(\.timestamp) ?? .now < found[$1].first.map(\.timestamp) ?? .now
            }
            guard let earliest, var next = found[earliest].popFirst() else { break }
            position.tokenValue[next.storeID] = next.transactionNumber
            next.token = position
            result.append(next)
        }
        return result
    }
}
