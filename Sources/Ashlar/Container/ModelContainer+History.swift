import AshlarSQLite
public import SystemFoundation

extension ModelContainer {
    /// Transactions of the store's history, the oldest first. Of several stores whose history is on, those of all of
    /// them, by their times: a save of objects in two stores is a transaction in each.
    ///
    ///     let request = PersistentHistoryChangeRequest.fetchHistory(after: token).changing(Post.self, ["image", "title"])
    ///     for transaction in try container.fetchHistory(request) {
    ///         try context.mergeChanges(from: transaction.objectIDNotification())
    ///         token = transaction.token
    ///     }
    ///
    /// The history must be on, see ``StoreOptions/historyTracking``. It has what was changed since then, whoever did:
    /// saves, batch operations, other processes, programs that write to the file with SQLite alone. It does not have
    /// what a migration did. The cost depends on the transactions after the place that the request begins at, and on
    /// their changes, not on what is stored. Core Data's `execute` with an `NSPersistentHistoryChangeRequest`.
    ///
    /// - Throws: ``HistoryError``; ``StoreError`` when the store cannot be read.
    public func fetchHistory(
        _ request: PersistentHistoryChangeRequest = .all
    ) throws -> [PersistentHistoryTransaction] {
        try readHistory { try $0.transactions(request) }
    }

    /// The place after everything that was committed. Core Data's `currentPersistentHistoryToken(fromStores:)`.
    ///
    /// - Throws: ``HistoryError/notTracked(_:)``, ``HistoryError/turnedOff(_:)``; ``StoreError`` when the store cannot be
    ///   read.
    public func currentHistoryToken() throws -> PersistentHistoryToken {
        try readHistory { $0.currentToken }
    }

    /// Whether the store's history is on; of several stores, whether that of any is.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func isHistoryTracked() throws -> Bool {
        try read("asking for the history") { connection in
            try stores.contains { try HistoryTracker.isTracked(connection, $0.schemaName) }
        }
    }

    /// Reads the history at one state of each store.
    func readHistory<Result>(_ body: (HistoryReaders) throws -> Result) throws -> Result {
        let result = try readHistoryOnce(body)
        let stores = result.unclaimed.filter { !$0.isReadOnly }
        if stores.isEmpty { return result.value }
        // Changes of other programs get their transaction, and with it a time that stays. Whoever writes just now does
        // the same.
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

    /// Throws ``StoreError/severalStores(doing:)``.
    package func requireOneStore(_ doing: String) throws(StoreError) {
        if stores.count > 1 { throw .severalStores(doing: doing) }
    }

    // MARK: Purging

    /// Forgets transactions that came before the one of a token, which itself stays. A token of an older one is
    /// ``HistoryError/tokenExpired(_:token:)`` from then on. Core Data's `deleteHistory(before:)`.
    ///
    /// The time that it takes depends on what is forgotten. Other writers wait for a moment at a time only.
    ///
    /// - Throws: ``HistoryError``, ``StoreError``.
    public func deleteHistory(before token: PersistentHistoryToken) throws {
        try purgeHistory { reader, connection in
            let number = try reader.number(of: token)
            return try connection.integer(
                "SELECT max(\"last\") FROM \(reader.store.schemaName).\"ashlar$transaction\" WHERE \"last\" < ?1",
                [.integer(number)])
        }
    }

    /// Forgets transactions that came before another, which itself stays, as those before its token are.
    ///
    /// - Throws: ``HistoryError``, ``StoreError``.
    public func deleteHistory(before transaction: PersistentHistoryTransaction) throws {
        try deleteHistory(before: transaction.token)
    }

    /// Forgets the transaction of a token and those that came before it.
    func deleteHistory(through token: PersistentHistoryToken) throws {
        try purgeHistory { reader, _ in try reader.number(of: token) }
    }

    /// Forgets transactions that were committed before a moment, up to the first that was not.
    ///
    /// - Throws: ``HistoryError``, ``StoreError``.
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

    /// Forgets what is recorded in each store up to the number of a transaction.
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
            // What is left behind by a process that is killed in between is not read any more, and goes next time.
            while try store.write(
                "purging the history", { try Self.deleteSomeHistory(of: store, upTo: number, $0) })
            {}
        }
    }

    /// The number of changes that one transaction of a purge deletes.
    private static let purgedAtOnce: Int64 = 50_000

    /// Deletes the oldest of what was forgotten; false when nothing was left.
    private static func deleteSomeHistory(
        of store: PersistentStore, upTo number: Int64, _ connection: Connection
    ) throws -> Bool {
        try connection.transaction(writing: store) {
            let schema = store.schemaName
            // Numbers need not follow one another closely.
            let next = try connection.integer(
                "SELECT \"number\" FROM \(schema).\"ashlar$change\" ORDER BY \"number\" LIMIT 1 OFFSET \(purgedAtOnce)")
            // The newest rows stay, since they tell which number comes next.
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
    /// Who makes the changes of this context.
    var historyOrigin: HistoryOrigin { HistoryOrigin(author: author, contextName: name) }

    /// Transactions of the store's history, as ``ModelContainer/fetchHistory(_:)`` gives them.
    ///
    /// - Throws: ``HistoryError``, ``StoreError``.
    public func fetchHistory(
        _ request: PersistentHistoryChangeRequest = .all
    ) throws -> [PersistentHistoryTransaction] {
        try container.fetchHistory(request)
    }
}
