import AshlarSQLite
public import SystemFoundation

extension ModelContainer {
    /// Returns transactions of the store's history, the oldest first.
    ///
    /// Use it to process the changes since a token that the program kept. The history must be on; see
    /// ``StoreOptions/historyTracking``. It then contains every change to the file: saves, batch operations, other
    /// processes, and programs that write with SQLite. It does not contain migrations.
    ///
    ///     let request = PersistentHistoryChangeRequest.fetchHistory(after: token).changing(Post.self, ["image", "title"])
    ///     for transaction in try container.fetchHistory(request) {
    ///         try context.mergeChanges(from: transaction.objectIDNotification())
    ///         token = transaction.token
    ///     }
    ///
    /// If the container has several stores, the result contains the transactions of all of them, ordered by time. A
    /// save of objects in two stores is one transaction in each. Core Data's counterpart is `execute` with an
    /// `NSPersistentHistoryChangeRequest`.
    ///
    /// - Parameter request: The transactions to return, and which of their changes.
    /// - Throws: ``HistoryError`` if the history is off or the token has expired, or ``StoreError`` if the store cannot
    ///   be read.
    /// - Complexity: O(*n*) in the number of transactions after the request's start and their changes.
    public func fetchHistory(
        _ request: PersistentHistoryChangeRequest = .all
    ) throws -> [PersistentHistoryTransaction] {
        try readHistory { try $0.transactions(request) }
    }

    /// Returns the token of the place after the last committed transaction.
    ///
    /// Keep it to process only later changes. Core Data's counterpart is `currentPersistentHistoryToken(fromStores:)`.
    ///
    ///     token = try container.currentHistoryToken()
    ///
    /// - Throws: ``HistoryError/notTracked(_:)`` or ``HistoryError/turnedOff(_:)`` if there is no history, or
    ///   ``StoreError`` if the store cannot be read.
    public func currentHistoryToken() throws -> PersistentHistoryToken {
        try readHistory { $0.currentToken }
    }

    /// Returns whether the store records its history; if there are several stores, whether any of them does.
    ///
    ///     guard try container.isHistoryTracked() else { return }
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func isHistoryTracked() throws -> Bool {
        try read("asking for the history") { connection in
            try stores.contains { try HistoryTracker.isTracked(connection, $0.schemaName) }
        }
    }

    /// Reads the history in one state of each store.
    func readHistory<Result>(_ body: (HistoryReaders) throws -> Result) throws -> Result {
        let result = try readHistoryOnce(body)
        let stores = result.unclaimed.filter { !$0.isReadOnly }
        if stores.isEmpty { return result.value }
        // Changes of other programs get a transaction with a fixed time. If the store is locked, the program that
        // writes claims them.
        do {
            for store in stores {
                try store.write("reading the history") { connection in
                    try connection.transaction(writing: store) {
                        try connection.state.history?.claimForeignChanges(connection, store.schemaName)
                    }
                }
            }
        } catch StoreError.locked {
            return result.value
        }
        return try readHistoryOnce(body).value
    }

    private func readHistoryOnce<Result>(
        _ body: (HistoryReaders) throws -> Result
    ) throws -> (value: Result, unclaimed: [PersistentStore]) {
        try read("reading the history") { connection in
            try connection.execute("SAVEPOINT \"history$\"")
            defer { try? connection.execute("RELEASE \"history$\"") }
            let readers = try HistoryReaders(connection, self)
            return (try body(readers), readers.storesWithUnclaimedChanges)
        }
    }

    /// Throws ``StoreError/singleStoreRequired(doing:)``.
    package func requireOneStore(_ doing: String) throws(StoreError) {
        if stores.count > 1 { throw .singleStoreRequired(doing: doing) }
    }

    // MARK: Purging

    /// Deletes the transactions before that of a token, which itself stays.
    ///
    /// Call it once every reader of the history has processed these transactions. Older tokens then fail with
    /// ``HistoryError/tokenExpired(_:token:)``. Other writers wait only briefly, because the deletion is done in
    /// slices. Core Data's counterpart is `deleteHistory(before:)`.
    ///
    ///     try container.deleteHistory(before: oldestTokenInUse)
    ///
    /// - Parameter token: The token of the oldest transaction to keep.
    /// - Throws: ``HistoryError`` if the token is not valid for the store, or ``StoreError`` if the store cannot be
    ///   written.
    /// - Complexity: O(*n*) in the number of deleted transactions and their changes.
    public func deleteHistory(before token: PersistentHistoryToken) throws {
        try purgeHistory { reader, connection in
            let number = try reader.number(of: token)
            return try connection.integer(
                "SELECT max(\"last\") FROM \(reader.store.schemaName).\"ashlar$transaction\" WHERE \"last\" < ?1",
                [.integer(number)])
        }
    }

    /// Deletes the transactions before another one, which itself stays.
    ///
    ///     try container.deleteHistory(before: transaction)
    ///
    /// - Parameter transaction: The oldest transaction to keep.
    /// - Throws: ``HistoryError`` if its token is not valid for the store, or ``StoreError`` if the store cannot be
    ///   written.
    public func deleteHistory(before transaction: PersistentHistoryTransaction) throws {
        try deleteHistory(before: transaction.token)
    }

    /// Deletes the transaction of a token and all earlier ones.
    func deleteHistory(through token: PersistentHistoryToken) throws {
        try purgeHistory { reader, _ in try reader.number(of: token) }
    }

    /// Deletes the transactions that were committed before a date, up to the first that was not.
    ///
    ///     try container.deleteHistory(before: Date(timeIntervalSinceNow: -30 * 24 * 60 * 60))
    ///
    /// - Parameter date: The date of the oldest transaction to keep.
    /// - Throws: ``HistoryError`` if there is no history, or ``StoreError`` if the store cannot be written.
    public func deleteHistory(before date: Date) throws {
        try purgeHistory { reader, connection in
            let table = "\(reader.store.schemaName).\"ashlar$transaction\""
            return try connection.integer(
                """
                SELECT max("last") FROM \(table) WHERE "last" < coalesce(
                    (SELECT min("last") FROM \(table) WHERE "timestamp" >= ?1), \(Int64.max))
                """, [.real(date.timeIntervalSinceReferenceDate)])
        }
    }

    /// Deletes the recorded changes of each store up to the number of a transaction.
    private func purgeHistory(upTo find: (HistoryReader, Connection) throws -> Int64?) throws {
        let tracked = try readHistory { $0.readers.map(\.store) }
        for store in tracked {
            let number = try store.write("purging the history") { connection -> Int64 in
                try connection.transaction(writing: store) {
                    guard let number = try find(HistoryReader(connection, self, store), connection) else { return 0 }
                    let statement = try connection.statement(
                        "UPDATE \(store.schemaName).\"ashlar$historyState\" SET \"purged\" = max(\"purged\", ?1)")
                    statement.bind(number, 1)
                    try statement.run()
                    return number
                }
            }
            // Rows that remain after a process was killed here are never read again, and the next purge deletes them.
            while try store.write(
                "purging the history", { try Self.deleteSomeHistory(of: store, upTo: number, $0) })
            {}
        }
    }

    /// The number of changes that one transaction of a purge deletes.
    private static let purgedAtOnce: Int64 = 50_000

    /// Deletes the oldest purged rows. Returns false if none are left.
    private static func deleteSomeHistory(
        of store: PersistentStore, upTo number: Int64, _ connection: Connection
    ) throws -> Bool {
        try connection.transaction(writing: store) {
            let schema = store.schemaName
            // The numbers may have gaps.
            let next = try connection.integer(
                "SELECT \"number\" FROM \(schema).\"ashlar$change\" ORDER BY \"number\" LIMIT 1 OFFSET \(purgedAtOnce)")
            // The newest rows stay, because they determine the next number.
            let end = min(number, next ?? number)
            for sql in [
                "DELETE FROM \(schema).\"ashlar$tombstone\" WHERE \"change\" <= ?1",
                """
                DELETE FROM \(schema)."ashlar$change"
                WHERE "number" <= ?1 AND "number" < (SELECT max("number") FROM \(schema)."ashlar$change")
                """,
                """
                DELETE FROM \(schema)."ashlar$transaction"
                WHERE "last" <= ?1 AND "last" < (SELECT max("last") FROM \(schema)."ashlar$transaction")
                """,
            ] {
                let statement = try connection.statement(sql)
                statement.bind(end, 1)
                try statement.run()
            }
            return end < number
        }
    }
}

extension ModelContext {
    /// The origin of this context's changes.
    var historyOrigin: HistoryOrigin { HistoryOrigin(author: author, contextName: name) }

    /// Returns transactions of the store's history, the oldest first.
    ///
    /// The result is that of ``ModelContainer/fetchHistory(_:)``. SwiftData has the method on the context too.
    ///
    ///     let transactions = try context.fetchHistory(.fetchHistory(after: token))
    ///
    /// - Parameter request: The transactions to return, and which of their changes.
    /// - Throws: ``HistoryError`` if the history is off or the token has expired, or ``StoreError`` if the store cannot
    ///   be read.
    public func fetchHistory(
        _ request: PersistentHistoryChangeRequest = .all
    ) throws -> [PersistentHistoryTransaction] {
        try container.fetchHistory(request)
    }
}
